package device

// Precision is how exact the products of Real tensors of float32 must be. It is a permission to be
// less exact, not a demand: a device without the hardware for it computes at Highest. The GP layer
// is in double in any case.
type Precision string

// The precisions, the most exact first.
const (
	Highest Precision = "highest" // float32
	Medium  Precision = "medium"  // TF32: factors of 11 bits, sums in float32
)

// Relax gives a device a precision before its first operation, and returns the one that it uses.
func Relax(d Device, p Precision) Precision {
	if r, ok := d.(interface{ Relax(Precision) Precision }); ok {
		return r.Relax(p)
	}
	return Highest
}
