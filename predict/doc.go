// Package predict translates predictions for users: means, quantiles and classes in the
// target's own units, and the table that a prediction is written as.
package predict
