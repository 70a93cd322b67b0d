package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// row is an operation, with its Backward.
type row struct {
	ops     []string // methods that the row covers
	variant string   // case of these methods, or ""
	sizes   [][]int  // arguments of build; never only multiples of a block
	build   func(r *random, size []int) *problem
	// nmse is the error that float32 may make, in the value and in the gradient; 0 for operations in double. Rounding
	// alone gives about 1e-14.
	nmse   float64
	reason string // reason why nmse is not 1e-12; "" if it is
	// products is set where the operation is mostly products of Real tensors.
	products bool
}

// given returns the build of a problem with one more argument.
func given[A any](build func(*random, []int, A) *problem, a A) func(*random, []int) *problem {
	return func(r *random, size []int) *problem { return build(r, size, a) }
}

func (r row) name() string {
	if r.variant != "" {
		return r.ops[0] + "/" + r.variant
	}
	return r.ops[0]
}

// label names a row's case among all rows.
func (r row) label(size []int) string { return r.name() + " " + label(size) }

func label(size []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(size), " ", "x"), "[]")
}

// problem is one case of a row: arrays with values, and three ways to use them.
type problem struct {
	in, out []*array
	// naive is the truth: out from in.
	naive func(in, out [][]float64)
	// forward runs the operation.
	forward func(dev device.Device, in, out []*device.Tensor)
	// backward runs its vector-Jacobian product; nil without one. The gradient of an array is nil if the operation does
	// not give it.
	backward func(dev device.Device, in, out, din, dout []*device.Tensor)
	// cotangent replaces the random cotangent of out[0] for an operation that sets the scale of its gradient, such as
	// N/B. The value may have another factor.
	cotangent []float64
}

// array is an argument of an operation.
type array struct {
	name  string
	dtype device.DType
	shape []int
	data  []float64 // values; whole numbers for an Int array
	grad  gradient
}

// gradient is the way in which Backward writes the gradient of an array.
type gradient int

const (
	none   gradient = iota
	adds            // Backward adds, as for parameters
	writes          // Backward overwrites, as for activations
)

// filler is the value of gradients before Backward, which adds to it or overwrites it.
const filler = 0.5

// with gives a problem an operation whose tensors are a struct, which args makes of arrays and results, or of their
// gradients; and its Backward.
func with[A any](p *problem, args func(in, out []*device.Tensor) A, forward func(device.Device, A),
	backward func(dev device.Device, g, a A)) *problem {
	a, g := once(args), once(args)
	p.forward = func(dev device.Device, in, out []*device.Tensor) { forward(dev, a(in, out)) }
	p.backward = func(dev device.Device, in, out, din, dout []*device.Tensor) {
		backward(dev, g(din, dout), a(in, out))
	}
	return p
}

// once keeps the arguments of the second call, so that others allocate nothing. The first call may make memory that
// belongs to them.
func once[A any](args func(in, out []*device.Tensor) A) func(in, out []*device.Tensor) A {
	var kept A
	calls := 0
	return func(in, out []*device.Tensor) A {
		if calls++; calls <= 2 {
			kept = args(in, out)
		}
		return kept
	}
}

// withValue acts as with does, for an operation that writes a number, and its gradients in the same pass. The gradients
// are multiplied by weight, the number is not.
func withValue[A any](p *problem, weight float64, args func(in []*device.Tensor) A,
	op func(dev device.Device, value *device.Tensor, g, a A)) *problem {
	p.out, p.cotangent = []*array{zeros("value", device.Double, 1)}, []float64{weight}
	of := func(in, _ []*device.Tensor) A { return args(in) }
	a, unused, g := once(of), once(of), once(of)
	var room []*device.Tensor
	p.forward = func(dev device.Device, in, out []*device.Tensor) {
		if room == nil {
			room = gradients(dev, p.in)
		}
		op(dev, out[0], unused(room, nil), a(in, nil))
	}
	p.backward = func(dev device.Device, in, out, din, _ []*device.Tensor) { op(dev, out[0], g(din, nil), a(in, nil)) }
	return p
}

// gradients makes room for the gradients of arrays; nil for arrays without a gradient.
func gradients(dev device.Device, arrays []*array) []*device.Tensor {
	ts := make([]*device.Tensor, len(arrays))
	for i, a := range arrays {
		if a.grad != none {
			ts[i] = dev.New(a.dtype, a.shape...)
		}
	}
	return ts
}

// random makes arrays. Real ones get values that float32 holds exactly, so that the naive loops and a device in single
// precision start from the same numbers.
type random struct{ *rand.Rand }

func newRandom(seed uint64) *random { return &random{rand.New(rand.NewPCG(seed, 1))} }

