package device

import "fmt"

// BoundShare is δ of the predictive objective, the weight of the bound's expected log density. Under the log density
// alone, a row counts by the precision of its prediction, and the predicted means of other rows get worse.
const BoundShare = 0.01

// VarFloor is the smallest variance that Moments and local reparameterisation let through: below it the variance is
// VarFloor and its gradient is zero.
const VarFloor = 1e-10

// LogRateMax is the log rate above which PoissonLogLik and PoissonExpected replace exp by its tangent. e³⁰ is 10¹³,
// above any count that a float32 can distinguish from its neighbours.
const LogRateMax = 30

// DispersionFloor is the least dispersion of a negative binomial. Its difference from a Poisson is below rounding
// there.
const DispersionFloor = 1e-6

// GapFloor is the least gap between two cut points of OrdinalLogLik, so that each level has a probability.
const GapFloor = 1e-6

// JitterLadder holds the jitters that Potrf adds to the unit diagonal of a correlation matrix, rung by rung until the
// factorisation succeeds.
var JitterLadder = [...]float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}

// NaturalLadder holds the numbers that NaturalStep adds to the diagonal of ½(1+size)·I − size·2sᵀdS s, rung by rung
// until it is positive definite. Up to a factor, the sum is the matrix that judges a step 1 + 2·rung times smaller.
var NaturalLadder = [...]float64{0, 0.5, 3.5, 31.5, 255.5}

// NotPositiveDefiniteError reports a kernel matrix that could not be factorised.
type NotPositiveDefiniteError struct {
	Latent int     // number of the kernel, from 0
	Pivot  int     // column that failed on the last rung
	Jitter float64 // jitter of the last rung
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("the kernel matrix of latent function %d is not positive definite at column "+
		"%d even with jitter %g: "+
		"lower the learning rate or check the inputs for NaN or huge values", e.Latent, e.Pivot, e.Jitter)
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
