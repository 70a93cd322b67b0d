package device

import "math"

// Activation is φ of a random-feature layer with the phases P = HΩ. Φ = √(α/R) φ(P) has two
// columns for each frequency where φ is a wave, and one otherwise.
type Activation uint8

// The activations. E Φ Φᵀ over Ω ~ N(0, ℓ⁻²) is α times a kernel of the rows over ℓ: rf_ard's for
// Waves, and the arc-cosine kernel of degree n (Cho and Saul 2009), k_n(x, x') = ‖x‖ⁿ‖x'‖ⁿ J_n(θ)/π
// with θ the angle between x and x', for ArcCosn; so k_n(x, x) is 1, ‖x‖² and 3‖x‖⁴.
const (
	Waves   Activation = iota // cos p and sin p
	ArcCos0                   // √2 where p > 0, else 0; J = π − θ
	ArcCos1                   // √2 max(0, p);           J = sin θ + (π − θ) cos θ
	ArcCos2                   // √2 max(0, p)²;          J = 3 sin θ cos θ + (π − θ)(1 + 2 cos² θ)
)

// Columns is how many columns of Φ, and rows of W, a frequency has.
func (a Activation) Columns() int {
	if a == Waves {
		return 2
	}
	return 1
}

// Degree is n of ArcCosn.
func (a Activation) Degree() int { return int(a) - 1 }

// At is φ(p) and dφ/dp of an arc-cosine kernel. The slope is 0 at p = 0, and everywhere for degree
// 0.
func (a Activation) At(p float64) (phi, slope float64) {
	if p <= 0 {
		return 0, 0
	}
	switch a {
	case ArcCos0:
		return math.Sqrt2, 0
	case ArcCos1:
		return math.Sqrt2 * p, math.Sqrt2
	case ArcCos2:
		return math.Sqrt2 * p * p, 2 * math.Sqrt2 * p
	}
	panic("device: waves have two columns")
}
