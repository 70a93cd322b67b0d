package main

import (
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// The same result always has the same line, also one that another program wrote with both scores.
func TestValidationLineIsDeterministic(t *testing.T) {
	for range 20 {
		line := validationLine(&rundir.Validation{NLPD: new(1.5), NLL: new(2.5)})
		if !strings.Contains(line, ": nlpd 1.5000 at") {
			t.Fatal(line)
		}
	}
}
