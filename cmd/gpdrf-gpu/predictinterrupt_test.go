//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestPredictInterrupted presses Ctrl-C in the middle of predict. The exit code is 130, an old output file is
// unchanged, and no other file is there, not even that of --skip-bad.
func TestPredictInterrupted(t *testing.T) {
	table := must.Get(os.ReadFile("testdata/houses.csv"))(t)
	folder := t.TempDir()
	run, many := filepath.Join(folder, "run"), filepath.Join(folder, "many.csv")
	train := exec.Command("gpdrf-gpu", "train", "--data", "testdata/houses.csv", "--steps", "5", "--inducing", "4",
		"--model", "gp", "--set", "report=false", "--quiet", "--out", run)
	if said, err := train.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	header, rows, _ := bytes.Cut(table, []byte("\n"))
	rows = append(bytes.TrimRight(rows, "\n"), "\nnonsense,1,2\n"...)
	const size = 40 << 20 // size of the input in bytes, for some seconds of work
	text := append(bytes.Clone(header), '\n')
	must.OK(t, os.WriteFile(many, append(text, bytes.Repeat(rows, size/len(rows))...), 0o600))
	for _, format := range []string{"csv", "jsonl", "arrow", "parquet"} {
		t.Run(format, func(t *testing.T) {
			folder := t.TempDir()
			out := filepath.Join(folder, "out."+format)
			must.OK(t, os.WriteFile(out, []byte("before"), 0o600))
			predict := exec.Command("gpdrf-gpu", "predict", run, "--data", many, "--out", out,
				"--skip-bad", filepath.Join(folder, "bad.csv"))
			var said bytes.Buffer
			predict.Stderr = &said
			must.OK(t, predict.Start())
			defer time.AfterFunc(patience, func() { predict.Process.Kill() }).Stop()
			for deadline := time.Now().Add(patience / 2); len(filesIn(folder)) < 2; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("no output has begun")
				}
			}
			time.Sleep(20 * time.Millisecond) // Predict comes to the rows meanwhile.
			must.OK(t, predict.Process.Signal(syscall.SIGINT))
			err := predict.Wait()
			if code := predict.ProcessState.ExitCode(); code != exitInterrupted {
				t.Errorf("exit code %d, %v", code, err)
			}
			if !strings.Contains(said.String(), "interrupted: nothing was written") {
				t.Errorf("it said\n%s", said.String())
			}
			if text, err := os.ReadFile(out); string(text) != "before" {
				t.Errorf("the file that was there has %d bytes, %v", len(text), err)
			}
			if left := filesIn(folder); !slices.Equal(left, []string{"out." + format}) {
				t.Errorf("the folder has %q", left)
			}
		})
	}
}

func filesIn(folder string) (names []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
