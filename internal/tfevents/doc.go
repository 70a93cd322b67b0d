// Package tfevents writes the files of TensorBoard: records of Event messages, with scalars,
// histograms, and hyper-parameters beside the metrics that they led to. Only messages that
// TensorBoard needs are here, field by field, since its generated code would bring TensorFlow's.
package tfevents
