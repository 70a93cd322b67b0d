// These tests train on batches that come from the host.

package train

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
)

// testStreams compares runs whose batches come from the host with runs whose rows are on the device: all that they
// leave has the same bits.
func testStreams(t *testing.T, names ...string) {
	for _, name := range names {
		for options, set := range map[string]*data.Dataset{
			"model=gpdrf inducing=9 latents=3 features=7 samples=2 batch=17 validation=0.2": table(t, 60, 3, rings),
			"model=gp inducing=9 samples=2 batch=20 chunk=7":                                several(t),
			"model=drf features=7 samples=2 batch=18 deterministic=true":                    table(t, 60, 1, wave),
		} {
			t.Run(name+" "+options, func(t *testing.T) {
				run := func(rows string) *Outcome {
					j := jobOf(t, options+" steps=8 device="+name)
					dev := heldOut(t, j, set)
					defer dev.Close()
					j.Device, j.Test, j.place.rows = dev, set, rows
					out := must.Get(j.Run(t.Context()))(t)
					notes := strings.Join(j.Reporter.(*quiet).notes, "\n")
					if strings.Contains(notes, "stays on the host") != (rows == onHost) {
						t.Errorf("rows %q: %s", rows, notes)
					}
					return out
				}
				streamed, resident := run(onHost), run("")
				streamed.Seconds, resident.Seconds = 0, 0
				if !reflect.DeepEqual(streamed, resident) {
					t.Errorf("a run that streams ends at %+v, and %+v", streamed.Objective, resident.Objective)
				}
			})
		}
	}
}

func TestStreams(t *testing.T) { testStreams(t, "cpu:f32", "cpu:f64") }

// Rows stay on the host where they are most of what does not fit, and the plan says so. Where they are few, the batch
// goes in chunks instead.
func TestStreamsOfMemory(t *testing.T) {
	learns(t)
	set := table(t, 20000, 1, wave)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // each thread of the device has scratch
	dev := openCPU(t)
	plan := func(options string, free int64) (*memory.Plan, error) {
		j := jobOf(t, "model=gp inducing=5 q-cov=diagonal inducing-init=random steps=3 device=cpu:f32 "+options)
		j.Device, j.Train = &small{dev, free}, set
		return planned(t, j.newRun())
	}
	whole, err := plan("batch=10", math.MaxInt64)
	if err != nil || whole.Streams {
		t.Fatalf("with all memory: %v, %v", whole, err)
	}
	rows := whole.Sum("set.")
	if want := int64(20000 * 3 * 4); rows != want {
		t.Errorf("the data set takes %d bytes, want %d", rows, want)
	}
	for _, c := range []struct {
		options string
		free    int64
		want    bool
	}{
		{"batch=10", whole.Total, true}, {"batch=20000 chunk=100", whole.Total, false},
		{"batch=19000 chunk=100", 2*rows + 1, false},
	} {
		p, err := plan(c.options, c.free)
		if p == nil || p.Streams != c.want {
			t.Errorf("%s with %d bytes: %+v, %v", c.options, c.free, p, err)
			continue
		}
		said := strings.Contains(strings.Join(p.Lines(), "\n"),
			"the data set stays on the host, and each step brings its batch")
		if said != c.want || c.want && (err != nil || p.Sum("set.") > rows/100) {
			t.Errorf("%s with %d bytes: %s, %v", c.options, c.free, fmt.Sprint(p.Lines()), err)
		}
	}
}
