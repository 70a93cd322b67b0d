// Package safetensors writes and reads the safetensors format: an 8-byte little-endian length, a JSON header of that
// length, and the elements of all tensors without gaps. It holds the element types F32 and F64, and reading checks
// every number of the header.
package safetensors

import (
	"errors"
	"fmt"
	"math"
)

// Tensor is one named array. Data is row-major, whatever the type in the file.
type Tensor struct {
	Name  string
	DType string // "F32" or "F64"
	Shape []int
	Data  []float64
}

// maxHeader is the longest header that the format allows, in bytes.
const maxHeader = 100_000_000

const metadataKey = "__metadata__"

// ErrFormat is wrapped by every error about a file's content.
var ErrFormat = errors.New("not a valid safetensors file")

func formatError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrFormat}, args...)...)
}

// width returns the size of an element in bytes, 0 for a type that this package does not hold.
func width(dtype string) int64 {
	switch dtype {
	case "F32":
		return 4
	case "F64":
		return 8
	}
	return 0
}

// volume returns the number of elements of a shape; ok is false if it is negative or overflows.
func volume(shape []int) (n int64, ok bool) {
	n = 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt64/8/int64(d) {
			return 0, false
		}
		n *= int64(d)
	}
	return n, true
}
