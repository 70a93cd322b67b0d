//go:build cuda && cgo

package gpu

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// A step makes the calls of its record, which is what the model of the kernels reads: a change of
// them is seen. Nothing runs.
func TestLaunches(t *testing.T) {
	for name, most := range map[string]int{"mnist": 70, "protein": 61, "powerplant": 60} {
		d := openDouble(t)
		d.graphs = false
		if d.double.tiles("gemm_nn", tile+1, 1, 1).Y == 1 {
			t.Skip("the record is of GPUs whose blocks of gemm_nn have 64 rows")
		}
		n, err := workload.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := workload.NewStep(d, n)
		if err != nil {
			t.Fatal(err)
		}
		var lines strings.Builder
		calls := d.context.Trace(s.Run)
		for _, call := range calls {
			fmt.Fprintln(&lines, call)
		}
		if len(calls) > most {
			t.Errorf("%s: a step has %d calls, and had %d", name, len(calls), most)
		}
		file := "../../cuda/kernelsmodel/launches/" + name + ".txt"
		if os.Getenv("WRITE_LAUNCHES") != "" {
			if err := os.WriteFile(file, []byte(lines.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != lines.String() {
			t.Errorf("%s is not what a step launches: make launches kernels-model", file)
		}
	}
}
