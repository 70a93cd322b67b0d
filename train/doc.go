// Package train trains a model. It plans the memory of a run, prepares and runs its steps,
// validates, and returns a fitted.Trained.
//
// A run reads from top to bottom in trainer.go and loop.go. Job.Run settles the options for the
// rows, plans the memory, prepares scaler, inducing points, parameters and rows on the device, and
// then goes through the steps. Everything random is a function of the seed and the step number, so
// a written configuration repeats its run bit for bit. train/options has the options of a run;
// train/fitted and train/rundir have its results.
package train
