//go:build !cuda || !cgo

package cuda

// Devices is empty: this program was built without the tag "cuda" or without cgo.
func Devices() ([]Info, error) {
	return nil, &NoDeviceError{"this program was built without CUDA: build it with `make build` on a machine with a C compiler"}
}
