package fitted_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// counting counts the factorisations of a device.
type counting struct {
	device.Device
	factors int
}

func (d *counting) Potrf(l, jitter, c *device.Tensor) {
	d.factors++
	d.Device.Potrf(l, jitter, c)
}

// With time for all rows the scores are those of Evaluate, and without any time a few are scored.
func TestEvaluateUntil(t *testing.T) {
	rows := data.Rows{}
	for i := range 700 {
		x := float64(i%29)/7 - 2
		rows.Inputs, rows.Values = append(rows.Inputs, []float64{x, float64(i % 11)}), append(rows.Values, x*x)
	}
	set := must.Get(data.FromRows(rows))(t)
	c := must.Get(options.Resolve(nil, []options.Setting{{Key: "steps", Text: "5"}, {Key: "inducing", Text: "8"},
		{Key: "features", Text: "6"}, {Key: "eval-samples", Text: "30"}}))(t)
	dev := must.Get(device.Open("cpu"))(t)
	defer dev.Close()
	out := must.Get((&train.Job{Config: c, Device: dev, Train: set, Started: time.Now()}).Run(t.Context()))(t)
	model := out.Trained
	want := must.Get(model.Evaluate(t.Context(), dev, set, fitted.EvaluateOptions{Samples: 30}))(t)
	later := fitted.EvaluateOptions{Samples: 30, Until: time.Now().Add(time.Hour)}
	got, err := model.Evaluate(t.Context(), dev, set, later)
	if err != nil || got.Cut != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("with time: %+v, %v, expected %+v", got, err, want)
	}
	once := &counting{Device: dev}
	if _, err = model.Evaluate(t.Context(), once, set, later); err != nil || once.factors != 1 {
		t.Errorf("%d factorisations, %v", once.factors, err)
	}
	for range 2 {
		got, err = model.Evaluate(t.Context(), dev, set,
			fitted.EvaluateOptions{Samples: 30, Until: time.Now().Add(-time.Hour)})
		if err != nil || got.Cut == nil || *got.Cut != (fitted.Cut{Rows: 16, Samples: 30}) ||
			len(got.Kept.Rows) != 16 || got.Kept.Rows[15] < 16 {
			t.Errorf("without time: %+v, %v", got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = model.Evaluate(ctx, dev, set, later); err != context.Canceled {
		t.Errorf("interrupted: %v", err)
	}
}
