//go:build cuda && cgo

// This test moves a run from the GPU to a faster CPU.

package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// The driver test double is far slower than the CPU. A run with short steps moves to the CPU and records that; another
// run stays, and nothing is measured on the CPU. The measurement does not change the model.
func TestFaster(t *testing.T) {
	dev, why, err := device.OpenAuto(func(string) {})
	if err != nil || why != "" {
		t.Skipf("needs the driver test double: make test-cuda-script: %s %v", why, err)
	}
	c, err := options.Resolve(nil, []options.Setting{{Key: "data", Text: "testdata/houses.csv"},
		{Key: "steps", Text: "3"}, {Key: "inducing", Text: "8"}, {Key: "features", Text: "8"}})
	must.OK(t, err)
	var said bytes.Buffer
	p := &program{ctx: t.Context(), console: console{out: &said, err: &said}}
	job := &train.Job{Config: p.withDevice(dev, c), Device: dev}
	job.Config, job.Train, job.Test, _, err = job.Config.Load(nil, data.ReadControl{})
	must.OK(t, err)
	if p.chooseFaster(t.Context(), job, time.Nanosecond); job.Device != dev || said.Len() > 0 {
		t.Errorf("a long step is moved to %s: %s", job.Device.Name(), &said)
	}
	p.chooseFaster(t.Context(), job, time.Minute)
	want := "training on cpu:f32: a step takes "
	lines := strings.Count(said.String(), "\n")
	if !strings.HasPrefix(said.String(), want) || lines != 1 {
		t.Errorf("said %q, want %q", &said, want)
	}
	defer job.Device.Close()
	if name := job.Device.Name(); name != "cpu:f32" || job.Config.Device != name {
		t.Fatalf("the run is on %s, and records %s", name, job.Config.Device)
	}
	measured := fit(t, job)
	cpu := must.Get(device.Open("cpu"))(t)
	defer cpu.Close()
	job.Device = cpu
	if alone := fit(t, job); measured != alone {
		t.Errorf("the bound is %g after measuring, and %g without", measured, alone)
	}
}

// fit returns the bound at the end of a run.
func fit(t *testing.T, job *train.Job) float64 {
	t.Helper()
	return must.Get(job.Run(t.Context()))(t).Objective.Value
}
