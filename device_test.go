package gpdrf

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
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
