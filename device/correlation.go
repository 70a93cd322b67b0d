package device

import "math"

// Correlation is the form of a stationary kernel without its α: f of the squared distance r² = Σ_d (x_d − x'_d)²/ℓ_d².
type Correlation uint8

// The forms, with t = √(2ν)·r for Matérn ν.
const (
	RBF      Correlation = iota // e^(−r²/2): kernel_ard
	Matern12                    // e⁻ᵗ: ν = 1/2
	Matern32                    // (1 + t)e⁻ᵗ: ν = 3/2
	Matern52                    // (1 + t + t²/3)e⁻ᵗ: ν = 5/2
)

// TwiceNu returns 2ν of a Matérn kernel: 1, 3 or 5.
func (k Correlation) TwiceNu() int { return 2*int(k) - 1 }

// A distance that comes from products of rows, r² = ‖z‖² + ‖x‖² − 2⟨z, x⟩, has an error of some units of the last place
// of ‖z‖² + ‖x‖², and a Matérn kernel takes its root. So ARD computes r² again, from differences, if r² is less than
// NearRows·(‖z‖² + ‖x‖²); all norms are of rows over ℓ. Below TouchingRows·(‖z‖² + ‖x‖²) the slope of Matérn 1/2, 1/r,
// is replaced by 0, as at r = 0. It would multiply the rounding errors of the sums in its gradient.
const (
	NearRows     = 1.0 / (1 << 20)
	TouchingRows = 1.0 / (1 << 44)
)

// At returns f(r²) and −2f'(r²) of a Matérn kernel for two rows, norms being ‖z‖² + ‖x‖².
func (k Correlation) At(r2, norms float64) (c, slope float64) {
	t := math.Sqrt(float64(k.TwiceNu()) * r2)
	e := math.Exp(-t)
	switch k {
	case Matern12:
		if r2 <= TouchingRows*norms {
			return e, 0
		}
		return e, e / t
	case Matern32:
		return (1 + t) * e, 3 * e
	case Matern52:
		return (1 + t*(1+t/3)) * e, 5.0 / 3 * (1 + t) * e
	}
	panic("device: this kernel has no slope of its own")
}
