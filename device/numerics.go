package device

import "fmt"

// VarFloor is the smallest variance that Moments and local reparameterisation
// let through: below it the value is held and its gradient is zero.
const VarFloor = 1e-10

// JitterLadder is what Potrf adds to the unit diagonal of a correlation matrix,
// rung by rung until the factorisation succeeds.
var JitterLadder = [...]float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}

// NaturalLadder is what NaturalStep adds to the diagonal of ½(1+size)·I − size·2sᵀdS s, rung by
// rung until that is positive definite. It is the matrix by which a step 1 + 2·rung times smaller
// is judged, up to that factor.
var NaturalLadder = [...]float64{0, 0.5, 3.5, 31.5, 255.5}

// NotPositiveDefiniteError says which kernel matrix could not be factorised.
type NotPositiveDefiniteError struct {
	Latent int     // which kernel, from 0
	Pivot  int     // the column that failed on the last rung
	Jitter float64 // the last rung
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("the kernel matrix of latent function %d is not positive definite at column "+
		"%d even with jitter %g: "+
		"lower --lr or check the inputs for NaN or huge values", e.Latent, e.Pivot, e.Jitter)
}

// CheckJitter turns Potrf's report into an error.
func CheckJitter(jitter []float64) error {
	for k, v := range jitter {
		if !(v >= 0) {
			return &NotPositiveDefiniteError{Latent: k, Pivot: int(-v) - 1, Jitter: JitterLadder[len(JitterLadder)-1]}
		}
	}
	return nil
}
