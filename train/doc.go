// Package train is the loop around the model: options, schedules, Adam, the run
// folder and the model file.
//
// A run reads from top to bottom in trainer.go: (*Job).Run prepares scaler, pseudo-inputs,
// parameters and data on the device, then calls step for every step, and leaves a
// Trained, which holds all that prediction needs. Config is every option of a
// run; options.go is the one table from which flags, config files and their help are made.
// Everything random is a function of the seed and the step number, so a written
// Config repeats its run bit for bit.
package train