// normal returns an array of mean + sd·N(0,1).
func (r *random) normal(name string, dtype device.DType, g gradient, mean, sd float64, shape ...int) *array {
	a := zeros(name, dtype, shape...)
	a.grad = g
	for i := range a.data {
		a.data[i] = mean + sd*r.NormFloat64()
		if dtype == device.Real {
			a.data[i] = float64(float32(a.data[i]))
		}
	}
	return a
}

// below returns an Int array of numbers under n.
func (r *random) below(name string, n int, shape ...int) *array {
	a := zeros(name, device.Int, shape...)
	for i := range a.data {
		a.data[i] = float64(r.IntN(n))
	}
	return a
}

func zeros(name string, dtype device.DType, shape ...int) *array {
	return &array{name: name, dtype: dtype, shape: shape, data: make([]float64, device.Volume(shape))}
}

func upload(dev device.Device, a *array) *device.Tensor {
	t := dev.New(a.dtype, a.shape...)
	if a.dtype != device.Int {
		dev.Upload(t, a.data)
		return t
	}
	ints := make([]int32, len(a.data))
	for i, v := range a.data {
		ints[i] = int32(v)
	}
	dev.UploadInts(t, ints)
	return t
}

func download(dev device.Device, t *device.Tensor) []float64 {
	x := make([]float64, t.Len())
	dev.Download(x, t)
	return x
}

// test runs one case of a row: the values against the naive loops, the gradients against central differences of the
// naive loops.
func (r row) test(t *testing.T, dev device.Device, tol tolerances, size []int) {
	rnd := newRandom(7)
	p := r.build(rnd, size)
	in, out := tensors(dev, p.in), tensors(dev, p.out)
	for i, a := range p.out { // an operation's results must not depend on the old contents
		dev.Upload(out[i], slices.Repeat([]float64{math.NaN()}, len(a.data)))
	}
	p.forward(dev, in, out)
	vin, vout := values(p.in), values(p.out)
	p.naive(vin, vout)
	for i, a := range p.out {
		r.bound(tol, valueError, tol.products).compare(t, a.name, download(dev, out[i]), vout[i])
	}
	if p.backward == nil {
		return
	}
	din, dout := gradients(dev, p.in), make([]*device.Tensor, len(out))
	cotangents := make([][]float64, len(out))
	for i, a := range p.out {
		c := rnd.normal(a.name, a.dtype, none, 0, 1, a.shape...)
		if i == 0 && p.cotangent != nil {
			c.data = p.cotangent
		}
		dout[i], cotangents[i] = upload(dev, c), c.data
	}
	for i, a := range p.in {
		if a.grad != none {
			dev.Upload(din[i], slices.Repeat([]float64{filler}, len(a.data)))
		}
	}
	p.backward(dev, in, out, din, dout)
	if testing.Short() { // the race detector asks for the calls, and slows the naive loops down
		t.Skip("with -short no gradient is compared with central differences")
	}
	if truth[r.label(size)] == nil {
		truth[r.label(size)] = p.probe(rnd, vin, vout, cotangents)
	}
	for i, a := range p.in {
		if a.grad == none {
			continue
		}
		got := download(dev, din[i])
		if a.grad == adds {
			for k := range got {
				got[k] -= filler
			}
		}
		probes := truth[r.label(size)][i]
		r.bound(tol, gradientError, tol.productGradients).compare(t, "gradient of "+a.name, probes.along(got),
			probes.Want)
	}
}

// bound is the largest error that numbers may have: a normalised mean square error, or a relative error.
type bound struct{ nmse, relative float64 }

func (r row) bound(tol tolerances, relative, products float64) bound {
	switch {
	case !tol.single || r.nmse == 0:
		return bound{relative: relative}
	case r.products:
		return bound{nmse: max(r.nmse, products)}
	}
	return bound{nmse: r.nmse}
}

func (b bound) compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if b.nmse > 0 {
		if e := nmse(got, want); !(e <= b.nmse) {
			t.Errorf("%s: NMSE %.3g, want at most %g", what, e, b.nmse)
		}
	} else if e := relativeError(got, want); e > b.relative {
		t.Errorf("%s: relative error %.3g, want at most %g", what, e, b.relative)
	}
}

func tensors(dev device.Device, arrays []*array) []*device.Tensor {
	ts := make([]*device.Tensor, len(arrays))
	for i, a := range arrays {
		ts[i] = upload(dev, a)
	}
	return ts
}

func values(arrays []*array) [][]float64 {
	v := make([][]float64, len(arrays))
	for i, a := range arrays {
		v[i] = a.data
	}
	return v
}
