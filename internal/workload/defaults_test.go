package workload

import (
	"reflect"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/sets"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// The step of powerplant has the model and the objective of a training without options on powerplant.
func TestPowerplantIsByDefault(t *testing.T) {
	n := must.Get(Preset("powerplant"))(t)
	form, how, err := n.form()
	must.OK(t, err)
	c := must.Get(options.Resolve(nil, []options.Setting{{Key: "steps", Text: "1"}}))(t)
	c, rows, _, _, err := c.Load(nil, data.ReadControl{})
	must.OK(t, err)
	c, _, err = c.ResolveFor(t.Context(), rows)
	must.OK(t, err)
	if run := c.ModelConfig(rows); !reflect.DeepEqual(form, run) {
		t.Errorf("the model is %+v, in a run %+v", form, run)
	}
	if how.Predictive != (c.Objective == options.Predictive) || how.Batch != c.Batch {
		t.Errorf("the step is %+v, in a run %+v", how, c)
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
