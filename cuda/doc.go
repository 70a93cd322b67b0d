// Package cuda is the glue over gorgonia.org/cu: the driver that the program found, one
// context with one stream on one GPU, its memory, and the kernels of kernels.cu.
//
// The package exists twice. With the build tag "cuda" and cgo it runs kernels; without them
// it says why it cannot. The PTX and what is read from it are in both.
//
// # The thread
//
// The driver keeps its current context for each OS thread. Every method locks its goroutine
// to the thread it runs on, makes the context current there, and lets go when it returns;
// so a Context may be used from any goroutine, by one at a time.
//
// # The stream
//
// All work goes to one stream, in order, and nothing waits for it but Wait, Read and a full
// staging buffer. An error of the device is therefore reported by a later call than its cause.
//
// # Graphs
//
// Capture records what is put on the stream, and Graph.Launch puts all of it there again in one
// call. Trace only lists it.
package cuda
