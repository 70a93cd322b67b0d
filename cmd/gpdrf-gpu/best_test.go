package main

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// withFree is a device with a number of free bytes.
type withFree struct {
	device.Device
	bytes int64
}

func (d withFree) Free() (int64, bool) { return d.bytes, true }

// The number of trials at a time is limited by the memory for their rows. At least one trial runs.
func TestRoomFor(t *testing.T) {
	c := must.Get(options.Resolve(nil, []options.Setting{{Key: "data", Text: "testdata/houses.csv"}}))(t)
	_, rows, _, _, err := c.Load(nil, data.ReadControl{})
	must.OK(t, err)
	one := 16 * int64(rows.N()) * int64(rows.D()+1)
	for times, want := range map[int64]int{0: 1, 1: 1, 4: 3, 100: maxJobs} {
		if got := roomFor(withFree{nil, times * one}, rows); got != want {
			t.Errorf("free memory of %d copies: %d trials, expected %d", times, got, want)
		}
	}
}
