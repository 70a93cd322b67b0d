package device

// Activation is φ of a random-feature layer with the phases P = HΩ. Φ = √(α/R) φ(P) has two columns for each frequency
// where φ is a wave, and one otherwise.
type Activation uint8

// The activations. E Φ Φᵀ over Ω ~ N(0, ℓ⁻²) is α times a kernel of the rows over ℓ: rf_ard's for Fourier, and the
// arc-cosine kernel of degree n (Cho and Saul 2009), k_n(x, x') = ‖x‖ⁿ‖x'‖ⁿ J_n(θ)/π with θ the angle between x and x',
// for ArcCosn; so k_n(x, x) is 1, ‖x‖² and 3‖x‖⁴.
const (
	Fourier Activation = iota // cos p and sin p
	ArcCos0                   // √2 where p > 0, else 0; J = π − θ
	ArcCos1                   // √2 max(0, p);           J = sin θ + (π − θ) cos θ
	ArcCos2                   // √2 max(0, p)²;          J = 3 sin θ cos θ + (π − θ)(1 + 2 cos² θ)
)

// Columns returns the number of columns of Φ, and of rows of W, for a frequency.
func (a Activation) Columns() int {
	if a == Fourier {
		return 2
	}
	return 1
}

// Degree returns n of ArcCosn.
func (a Activation) Degree() int { return int(a) - 1 }
