// Package inference has the messages of gRPC of the Open Inference Protocol, generated from
// inference.proto by `make proto`.
package inference

// Service is the name of the interface, which is before that of a method.
const Service = "inference.GRPCInferenceService"
