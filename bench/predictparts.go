package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// parts prints the times of the parts of predict on one thread, from CSV to CSV without a disk, and the share of the
// forward pass. If all parts gain the same by more threads, this share is the ratio of the speeds.
func (f *files) parts(name string, trained *fitted.Model) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	dev, err := device.Open("cpu:f32")
	if err != nil {
		return err
	}
	defer dev.Close()
	batch := predict.BatchRows(trained, trained.EvalSamples)
	from, err := data.OpenStream(f.path("rows", predict.CSV), trained.Schema, data.TableOptions{},
		data.ReadControl{}, nil)
	if err != nil {
		return err
	}
	defer from.Close()
	p, err := trained.NewPredictor(dev, batch, trained.EvalSamples)
	if err != nil {
		return err
	}
	var far scaling.FarRows
	to := predict.NewWriter(io.Discard, predict.CSV)
	rows := 0
	var ns [4]float64 // nanoseconds of each part
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
		clock := time.Now()
		took := func(part int) {
			ns[part] += float64(time.Since(clock).Nanoseconds())
			clock = time.Now()
		}
		ds, err := from.Next(batch)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		took(0)
		trained.AddFar(&far, ds)
		x, distances, err := trained.Rows(context.Background(), ds)
		if err != nil {
			return err
		}
		took(1)
		prediction, err := p.Predict(context.Background(), ds.N(), x)
		if err != nil {
			return err
		}
		took(2)
		if err := to.Write(predict.NewTable(trained, ds, prediction, distances, 0, 0)); err != nil {
			return err
		}
		took(3)
		rows += ds.N()
	}
	sum := 0.0
	for part := range ns {
		ns[part] /= float64(rows)
		sum += ns[part]
	}
	fmt.Fprintf(f.out, "%s, one thread: reading %.0f ns a row, scaling and distances %.0f, forward pass %.0f, "+
		"writing %.0f; share of the forward pass %.2f\n", name, ns[0], ns[1], ns[2], ns[3], ns[2]/sum)
	return nil
}
