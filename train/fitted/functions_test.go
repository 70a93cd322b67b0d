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
		if p.S != 8 || p.N != 3 || p.C != 1 || len(p.H) != 24 || len(p.Noise) != 3 || !(p.Noise[0] > 0) {
			t.Fatalf("%d samples of %d rows, noise %v", p.S, p.N, p.Noise)
		}
		for s := range 8 {
			if h := p.H[s*3:]; math.Abs(h[0]-h[2]) > 1e-9 || h[0] == h[1] {
				t.Errorf("function %d is %v", s, h[:3])
			}
		}
		if other, err := trained.SampleFunctions(context.Background(), dev, ds, 8, 6, func(int) {}); err != nil ||
			reflect.DeepEqual(other, p) {
			t.Errorf("another seed gives the same functions, or %v", err)
		}
	}
	gone, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	cancel(why)
	if _, err := one.SampleFunctions(gone, dev, ds, 8, 5, func(int) {}); !errors.Is(err, why) {
		t.Errorf("a context that has ended gives %v", err)
	}
}
