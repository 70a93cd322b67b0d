// Package device separates the model from the machine. The model is written once, over the Device interface. Each
// backend (device/cpu and device/gpu) has every operation as one function, with the same name and in the same order.
//
// # Conventions
//
// Shapes are row-major: the last index is fastest, and batch axes come first. docs/glossary.md has the letters.
//
// Precision belongs to the device. Real tensors hold the device's working precision (float32 or float64); Double
// tensors are always float64. The GP layer runs in double and the random-feature layers in real, because a float32
// Cholesky factor of a kernel matrix can be wrong without any sign. With 200 rows of POWERPLANT as inducing points, the
// median error of 1 − ‖A‖² is 16 %. The boundary is at SampleF. Widen and NarrowAdd convert the parameters of the GP
// layer, whose blocks come first in the flat vector.
//
// Gradients: an operation's Backward is a vector-Jacobian product. It ACCUMULATES (+=) into gradients of parameters and
// of L, the Cholesky factor, which several operations read; it WRITES (=) gradients of activations, unless its comment
// says otherwise. All gradients are of the ELBO, in nats.
//
// Raw parameters are logarithms: every positive quantity (α, ℓ, s², β², σ²) is exponentiated inside the operation that
// uses it.
//
// Errors: a wrong shape or type is a bug of the program and panics with the prefix "device: ". A device that does not
// open is an error. A machine that fails later (no memory, a lost driver) panics with a *FaultError, which RecoverFault
// turns into an error. Potrf reports a matrix that is not positive definite through its jitter tensor, and it becomes a
// *NotPositiveDefiniteError.
//
// New takes memory, and so do operations when their scratch grows. The size is known in advance: a Dry device runs the
// same code and writes a Ledger.
//
// A training step goes through a loop of NewLoop, so that a device may record it once and replay it. Only the step
// number, the learning rate, the KL weight and the size of the natural step change (StepScalars). The work of a loop
// gets them as LiveScalars, and an operation takes each as a Scalar or a StepNumber. A Recorder is a backend that
// records the step; the model and the operations do not change.
//
// No operation allocates after its first call with a given shape. Sums have a fixed order, so the same seed gives the
// same bits for any number of threads of a CPU, and on the same card, driver and path of a GPU.
package device
