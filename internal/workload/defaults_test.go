package workload

import (
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/sets"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// The step of powerplant has the operations of a training without options on powerplant.
func TestPowerplantIsByDefault(t *testing.T) {
	n := must.Get(Preset("powerplant"))(t)
	bench := newMeter(openDevice(t, "cpu:f32"))
	must.Get(NewStep(bench, n))(t).Run()

	c := must.Get(options.Resolve(nil, []options.Setting{{Key: "steps", Text: "1"}}))(t)
	c, rows, _, _, err := c.Load(nil, data.ReadControl{})
	must.OK(t, err)
	run := newMeter(openDevice(t, "cpu:f32"))
	job := &train.Job{Config: c, Device: run, Train: rows}
	must.Get(job.Run(t.Context()))(t)
	slices.Sort(bench.order)
	slices.Sort(run.order)
	if !slices.Equal(bench.order, run.order) {
		t.Errorf("operations %v, in a run %v", bench.order, run.order)
	}
	if rows.N() != n.N || rows.D() != n.D {
		t.Errorf("%d rows of %d inputs, in a run %d of %d", n.N, n.D, rows.N(), rows.D())
	}
}

// The preset sequences has the numbers of rows and classes of scop.
func TestSequencesAreScop(t *testing.T) {
	n := must.Get(Preset("sequences"))(t)
	if scop, _ := sets.Find("scop"); n.N != scop.Train || n.Classes != scop.Classes {
		t.Errorf("%+v", n)
	}
}
