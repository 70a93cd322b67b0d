package device

// FewDoubles says that a device computes in double at a small part of its speed in float32, as GPUs
// do that are not made for data centres. The GP layer is in double.
func FewDoubles(d Device) bool {
	few, ok := d.(interface{ FewDoubles() bool })
	return ok && few.FewDoubles()
}
