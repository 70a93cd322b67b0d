package serve

import (
	"math"
	"slices"
)

// Datatype is the type of a tensor's elements, by the protocol's name.
type Datatype string

// The types that requests may have. Answers have FP64 and BYTES.
const (
	FP32  Datatype = "FP32"
	FP64  Datatype = "FP64"
	INT64 Datatype = "INT64"
	Bytes Datatype = "BYTES"
)

func (d Datatype) check() error {
	if slices.Contains([]Datatype{FP32, FP64, INT64, Bytes}, d) {
		return nil
	}
	return badf("datatype %q: give FP32, FP64, INT64 or BYTES", d)
}

// size is how many bytes a number takes in raw form.
func (d Datatype) size() int {
	if d == FP32 {
		return 4
	}
	return 8
}

// Tensor is one of a request or of an answer, row-major: its numbers or, of BYTES, its texts.
type Tensor struct {
	Name    string
	Type    Datatype
	Shape   []int64
	Numbers []float64
	Texts   []string
}

// TensorSpec is a tensor in the metadata of a model. A size of −1 is any.
type TensorSpec struct {
	Name  string   `json:"name"`
	Type  Datatype `json:"datatype"`
	Shape []int64  `json:"shape"`
}

// maxRank is the most dimensions of a tensor: no model has more.
const maxRank = 4

// elements is the number of elements of a shape, up to most.
func elements(name string, shape []int64, most int) (int, error) {
	if len(shape) == 0 || len(shape) > maxRank {
		return 0, badf("input %q has %d dimensions: give 1 to %d", name, len(shape), maxRank)
	}
	n := int64(1)
	for _, d := range shape {
		if d < 0 || d > math.MaxInt32 {
			return 0, badf("input %q has the shape %v", name, shape)
		}
		if d > 0 && n > int64(most)/d {
			return 0, &Error{tooLarge, "input " + quote(name) +
				" has more elements than a request may hold: send fewer rows at a time"}
		}
		n *= d
	}
	return int(n), nil
}
