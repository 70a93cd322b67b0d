package fitted

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
)

// PredictionBuffer returns the buffer of the output of a prediction: the numbers of every row and sample.
func PredictionBuffer(c model.Config, samples, rows int) memory.Buffer {
	return memory.Doubles("prediction", c.Components(samples), rows, c.Outputs)
}

// checkMemory refuses a prediction of n rows that does not fit the memory of a device.
func (m *Model) checkMemory(dev device.Device, n, samples int) error {
	dry, ledger := dev.Dry()
	dryModel, err := model.New(dry, m.Config)
	if err != nil {
		return err
	}
	rows := dryModel.StreamForPrediction(min(n, 1), ZeroRows(m.Config.Width()))
	if _, err := dryModel.Predict(rows, 1, 0); err != nil {
		return err
	}
	ledger.Label("device", dry)
	ledger.Label("model", dryModel)
	ledger.Rest("pass")
	step := memory.Plan{Device: dev.Name(), Batch: 1, Rows: 1, Free: memory.FreeOf(dev)}
	measure := func(samples int) *memory.Plan {
		step.Samples = samples
		return memory.New(step, ledger,
			[]memory.Buffer{memory.Doubles("parameters", dryModel.Params().Len()),
				PredictionBuffer(m.Config, samples, n)})
	}
	p := measure(samples)
	if p.Fits() {
		return nil
	}
	remedy := "predict fewer rows"
	if n := memory.Largest(samples-1, func(n int) bool { return measure(n).Fits() }); n > 0 {
		remedy = fmt.Sprintf("what fits is %s %d, or fewer rows", usererror.Flag("samples"), n)
	}
	return p.Lacks(fmt.Sprintf("the prediction of %d rows with %d samples", n, samples), remedy)
}

// ZeroRows gives rows of d zeros, for a dry device.
func ZeroRows(d int) func(lo, hi int) []float64 {
	var rows []float64
	return func(lo, hi int) []float64 {
		if n := (hi - lo) * d; len(rows) < n {
			rows = make([]float64, n)
		}
		return rows[:(hi-lo)*d]
	}
}
