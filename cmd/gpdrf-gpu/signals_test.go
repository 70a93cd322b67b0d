//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// kills returns the number of repetitions of tests that kill a process, KILLS or 2.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		return n
	}
	return 2
}

// SIGTERM ends a command soon, at any place: no file is half written, and a run whose scoring has begun is whole.
func TestTerminated(t *testing.T) {
	folder := t.TempDir()
	houses := must.Get(os.ReadFile("testdata/houses.csv"))(t)
	header, rows, _ := bytes.Cut(houses, []byte("\n"))
	table := filepath.Join(folder, "table.csv")
	many := append(append(bytes.Clone(header), '\n'), bytes.Repeat(append(bytes.TrimRight(rows, "\n"), '\n'), 50)...)
	must.OK(t, os.WriteFile(table, many, 0o600))
	train := func(out string) []string {
		return []string{"train", "--data", table, "--steps", "3", "--inducing", "10", "--quiet", "--set",
			"tensorboard=true", "--out", out}
	}
	if said, err := exec.Command("gpdrf-gpu", train(filepath.Join(folder, "run"))...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for name, words := range map[string][]string{
		"train":   train("out"),
		"predict": {"predict", "run", "--data", table, "--out", "out.csv"},
		"predict, drawn": {"predict", "run", "--data", table, "--out", "out.parquet", "--draws", "300000",
			"--skip-bad", "bad.csv"},
		"eval":   {"eval", "run", "--samples", "2000"},
		"report": {"report", "run", "--out", "out.html"},
	} {
		t.Run(name, func(t *testing.T) {
			for range kills() {
				place := filepath.Join(t.TempDir(), "place")
				must.OK(t, os.Mkdir(place, 0o700))
				if err := os.Symlink(filepath.Join(folder, "run"), filepath.Join(place, "run")); err != nil {
					t.Skip("no symbolic links here")
				}
				terminate(t, place, time.Duration(rand.IntN(1500))*time.Millisecond, words...)
			}
		})
	}
}

// terminate runs a command in a folder, and sends it SIGTERM after a while.
func terminate(t *testing.T, place string, after time.Duration, words ...string) {
	t.Helper()
	program := must.Get(exec.LookPath("gpdrf-gpu"))(t)
	c := exec.Command(program, words...)
	var said bytes.Buffer
	c.Dir = place
	c.Stderr = &said
	must.OK(t, c.Start())
	defer time.AfterFunc(patience, func() { c.Process.Kill() }).Stop()
	time.Sleep(after)
	began := time.Now()
	c.Process.Signal(syscall.SIGTERM) // the command may have ended before
	c.Wait()
	const busy = 5 * time.Second // the longest time to the end; 2 s are enough on an idle machine
	if took := time.Since(began); took > busy {
		t.Errorf("SIGTERM after %v: it took %v\n%s", after, took, said.String())
	}
	code := c.ProcessState.ExitCode()
	if code != exitOK && code != exitInterrupted && code != -1 { // the code is -1 if the program has not begun
		t.Errorf("SIGTERM after %v: exit code %d\n%s", after, code, said.String())
	}
	filepath.WalkDir(place, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), ".tmp-") && code != -1 {
			t.Errorf("SIGTERM after %v left %s\n%s", after, path, said.String())
		}
		return nil
	})
	run := filepath.Join(place, "out")
	if _, err := os.Stat(run); errors.Is(err, os.ErrNotExist) || code == -1 {
		return
	}
	if info, err := exec.Command(program, "info", run).CombinedOutput(); err != nil {
		t.Errorf("SIGTERM after %v: info: %v\n%s\n%s", after, err, info, said.String())
	}
}

// A bench that waits for a request ends at SIGTERM, too.
func TestTerminatedBench(t *testing.T) {
	program := must.Get(exec.LookPath("gpdrf-gpu"))(t)
	c := exec.Command(program, "bench", "--serve", "--device", "cpu", "--preset", "protein-gp", "--size", "M=8,B=20")
	in := must.Get(c.StdinPipe())(t)
	defer in.Close()
	out := must.Get(c.StdoutPipe())(t)
	must.OK(t, c.Start())
	defer time.AfterFunc(patience, func() { c.Process.Kill() }).Stop()
	must.Get(bufio.NewReader(out).ReadString('\n'))(t)
	c.Process.Signal(syscall.SIGTERM)
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
}

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
			time.Sleep(20 * time.Millisecond) // predict comes to the rows meanwhile
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
