package device

import (
	"fmt"
	"strings"
)

// axes are the lengths of the tensors of an operation, by the letters of their axes. Every backend makes the checks of
// the files shape*.go before an operation runs. They return the lengths, or panic on a tensor of a wrong shape or type,
// which is a bug of the program. They allocate nothing.
type axes struct {
	op     string
	length [26]int
	known  [26]bool
}

// of returns the length of an axis, 0 for an unknown axis. The axis 1 has length 1.
func (x *axes) of(axis byte) int {
	if axis == '1' {
		return 1
	}
	return x.length[axis-'A']
}

func (x *axes) set(axis byte, length int) { x.length[axis-'A'], x.known[axis-'A'] = length, true }

// of3 returns the lengths of three axes.
func (x *axes) of3(a, b, c byte) (int, int, int) { return x.of(a), x.of(b), x.of(c) }

// want panics unless each tensor has the type and the axes of its pattern, as in "L[K,M,M] ell[1]". The first tensor
// with a letter tells its length. A tensor with a question mark behind its name may be nil.
func (x *axes) want(dtype DType, patterns string, tensors ...*Tensor) {
	for _, t := range tensors {
		pattern, rest, _ := strings.Cut(patterns, " ")
		x.wantOne(dtype, pattern, t)
		patterns = rest
	}
}

// wantOne checks one tensor, as want does.
func (x *axes) wantOne(dtype DType, pattern string, t *Tensor) {
	name, shape, _ := strings.Cut(strings.TrimSuffix(pattern, "]"), "[")
	name, optional := strings.CutSuffix(name, "?")
	if optional && t == nil {
		return
	}
	fits := t != nil && t.dtype == dtype && len(t.shape) == (len(shape)+1)/2
	for i := 0; fits && i < len(t.shape); i++ {
		axis := shape[2*i]
		if axis != '1' && !x.known[axis-'A'] {
			x.set(axis, t.shape[i])
		}
		fits = t.shape[i] == x.of(axis)
	}
	if fits {
		return
	}
	found, want := "nil", []int{}
	if t != nil {
		found = fmt.Sprintf("%v %v", t.dtype, t.shape)
	}
	for i := 0; i < len(shape); i += 2 {
		if n := x.of(shape[i]); shape[i] == '1' || x.known[shape[i]-'A'] {
			want = append(want, n)
		} else {
			want = append(want, -1)
		}
	}
	x.wrong(fmt.Sprintf("%s is %s, want %v %v", name, found, dtype, want))
}

// wantSize panics unless a tensor has a type and a number of elements.
func (x *axes) wantSize(dtype DType, name string, n int, t *Tensor) {
	if t == nil || t.dtype != dtype || t.size != n {
		x.wrong(fmt.Sprintf("%s is not %v with %d elements", name, dtype, n))
	}
}

func (x *axes) wrong(what string) { panic("device: " + x.op + ": " + what) }

// Is reports whether t has a type and shape; a length of −1 stands for any.
func (t *Tensor) Is(dtype DType, shape ...int) bool {
	if t.dtype != dtype || len(t.shape) != len(shape) {
		return false
	}
	for i, n := range shape {
		if n >= 0 && t.shape[i] != n {
			return false
		}
	}
	return true
}
