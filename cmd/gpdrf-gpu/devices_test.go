package main

import (
	"io"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A run from a machine with other devices is predicted with numbers of its own type.
// Without CUDA, the library that joins GPUs is no fault.
func TestMissingNCCL(t *testing.T) {
	missing := devicesInfo{Missing: map[string]string{"cuda": "no driver", "nccl": "not installed"}}
	if lines := missing.lines(); len(lines) != 1 {
		t.Error(lines)
	}
}

func TestDeviceOfAnotherMachine(t *testing.T) {
	p := &program{ctx: t.Context(), console: console{out: io.Discard, err: io.Discard}}
	v := must.Get(p.find("eval"))(t)
	c := must.Get(newCall(v, []string{"run"}))(t)
	for trained, want := range map[string]string{"cuda:97:f64": ":f64", "cuda:97:f32": ":f32", "cpu:f64": "cpu:f64"} {
		t.Run(trained, func(t *testing.T) {
			dev, _, err := p.deviceOf(c, trained, string(device.Highest))
			must.OK(t, err)
			if !strings.HasSuffix(dev.Name(), want) {
				t.Errorf("a run of %s is predicted on %s", trained, dev.Name())
			}
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
