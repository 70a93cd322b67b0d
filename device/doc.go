// Package device is the line between the model and the machine: the model is
// written once over the Device interface, and each backend (device/cpu and device/gpu)
// runs every operation as one function with the same name and order.
//
// # Conventions, stated once
//
// Shapes are row-major with the last index fastest; batch axes come first.
// The letters are those of docs/glossary.md: N rows of the data set, B of a
// batch, D input width, M pseudo-inputs X̄, J latent functions, K distinct
// correlation kernels (K = J, or 1 where all latents share one), S Monte-Carlo
// samples, R frequencies, d and d' widths into and out of a layer, C outputs.
//
// Precision belongs to the device. Real tensors hold the device's working
// precision (float32 or float64); Double tensors are always float64. The GP
// layer runs in double and the random-feature layers in real, because a
// float32 Cholesky factor of a kernel matrix succeeds and is still wrong; the
// boundary is SampleF upwards, and Widen/NarrowAdd for the parameters.
//
// Gradients: an operation's Backward is a vector-Jacobian product. It
// ACCUMULATES (+=) into gradients of parameters and of L, the Cholesky factor,
// which several operations read; it WRITES (=) gradients of activations, unless
// its comment says otherwise. All gradients are of the ELBO, in nats.
//
// Raw parameters are logarithms: every positive quantity (α, ℓ, s², β², σ²) is
// exponentiated inside the operation that uses it.
//
// Errors: a wrong shape or type is a bug of ours and panics with the prefix
// "device: "; that a device does not open is an error; a machine that fails later
// (no memory, a lost driver) is a panic with a *FaultError, which Guard makes an
// error; a matrix that is not positive definite is reported through Potrf's
// jitter tensor and becomes a *NotPositiveDefiniteError.
//
// Memory is taken by New and by operations as their scratch grows. Its size is known in advance: a
// Dry device has the same code and writes a Ledger instead.
//
// Work that is repeated, a training step, goes through a Loop, so that a device may
// record and replay it.
//
// No operation allocates after its first call with a given shape, and sums run
// in a fixed order, so the same seed gives the same bits for any thread count.
package device
