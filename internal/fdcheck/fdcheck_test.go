package fdcheck

import (
	"math"
	"testing"
)

// f(x) = sin x0 · e^{x1} has a gradient in closed form.
func TestPartial(t *testing.T) {
	x := []float64{0.3, -0.7}
	f := func() float64 { return math.Sin(x[0]) * math.Exp(x[1]) }
	want := []float64{math.Cos(x[0]) * math.Exp(x[1]), f()}
	if e := RelativeError([]float64{Partial(f, x, 0, Step), Partial(f, x, 1, Step)}, want); e > 1e-11 {
		t.Errorf("the gradient is off by %g", e)
	}
	v := []float64{2, -3}
	if got, want := Along(f, x, v, Step), 2*want[0]-3*want[1]; math.Abs(got-want) > 1e-11 {
		t.Errorf("Along = %g, want %g", got, want)
	}
	if x[0] != 0.3 || x[1] != -0.7 {
		t.Errorf("x was left at %v", x)
	}
}

func TestMeasures(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		got, want      []float64
		relative, nmse float64
	}{
		{[]float64{1, 2}, []float64{1, 4}, 0.5, 4.0 / 17},
		{[]float64{0, 0.5}, []float64{0, 0}, 0.5, 0.25},
		{[]float64{nan, 1}, []float64{1, 1}, math.Inf(1), math.Inf(1)},
		{[]float64{1, 1}, []float64{nan, 1}, math.Inf(1), math.Inf(1)},
	} {
		if e := RelativeError(c.got, c.want); e != c.relative {
			t.Errorf("RelativeError(%v, %v) = %g, want %g", c.got, c.want, e, c.relative)
		}
		if e := NMSE(c.got, c.want); e != c.nmse {
			t.Errorf("NMSE(%v, %v) = %g, want %g", c.got, c.want, e, c.nmse)
		}
	}
}
