//go:build cuda && cgo

package gpu

import (
	"os"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// A step of each preset launches the kernels of its record in testdata/launches, in this order. make ptxas-step reads
// the records. Nothing runs here.
func TestLaunches(t *testing.T) {
	for _, preset := range []string{"mnist", "protein", "powerplant"} {
		d := openDouble(t)
		d.graphs = false
		n := must.Get(workload.Preset(preset))(t)
		s := must.Get(workload.NewStep(d, n))(t)
		var names strings.Builder
		for _, call := range d.context.Trace(s.Run) {
			names.WriteString(call.Name + "\n")
		}
		file := "testdata/launches/" + preset + ".txt"
		if os.Getenv("WRITE_LAUNCHES") != "" {
			must.OK(t, os.WriteFile(file, []byte(names.String()), 0o644))
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != names.String() {
			t.Errorf("%s is not what a step launches: run this test with WRITE_LAUNCHES=1", file)
		}
	}
}
