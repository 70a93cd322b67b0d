//go:build !cuda || !cgo

package cuda

import "runtime"

// Devices returns nothing: this program was built without the tag "cuda" or without cgo.
func Devices() ([]Info, error) {
	return nil, &NoDeviceError{without(runtime.GOOS, runtime.GOARCH)}
}

// without tells where a system gets a program with CUDA.
func without(system, processor string) string {
	switch {
	case system == "windows":
		return "built without CUDA, which needs Linux: use the file of Linux in WSL"
	case system != "linux" || processor != "amd64" && processor != "arm64":
		return "built without CUDA, which needs Linux on amd64 or arm64"
	}
	return "built without CUDA: the release file for linux-" + processor + "-cuda has it, " +
		"and `make build` adds it where there is a C compiler"
}
