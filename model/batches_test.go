package model

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// A batch from the host has the rows that the device draws, and the gradient of these rows. The first rows of such data
// have the same predictions as the rows of data on the device.
func TestStreamForTraining(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	f := newFixture(t, dev, gpdrfConfig())
	const n, batch = 300, 37
	x, y := make([]float64, n*3), make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	for i := range y {
		y[i] = math.Cos(float64(i))
	}
	rows := func(lo, hi int) []float64 { return slices.Clone(x[3*lo : 3*hi]) }
	weighted := HostRows{N: n, X: rows, Weight: make([]float64, n)}
	for i := range weighted.Weight {
		weighted.Weight[i] = float64(i % 4)
	}
	here, there := f.m.UploadRows(weighted, y, nil), f.m.StreamForTraining(weighted, y, nil, batch)
	pass := f.m.NewChunkedWorkspace(2, batch, 3)
	gradient := func(data *Rows, number uint32) []float64 {
		key := device.Key{Seed: 5, Step: device.StepNumber{N: number}, Site: device.SiteBatch}
		dev.DrawRows(pass.Rows(), n, key)
		if data.SendsBatches() {
			data.SendBatch(device.Key{Seed: 6}) // another batch, which is not used
			data.SendBatch(key)
			data.AwaitBatch()
		}
		f.m.Gradient(pass, data, GradientArgs{Seed: 5, Step: key.Step, KLWeight: device.Scalar{Value: 1}})
		got := make([]float64, f.m.Params().Len())
		dev.Download(got, f.m.Params().Grad)
		return got
	}
	for number := range uint32(3) {
		if a, b := gradient(here, number), gradient(there, number); !slices.Equal(a, b) {
			t.Errorf("batch %d: the gradient is %v, of rows on the device %v", number, b, a)
		}
	}
	var predicted [2]*Prediction
	for i, data := range []*Rows{here, there} {
		var err error
		if predicted[i], err = f.m.Predict(data.Head(280), 5, 9); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(predicted[0], predicted[1]) {
		t.Error("the first rows predict something else")
	}
}
