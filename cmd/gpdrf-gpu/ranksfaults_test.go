//go:build mpi && linux && (amd64 || arm64)

// These tests stop ranks of a job in the middle of their work.

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// A killed rank ends the job. The run continues from its checkpoint on another number of ranks, and has the bytes of a
// run that was not killed.
func TestRanksKilled(t *testing.T) {
	const steps = 200
	l := newLauncher(t, "openmpi")
	if code, said := l.run(t, 0, fmt.Sprintf(sharedRun, steps, "whole")); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	for i := range kills() {
		out := fmt.Sprint("killed", i)
		j := l.start(t, 2, fmt.Sprintf(sharedRun, steps, out))
		l.waitFor(t, j, out, 20+10*rand.IntN(10))
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		pids := j.ranksOf(t, l.program)
		if len(pids) != 2 {
			t.Fatalf("%d ranks: %s", len(pids), j.said.String())
		}
		began := time.Now()
		must.OK(t, syscall.Kill(pids[rand.IntN(2)], syscall.SIGKILL))
		if code := j.end(t); code == 0 {
			t.Errorf("exit code %d: %s", code, j.said.String())
		}
		t.Logf("the job ended %.1f s after the kill", time.Since(began).Seconds())
		code, said := l.run(t, []int{4, 1, 2, 0}[i%4], "train --resume "+out)
		if code != 0 {
			t.Errorf("resumed: exit code %d: %s", code, said)
		}
		l.sameModel(t, "whole", out, said)
	}
}

// A job saves its run at a signal to end. A job with a rank that hangs ends at its time limit.
func TestRanksStopped(t *testing.T) {
	l := newLauncher(t, "openmpi")
	j := l.start(t, 2, fmt.Sprintf(sharedRun, 1_000_000, "asked"))
	l.waitFor(t, j, "asked", 100)
	must.OK(t, j.Process.Signal(syscall.SIGTERM))
	if code := j.end(t); code == 0 {
		t.Error("a job that was asked to end has exit code 0")
	}
	if run, err := rundir.OpenRun(l.file("asked")); err != nil || !run.CanResume() {
		t.Errorf("%v: %s", err, j.said.String())
	}

	j = l.start(t, 2, fmt.Sprintf(sharedRun, 1_000_000, "hangs")+" --set comm-timeout=10s", minTimeoutVariable+"=10s")
	l.waitFor(t, j, "hangs", 100)
	pids := j.ranksOf(t, l.program)
	if len(pids) != 2 {
		t.Fatalf("%d ranks: %s", len(pids), j.said.String())
	}
	must.OK(t, syscall.Kill(pids[0], syscall.SIGSTOP))
	host, _ := os.Hostname()
	if code := j.end(t); code == 0 ||
		!strings.Contains(j.said.String(), " of 2 on "+host+" has waited 10s for the other ranks") {
		t.Errorf("exit code %d: %s", code, j.said.String())
	}
	if run, err := rundir.OpenRun(l.file("hangs")); err != nil || !run.CanResume() {
		t.Errorf("%v: %s", err, j.said.String())
	}
}

// A disk that fills up in the middle of a run ends a job in the same way as one process: the message is about the disk,
// and the last checkpoint is whole.
func TestRanksFullDisk(t *testing.T) {
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			l := newLauncher(t, name)
			disk := l.file("disk")
			must.OK(t, os.Mkdir(disk, 0o777))
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); errors.Is(err, syscall.EPERM) {
				t.Skip("only root can make a small disk")
			} else if err != nil {
				t.Fatal(err)
			}
			defer syscall.Unmount(disk, syscall.MNT_DETACH)
			code, said := l.run(t, 2, fmt.Sprintf(sharedRun, 1_000_000, "disk/run"))
			if code != 1 || !strings.Contains(said, "gpdrf-gpu: the run folder cannot be written: ") ||
				!strings.Contains(said, "no space left on device") {
				t.Errorf("%s: exit code %d: %s", name, code, said)
			}
			if run, err := rundir.OpenRun(l.file("disk/run")); err != nil || !run.CanResume() {
				t.Errorf("%s: %v: %s", name, err, said)
			}
		})
	}
}

// A rank ends with a message if another rank runs a command that does not join, and so does the job.
func TestRanksAlone(t *testing.T) {
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			l := newLauncher(t, name)
			if code, said := l.run(t, 0, fmt.Sprintf(sharedRun, 5, "served")); code != 0 {
				t.Fatalf("exit code %d: %s", code, said)
			}
			code, said := l.run(t, 1, fmt.Sprintf(sharedRun, 10, "x")+" --set comm-timeout=2s : "+
				"serve served --listen 127.0.0.1:0 --grpc-listen none", minTimeoutVariable+"=2s")
			if want := " has waited 2s for the other processes of "; code == 0 || !strings.Contains(said, want) {
				t.Errorf("%s: exit code %d, expected another and %q: %s", name, code, want, said)
			}
			if left, _ := filepath.Glob(l.file("*x*")); len(left) > 0 {
				t.Errorf("%s: left: %v", name, left)
			}
		})
	}
}
