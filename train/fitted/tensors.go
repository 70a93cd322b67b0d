package fitted

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
)

// tensorOf returns a tensor with data of a shape, in the narrowest type.
func tensorOf(name string, data []float64, shape ...int) safetensors.Tensor {
	return safetensors.Tensor{Name: name, DType: safetensors.Narrowest(data), Shape: shape, Data: data}
}

// tensorReader takes tensors out of a file by their names. After the first error, it returns empty tensors.
type tensorReader struct {
	all map[string]safetensors.Tensor
	err error
}

func newTensorReader(all []safetensors.Tensor) *tensorReader {
	r := &tensorReader{all: map[string]safetensors.Tensor{}}
	for _, t := range all {
		r.all[t.Name] = t
	}
	return r
}

// refuse keeps the first error.
func (r *tensorReader) refuse(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// rest returns the tensors that were not taken, by name.
func (r *tensorReader) rest() (rest []safetensors.Tensor, err error) {
	for _, name := range slices.Sorted(maps.Keys(r.all)) {
		rest = append(rest, r.all[name])
	}
	return rest, r.err
}

// end returns the first error; a tensor that was not taken is one.
func (r *tensorReader) end() error {
	rest, err := r.rest()
	if err != nil || rest == nil {
		return err
	}
	return fmt.Errorf("tensor %q belongs to no part of the model", rest[0].Name)
}

// take takes a tensor of any shape.
func (r *tensorReader) take(name string) safetensors.Tensor {
	t, found := r.all[name]
	delete(r.all, name)
	if !found {
		r.refuse("tensor %q is missing", name)
	}
	if r.err != nil {
		return safetensors.Tensor{}
	}
	return t
}

// reals returns the finite numbers of a tensor of this shape, in which −1 is any number of rows.
func (r *tensorReader) reals(name string, shape ...int) []float64 {
	t := r.take(name)
	same := slices.EqualFunc(t.Shape, shape, func(is, want int) bool { return is == want || want < 0 && is > 0 })
	if !same {
		r.refuse("tensor %q has shape %v, the model needs %v", name, t.Shape, shape)
	} else if i := slices.IndexFunc(t.Data, func(v float64) bool { return v-v != 0 }); i >= 0 {
		r.refuse("tensor %q holds %g", name, t.Data[i])
	}
	if r.err != nil {
		return nil
	}
	return t.Data
}

// wholeNumbers returns the numbers of a tensor, which have to be whole and from low to high.
func (r *tensorReader) wholeNumbers(name string, low, high float64) []float64 {
	t := r.take(name)
	for _, v := range t.Data {
		if !(v >= low && v <= high) || v != math.Trunc(v) {
			r.refuse("tensor %q holds %g", name, v)
			return nil
		}
	}
	return t.Data
}

// keys returns the numbers of a tensor that halves has written.
func (r *tensorReader) keys(name string) []uint64 {
	data := r.wholeNumbers(name, 0, math.MaxUint32)
	keys := make([]uint64, len(data)/2)
	for i := range keys {
		keys[i] = uint64(data[2*i])<<32 | uint64(data[2*i+1])
	}
	return keys
}

// halves splits numbers of 64 bits, which a float64 cannot hold, into two halves of 32 bits each.
func halves(keys []uint64) []float64 {
	out := make([]float64, 0, 2*len(keys))
	for _, k := range keys {
		out = append(out, float64(k>>32), float64(uint32(k)))
	}
	return out
}

// number is a type of numbers in a file, or of those read from it.
type number interface{ int | int32 | uint32 | float64 }

// converted converts numbers to another type.
func converted[To, From number](from []From) []To {
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = To(v)
	}
	return to
}
