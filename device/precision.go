package device

// Precision is the exactness that products of Real tensors of float32 must have. It permits a device to be less exact:
// a device without the hardware for it computes at Highest. The GP layer is in double in any case.
type Precision string

// The precisions, the most exact first.
const (
	Highest Precision = "highest" // float32
	Medium  Precision = "medium"  // TF32: factors of 11 bits, sums in float32
)

// SetPrecision gives a device a precision before its first operation, and returns the one that it uses.
func SetPrecision(d Device, p Precision) Precision {
	if r, ok := d.(interface{ SetPrecision(Precision) Precision }); ok {
		return r.SetPrecision(p)
	}
	return Highest
}
