//go:build !cuda || !cgo

package cuda

// Devices is empty: this program was built without the tag "cuda" or without cgo.
func Devices() ([]Info, error) {
	return nil, &NoDeviceError{"built without CUDA; `make build` adds it where there is a C compiler"}
}
