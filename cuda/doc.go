// Package cuda is the glue over gorgonia.org/cu: the driver that the program found, one context with one stream on one
// GPU, its memory, and the kernels of kernels.cu.
//
// With the build tag "cuda" and cgo the package runs kernels. Without them, its error gives the reason why it cannot.
// Both forms read the PTX.
//
// # The thread
//
// The driver has a current context for each OS thread. Every method locks its goroutine to its thread, makes the
// context current there, and unlocks when it returns. So any goroutine may use a Context, one at a time.
//
// # The stream
//
// All work goes to one stream, in order. Only Wait, Read and a full staging buffer wait for it. So a later call than
// its cause reports an error of the device.
//
// # Graphs
//
// Capture records the work on the stream, and Graph.Launch repeats it in one call. Trace only lists the work.
package cuda
