// Package train trains a model. It plans the memory of a run, prepares and runs its steps, validates, and returns a
// fitted.Model.
//
// Job.Run is in job.go: it settles the options for the rows and plans the memory. prepare.go prepares the scaler, the
// inducing points, the parameters and the rows on the device. choice.go chooses the objective and the length by
// attempts: candidates.go has the settings and the decision, attempt.go makes an attempt. timelimit.go fits the steps
// into a time limit. run.go takes the steps, validation.go scores held-out rows, and ranks.go has what processes share.
// Everything random is a function of the seed and the step number, so a written configuration repeats its run bit for
// bit. train/options has the options of a run; train/fitted and train/rundir have its results.
package train
