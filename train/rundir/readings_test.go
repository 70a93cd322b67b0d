package rundir

import (
	"strings"
	"testing"
)

// A full disk leaves a part of the last line of metrics.jsonl, and the run can go on. Other lines must be whole.
func TestReadingsOfAFullDisk(t *testing.T) {
	all, err := ParseReadings([]byte("{\"step\":1,\"elbo\":-2}\n{\"step\":2,\"el"))
	if err != nil || len(all) != 1 || all[0].Step != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := ParseReadings([]byte("{\"step\":1}\n{\"st\n{\"step\":3}\n")); err == nil ||
		!strings.Contains(err.Error(), "line 2") {
		t.Errorf("a damaged line: %v", err)
	}
}
