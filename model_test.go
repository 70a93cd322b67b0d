package gpdrf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Evaluate, Predict and Suggest use one device, which stays open until Close or another SetDevice.
func TestDeviceStaysOpen(t *testing.T) {
	ctx, rows := t.Context(), Rows{Inputs: [][]float64{{1}, {2}, {3}, {4}}, Values: []float64{1, 2, 1, 2}}
	m := must.Get(Train(ctx, rows, Options{Model: ModelGP, Steps: 5, Device: "cpu"}))(t)
	evaluate := func() error { _, err := m.Evaluate(ctx, rows); return err }
	predict := func() error { _, err := m.Predict(ctx, rows); return err }
	suggest := func() error {
		_, err := m.Suggest(ctx, Rows{Inputs: rows.Inputs}, SuggestOptions{Batch: 1})
		return err
	}
	var kept device.Device
	for i, call := range []func() error{evaluate, predict, suggest, evaluate, predict} {
		must.OK(t, call())
		if i > 0 && m.dev != kept {
			t.Errorf("call %d opens another device", i)
		}
		kept = m.dev
	}
	m.SetDevice("cpu:f64")
	must.OK(t, suggest())
	must.Equal(t, m.dev.Name(), "cpu:f64")
	must.OK(t, m.Close())
	must.Equal(t, m.dev, nil)
}

// A prediction allows for any effect of a code that is not in the training rows: its intervals hold the targets. It
// does not depend on the rows beside it.
func TestNewCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	effects := make([]float64, 120)
	for i := range effects {
		effects[i] = 3 * r.NormFloat64()
	}
	table := func(n, first, last int) (rows Rows) {
		for range n {
			shop, x := first+r.IntN(last-first), r.NormFloat64()
			rows.Inputs = append(rows.Inputs, []float64{float64(7001 + shop*37%120), x})
			rows.Values = append(rows.Values, effects[shop]+x+0.3*r.NormFloat64())
		}
		return rows
	}
	ctx, train := t.Context(), table(600, 0, 60)
	m := must.Get(Train(ctx, train, Options{Model: ModelGP, Steps: 500, Device: "cpu"}))(t)
	for _, c := range []struct {
		rows   Rows
		lo, hi float64 // bounds of the mean standard deviation
	}{{table(200, 0, 60), 0.2, 1}, {table(200, 60, 120), 2, 4.5}} {
		p := must.Get(m.Predict(ctx, c.rows))(t)
		within, sd := 0, 0.0
		for i, y := range c.rows.Values {
			sd += p.SD[i] / float64(len(p.SD))
			if math.Abs(y-p.Mean[i]) < 1.645*p.SD[i] {
				within++
			}
		}
		if within < 160 || sd < c.lo || sd > c.hi {
			t.Errorf("%d of 200 targets are in 90 %% intervals, with a standard deviation of %.2f", within, sd)
		}
		alone := must.Get(m.Predict(ctx, Rows{Inputs: c.rows.Inputs[7:8]}))(t)
		must.Equal(t, alone.Mean[0], p.Mean[7])
		must.Equal(t, alone.SD[0], p.SD[7])
	}

	classes := Rows{Inputs: train.Inputs}
	for _, y := range train.Values {
		class := "low"
		if y > 0 {
			class = "high"
		}
		classes.Classes = append(classes.Classes, class)
	}
	sure := must.Get(Train(ctx, classes, Options{Model: ModelGP, Steps: 500, Device: "cpu"}))(t)
	p := must.Get(sure.Predict(ctx, Rows{Inputs: [][]float64{{1, 0}}}))(t)
	if high := p.Probabilities[0][0]; high < 0.2 || high > 0.8 {
		t.Errorf("a new code has the probability %.2f", high)
	}
}

// Each field of Options that is a value is an option of train.
func TestFieldsAreOptions(t *testing.T) {
	for f := range reflect.TypeFor[Options]().Fields() {
		switch f.Type.Kind() {
		case reflect.Pointer, reflect.Map, reflect.Func:
			continue
		}
		if key := keyOf(f); options.Find(key) == nil {
			t.Errorf("field %s: there is no option %s", f.Name, key)
		}
	}
}

// A file of another kind is no model, whatever its first bytes mean in the format of one.
func TestLoadOfAnotherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	must.OK(t, os.WriteFile(path, []byte("a,b\n1,2\n3,4\n5,6\n"), 0o644))
	_, err := Load(path)
	must.Contain(t, fmt.Sprint(err), "table.csv: no model file: give a file of Save, or the folder of a run")
}
