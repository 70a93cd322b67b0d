package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// What train and a peer print becomes a record; a package that is missing is no failure of the method.
func TestRecordOfOutput(t *testing.T) {
	r := &suiteRecord{}
	text := `{"steps": 7, "n_train": 10, "n_test": 2, "test": {"rmse": 1, "nlpd": 2, "mae": 3}}`
	must.OK(t, r.readOurs([]byte(text), numbers))
	if r.Steps != 7 || r.NTrain != 10 || r.NTest != 2 || len(r.Scores) != 2 ||
		r.Scores["nlpd"] != 2 {
		t.Errorf("%+v", r)
	}
	if err := r.readOurs([]byte(text), classes); err == nil || err.Error() != "the test has no nll" {
		t.Errorf("scores of the other kind: %v", err)
	}
	if err := r.readOurs([]byte(`{"evaluation_failed": "NaN"}`), numbers); err == nil || err.Error() != "NaN" {
		t.Errorf("a failed evaluation: %v", err)
	}
	if err := r.readOurs([]byte(strings.Replace(text, "{", `{"test_cut": {"rows": 1}, `, 1)), numbers); err == nil ||
		err.Error() != "there was time to score 1 of 2 test rows" {
		t.Errorf("a test of a part of the rows: %v", err)
	}
	peer := cellsOf("yacht", 1)[4]
	if peer.method.ours() {
		t.Fatalf("%v is ours, want one of others", peer)
	}
	if err := r.readPeer([]byte(`{"missing": "gpytorch"}`), peer, ""); !errors.Is(err, errMissing) ||
		!strings.Contains(err.Error(), "gpytorch") {
		t.Errorf("a missing package: %v", err)
	}
	if err := r.readPeer([]byte("Killed"), peer, ""); err == nil || errors.Is(err, errMissing) {
		t.Errorf("no line of JSON: %v", err)
	}
}

// A command that takes too long or crashes is a failure, one that was ended is not; paths of this machine are not in a
// record.
func TestFailuresOfCommand(t *testing.T) {
	t.Setenv("GPDRF_DATA", filepath.Join(t.TempDir(), "a b"))
	slow := &suiteRecord{Command: "sleep 60"}
	if _, err := slow.runCommand(context.Background(), 20*time.Millisecond); err == nil ||
		err.Error() != "no result within 20ms" {
		t.Errorf("a slow command: %v", err)
	}
	if slow.Took < .02 || slow.Took > 30 || slow.CPU > 1 || slow.Memory < 1e5 {
		t.Errorf("a slow command costs %+v", slow)
	}
	_, err := (&suiteRecord{Command: "cat $GPDRF_DATA/rows.csv"}).runCommand(context.Background(), time.Minute)
	if err == nil || !strings.Contains(err.Error(), "exit status 1: ") {
		t.Fatalf("a command that fails: %v", err)
	}
	text := withoutPaths(err.Error())
	must.Contain(t, text, "$GPDRF_DATA/rows.csv")
	must.Lack(t, text, os.TempDir())
	for signal, left := range map[string]bool{"KILL": true, "TERM": true, "SEGV": false, "ABRT": false} {
		file := filepath.Join(t.TempDir(), "end.sh")
		must.OK(t, os.WriteFile(file, []byte("kill -"+signal+" $$\n"), 0o666))
		_, err := (&suiteRecord{Command: "sh " + file}).runCommand(context.Background(), time.Minute)
		if err == nil || errors.Is(err, errMissing) != left {
			t.Errorf("a command that SIG%s ended: %v", signal, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := slow.runCommand(ctx, time.Minute); err == nil {
		t.Error("a command that was ended has an answer")
	}
}

// A set whose files are missing is left out, and the message names the files.
func TestMissingSets(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GPDRF_DATA", "")
	for name, want := range map[string]string{"yacht": "GPDRF_DATA", "iris": "make suite-peers",
		"music": "GPDRF_DATA"} {
		if got := cellsOf(name, 1)[0].set.missing(); !strings.Contains(got, want) {
			t.Errorf("%s: %q, expected %s in it", name, got, want)
		}
		if _, err := cellsOf(name, 1)[0].run(context.Background(), stamp{}); !errors.Is(err, errMissing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The models of a search are named with their weights, the heaviest first.
func TestChosenBy(t *testing.T) {
	run := t.TempDir()
	text := `{"steps": 5, "candidates": [{"name": "gpdrf"}, {"name": "drf", "weight": 0.25}, ` +
		`{"name": "gp, matern32", "weight": 0.75}]}`
	must.OK(t, os.WriteFile(filepath.Join(run, "best.json"), []byte(text), 0o666))
	if got, err := chosenBy(run); err != nil || got != "gp, matern32: 0.75; drf: 0.25" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := chosenBy(t.TempDir()); err == nil {
		t.Error("a folder without a search has models")
	}
}

// What runs beside a cell is part of its record.
func TestLoadOfMachine(t *testing.T) {
	for text, want := range map[string]string{
		"17.42 9.10 5.00 3/200 77\n": "other work, with a load of 17", "2.10 2.00 1.90 1/99 5\n": "", "": "",
	} {
		if got := otherWork(text); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}

func TestLackedMemory(t *testing.T) {
	for text, want := range map[string]int{"": 0, "pgfault 3\nswap_ra 0\n": 0,
		"pgfault 3\noom_kill 12\nswap_ra 0\n": 12} {
		if got := lackedMemory(text); got != want {
			t.Errorf("%q: %d, expected %d", text, got, want)
		}
	}
}
