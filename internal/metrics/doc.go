// Package metrics scores predictions: proper scores and coverage for regression, error, calibration and the separation
// of classes for classification.
//
// A regression prediction is a mixture of S normals, or Student's t, with a mean for each Monte-Carlo sample, and one
// variance for all samples or for each (paper, pred_ys_mc). A classification prediction is S vectors of logits. Every
// sum runs in a fixed order.
package metrics
