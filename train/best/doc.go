// Package best searches for a good model: it trains candidates on a part of the rows, scores them on the rest, trains
// the best ones for longer, and stacks the last ones. The result is an ensemble of models that were trained on all
// rows, and the record of all trials.
//
// A Search reads from top to bottom in search.go. Candidates are in candidates.go, the time of the rounds in budget.go,
// the rounds in rounds.go, a trial in trial.go, the weights in stack.go. Every trial is a train.Job like any other. A
// finished trial is saved, so that a search that was killed continues with the next one.
package best
