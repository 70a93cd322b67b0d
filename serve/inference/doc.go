// Package inference is the gRPC interface of the Open Inference Protocol, generated from
// inference.proto by `make proto`.
package inference
