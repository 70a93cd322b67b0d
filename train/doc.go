// Package train is the run: it decides what a training takes of its device, makes the step, calls
// it for every step, validates, and leaves a fitted.Trained.
//
// A run reads from top to bottom in trainer.go and loop.go. Job.Run settles the options for the
// rows, plans the memory, prepares scaler, pseudo-inputs, parameters and rows on the device, and
// then goes through the steps. Everything random is a function of the seed and the step number, so
// a written configuration repeats its run bit for bit. What is asked for stands in train/options,
// what is left in train/fitted and train/rundir.
package train
