package conformance

import (
	"math"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// A Matérn kernel takes the root of r². Products of rows leave an error of 1e-16 ‖z‖² in r², which would be 1e-8 ‖z‖ in
// the kernel. Rows that are near each other or the same, at norms of some 10 length-scales, have the kernel of their
// differences to nearTolerance: r² has a relative error of at most some D·2⁻⁵²/device.NearRows ≈ 1e-9 where it is not
// taken from differences, and c an error of half that times r e^−r. The diagonal of Kuu is exactly 1.
const nearTolerance = 1e-9

func nearRows(t *testing.T, dev device.Device, _ tolerances) {
	const k, m, b, d = 2, 70, 90, 5
	for _, form := range maternShapes {
		for _, lengths := range []int{d, 1} {
			r := newRandom(11)
			z, x := r.normal("z", device.Double, none, 0, 3, m, d), r.normal("x", device.Double, none, 0, 3, b, d)
			logl := r.normal("logl", device.Double, none, -0.5, 0.3, k, lengths)
			for i := range m { // offsets from 0 to 1e-1, of z from z and of x from z
				step := math.Pow(10, -float64(i%14))
				if i%14 == 0 {
					step = 0
				}
				for q := range d {
					if i%2 == 1 {
						z.data[i*d+q] = z.data[(i-1)*d+q] + step*r.NormFloat64()
					}
					x.data[i*d+q] = z.data[i*d+q] + step*r.NormFloat64()
				}
			}
			for _, same := range []bool{false, true} {
				n, other := b, x
				if same {
					n, other = m, z
				}
				a := device.ARDArgs{C: dev.New(device.Double, k, m, n), Slope: dev.New(device.Double, k, m, n),
					Z: upload(dev, z), LogLength: upload(dev, logl), Form: form}
				a.X = a.Z
				if !same {
					a.X = upload(dev, x)
				}
				dev.ARD(a)
				got, want := download(dev, a.C), make([]float64, k*m*n)
				ard(form, want, z.data, other.data, logl.data, k, d)
				for i, v := range want {
					if e := math.Abs(got[i] - v); !(e <= nearTolerance) {
						t.Fatalf("%v, %d length-scales, Kuu %v: element %d is %.17g, of differences %.17g", form,
							lengths, same, i, got[i], v)
					}
					if row := i / n % m; same && i%n == row && got[i] != 1 {
						t.Fatalf("%v: the diagonal is %.17g", form, got[i])
					}
				}
				nearGradient(t, dev, a)
			}
		}
	}
}

// slopeOf returns −c′(r)/r of a Matérn kernel, from the derivatives of correlation.
func slopeOf(form device.Correlation, r float64) float64 {
	switch form {
	case device.Matern12:
		return math.Exp(-r) / r
	case device.Matern32:
		return 3 * math.Exp(-math.Sqrt(3)*r)
	default:
		return 5.0 / 3 * (1 + math.Sqrt(5)*r) * math.Exp(-math.Sqrt(5)*r)
	}
}

// nearGradient compares dlogl and dz with sums of differences, dc being 1. What is lost is the slope times the rounding
// of ‖z‖²: some 1e-9 a pair for Matérn 1/2 (device.TouchingRows), less for the others.
func nearGradient(t *testing.T, dev device.Device, a device.ARDArgs) {
	k, m, n, d, lengths := a.C.Dim(0), a.C.Dim(1), a.C.Dim(2), a.Z.Dim(1), a.LogLength.Dim(1)
	z, x, logl, form, same := download(dev, a.Z), download(dev, a.X), download(dev, a.LogLength), a.Form, a.Z == a.X
	ones := slices.Repeat([]float64{1}, k*m*n)
	dz, dl := dev.New(device.Double, m, d), dev.New(device.Double, k, lengths)
	dev.ARDBackward(device.ARDArgs{C: put(dev, device.Double, ones, k, m, n), Z: dz, LogLength: dl}, a)
	wantZ, wantL := make([]float64, m*d), make([]float64, k*lengths)
	for i := range k * m * n {
		c, row, column := i/(m*n), i/n%m, i%n
		r, norms, sides := 0.0, 0.0, 1.0
		for q := range d {
			u, v := z[row*d+q], x[column*d+q]
			w := math.Exp(-2 * logl[c*lengths+q%lengths])
			r, norms = r+(u-v)*(u-v)*w, norms+(u*u+v*v)*w
		}
		if form == device.Matern12 && r <= device.TouchingRows*norms { // the kernel has no limit of its gradient here
			continue
		}
		g := slopeOf(form, math.Sqrt(r))
		if same {
			sides = 2
		}
		for q := range d {
			u := x[column*d+q] - z[row*d+q]
			w := math.Exp(-2 * logl[c*lengths+q%lengths])
			wantZ[row*d+q] += sides * g * u * w
			wantL[c*lengths+q%lengths] += g * u * u * w
		}
	}
	for _, p := range []struct {
		name      string
		got, want []float64
	}{{"dz", download(dev, dz), wantZ}, {"dlogl", download(dev, dl), wantL}} {
		for i, v := range p.want {
			if e := math.Abs(p.got[i] - v); !(e <= 1e-6*(1+math.Abs(v))) {
				t.Fatalf("%v, %d length-scales, Kuu %v: %s of element %d is %.12g, of differences %.12g", form,
					lengths, same, p.name, i, p.got[i], v)
			}
		}
	}
}
