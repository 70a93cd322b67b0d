// Package acquire ranks rows by the worth of measuring them next, by joint samples of a function at
// all rows. Each way is greedy: a row is chosen given those before it, so that a batch is not one
// row many times. Larger is better; a caller that minimises changes signs.
package acquire
