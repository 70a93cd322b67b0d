package rundir

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Of two damaged parts of a checkpoint, the same one is named each time.
func TestDamagedParts(t *testing.T) {
	var file bytes.Buffer
	must.OK(t, safetensors.Write(&file, map[string]string{fitted.FormatKey: CheckpointFormat}, nil))
	for range 20 {
		_, err := parseCheckpoint("c", bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err == nil || !strings.HasPrefix(err.Error(), "damaged: its result: ") {
			t.Fatal(err)
		}
	}
}

// The rows behind the intervals of a resumed run are those that it began with.
func TestIntervalsChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "a,target\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,%d.5\n", i, i*i)
	}
	must.OK(t, os.WriteFile("rows.csv", []byte(text), 0o666))
	c := resolve(t, options.Setting{Key: "data", Text: "rows.csv", From: "--data"},
		options.Setting{Key: "conformal", Text: "true", From: "--conformal"},
		options.Setting{Key: "level", Text: "0.5", From: "--level"})
	known, all, test, _, err := c.Load(nil, data.ReadControl{})
	must.OK(t, err)
	rest, held, _, err := known.HoldOutConformal(all)
	must.OK(t, err)
	here, _ := os.Getwd()
	from := &Checkpoint{Config: known, State: State{Intervals: held.Fingerprint},
		Result: &Result{Folder: here, Fingerprint: Fingerprint{rest.Fingerprint, test.Fingerprint}}}
	if _, _, err := from.Load(data.ReadControl{}); err != nil {
		t.Error(err)
	}
	from.Intervals = "of other rows"
	if _, _, err := from.Load(data.ReadControl{}); err == nil ||
		!strings.Contains(err.Error(), "the rows behind the intervals have changed since the run began") {
		t.Errorf("other rows: %v", err)
	}
}
