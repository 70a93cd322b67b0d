package memory

import (
	"strings"
	"testing"
)

// Buffers are in the group of their part of the model.
func TestGroups(t *testing.T) {
	for name, want := range map[string]string{
		"model.params.wide": "parameters", "model.params.sums": "gradients", "model.report": "report",
		"model.drf[0].integrated.params.MeanOmega": "DRF layers: frequencies", "model.gp.kuu.c": "GP layer: matrices",
	} {
		if got := groupOf[place(name)].group; got != want {
			t.Errorf("%s is in %q", name, got)
		}
	}
}

// Memory that has come back is not said to lack.
func TestLacksNothing(t *testing.T) {
	err := (&Plan{Device: "cpu:f64"}).Lacks("a step", "take less")
	if strings.Contains(err.Error(), "0 B") || !strings.Contains(err.Error(), "try once more") {
		t.Error(err)
	}
}
