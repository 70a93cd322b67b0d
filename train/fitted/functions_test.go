package fitted

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// The functions of a model and of an ensemble are joint samples: equal rows are equal, and another seed gives others.
// The members of an ensemble share the samples by weight.
func TestFunctions(t *testing.T) {
	dev := must.Get(device.Open("cpu:f64"))(t)
	defer dev.Close()
	one := smallTrained()
	for i := range one.Parameters {
		for k := range one.Parameters[i].Data {
			one.Parameters[i].Data[k] = math.Sin(one.Parameters[i].Data[k])
		}
	}
	two := must.Get(NewEnsemble([]Member{{Weight: 0.75, Model: one}, {Weight: 0.25, Model: one}}))(t)
	rows := data.Rows{Columns: []string{"a", "b"}, Inputs: [][]float64{{1, -3}, {0.2, 4}, {1, -3}}}
	given := must.Get(rows.Request(one.Schema))(t)
	ds := must.Get(one.Schema.Rows(given))(t)
	for _, trained := range []*Model{one, two} {
		var heard []int
		p, err := trained.SampleFunctions(context.Background(), dev, ds, 8, 5,
			func(drawn int) { heard = append(heard, drawn) })
		must.OK(t, err)
		if !slices.Equal(slices.Compact(heard), []int{0, 1, 2, 3, 4, 5, 6, 7}) {
			t.Errorf("heard of %v functions", heard)
		}
		must.Equal(t, []int{p.S, p.N, p.C}, []int{8, 3, 1})
		must.Equal(t, []int{len(p.H), len(p.Noise)}, []int{8 * 3, 3})
		if !(p.Noise[0] > 0) {
			t.Errorf("the noise of the first row is %g", p.Noise[0])
		}
		for s := range p.S {
			h := p.H[s*p.N:][:p.N]
			if math.Abs(h[0]-h[2]) > 1e-9 {
				t.Errorf("function %d has the values %g and %g in equal rows", s, h[0], h[2])
			}
			if h[0] == h[1] {
				t.Errorf("function %d has the value %g in two rows", s, h[0])
			}
		}
		other := must.Get(trained.SampleFunctions(context.Background(), dev, ds, 8, 6, func(int) {}))(t)
		if reflect.DeepEqual(other, p) {
			t.Error("another seed gives the same functions")
		}
	}
	gone, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	cancel(why)
	if _, err := one.SampleFunctions(gone, dev, ds, 8, 5, func(int) {}); !errors.Is(err, why) {
		t.Errorf("a context that has ended gives %v", err)
	}
}
