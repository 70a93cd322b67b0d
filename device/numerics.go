package device

import "fmt"

// VarFloor is the smallest variance that Moments and local reparameterisation
// let through: below it the value is held and its gradient is zero.
const VarFloor = 1e-10

// JitterLadder is what Potrf adds to the unit diagonal of a correlation matrix,
// rung by rung until the factorisation succeeds.
var JitterLadder = [...]float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}

// NaturalLadder is what NaturalStep adds to the matrix I − size·2sᵀdS s, rung by rung until it is positive definite:
// the matrix of a step that is 1 + rung times smaller, but for that factor.
var NaturalLadder = [...]float64{0, 1, 7, 63, 511}

// NotPositiveDefiniteError says which kernel matrix could not be factorised.
type NotPositiveDefiniteError struct {
	Latent int     // which kernel, from 0
	Pivot  int     // the column that failed on the last rung
	Jitter float64 // the last rung
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("the kernel matrix of latent function %d is not positive definite at column %d even with jitter %g: "+
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
