package plots

import (
	"bytes"
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A line has a blue point, also where ours was not there in time.
func TestRaces(t *testing.T) {
	r := Races{Title: "races", TimeLimit: 60, Names: []string{"bike", "pol"}, Theirs: []float64{60, 3},
		Ours: []float64{4, math.Inf(1)}}
	var out bytes.Buffer
	must.OK(t, r.Write(&out))
	if blue := share(decoded(t, out.Bytes()), isBlue); blue < 0.0005 {
		t.Errorf("%.5f of the picture is blue", blue)
	}
}
