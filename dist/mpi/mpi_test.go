//go:build mpi && linux && (amd64 || arm64)

package mpi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/dist/disttest"
)

// The tests start this program under mpirun, once for each rank.
func TestMain(m *testing.M) { disttest.Main(m, rank) }

// rank runs the task of one process of a job.
func rank(mode string) error {
	place, err := dist.Detect(os.Getenv)
	if err != nil {
		return err
	}
	c, err := Open(place)
	if err != nil {
		return err
	}
	switch mode {
	case "check":
		maxCount = 30_011 // the calls take several pieces
		err = disttest.Check(c)
	case "nil": // a mistake of ours is a panic, as without MPI
		func() {
			defer func() { err = fmt.Errorf("%v", recover()) }()
			var p *int
			*p = 1
		}()
		if !strings.Contains(err.Error(), "nil pointer") {
			return err
		}
		err = c.Close()
	case "exit", "panic", "abort", "hang":
		for i := range 1000 {
			if i == 5 && c.Rank() == 1 {
				fault(mode, c)
			}
			w := dist.WithTimeout(c, 500*time.Millisecond, func(call string) {
				fmt.Fprintf(os.Stderr, "late: %s\n", call)
				c.Abort(9)
			})
			if err := w.AllReduce(make([]float64, 1000)); err != nil {
				return err
			}
		}
	}
	if err == nil {
		fmt.Printf("rank %d of %d: done with %s\n", c.Rank(), c.Size(), c)
	}
	return err
}

func fault(mode string, c dist.Comm) {
	switch mode {
	case "exit":
		os.Exit(3)
	case "panic":
		panic("boom")
	case "abort":
		c.Abort(7)
	case "hang":
		time.Sleep(time.Minute)
	}
}

// engine is an MPI library of this machine, with its mpirun.
type engine struct {
	name, mpirun, library string
	// numbers of ranks to test with: MPICH is slow with more ranks than processors
	ranks []int
}

// engines finds the MPI libraries of this machine. REQUIRE_MPI says that all must be there.
func engines(t *testing.T) (all []engine) {
	t.Helper()
	missing := func(format string, args ...any) {
		if os.Getenv("REQUIRE_MPI") != "" {
			t.Errorf(format, args...)
		} else {
			t.Logf(format, args...)
		}
	}
	for _, name := range []string{"openmpi", "mpich"} {
		if path, err := exec.LookPath("mpirun." + name); err == nil {
			all = append(all, engine{name, path, "", map[string][]int{"openmpi": {1, 2, 4}, "mpich": {2, 4}}[name]})
		} else {
			missing("there is no %s: make mpi", name)
		}
	}
	if len(all) == 0 || all[len(all)-1].name != "mpich" {
		return all
	}
	double := filepath.Join(t.TempDir(), "libmpi_abi.so.1")
	compile := exec.Command("cc", "-O1", "-fPIC", "-shared", "-o", double, "testdata/abi.c", "-ldl")
	if out, err := compile.CombinedOutput(); err != nil {
		missing("the double of the MPI ABI: %v: %s", err, out)
		return all
	}
	return append(all, engine{"abi", all[len(all)-1].mpirun, double, []int{2}})
}

// run starts ranks in a mode.
func (e engine) run(t *testing.T, ranks int, mode string) (out string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, e.mpirun, "-np", fmt.Sprint(ranks), os.Args[0])
	c.Env = append(os.Environ(), disttest.Mode+"="+mode, LibraryVariable+"="+e.library, "OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1", "GORACE=atexit_sleep_ms=0")
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, &text
	err = c.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s, %d ranks, %s: it hangs: %s", e.name, ranks, mode, text.String())
	}
	return text.String(), err
}

func TestConformance(t *testing.T) {
	for _, e := range engines(t) {
		for _, ranks := range e.ranks {
			out, err := e.run(t, ranks, "check")
			if err != nil || strings.Count(out, ": done with ") != ranks {
				t.Errorf("%s, %d ranks: %v: %s", e.name, ranks, err, out)
			}
		}
		if out, err := e.run(t, 2, "nil"); err != nil {
			t.Errorf("%s, a nil pointer: %v: %s", e.name, err, out)
		}
	}
}

// If one rank fails in any way, all end, and mpirun fails.
func TestFaults(t *testing.T) {
	for _, e := range engines(t) {
		for _, mode := range []string{"exit", "panic", "abort", "hang"} {
			start := time.Now()
			out, err := e.run(t, 2, mode)
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() <= 0 || strings.Contains(out, ": done with ") {
				t.Errorf("%s, %s: %v: %s", e.name, mode, err, out)
			}
			if mode == "hang" && !strings.Contains(out, "late: sum") {
				t.Errorf("%s, %s: %s", e.name, mode, out)
			}
			t.Logf("%s, %s: %.1f s", e.name, mode, time.Since(start).Seconds())
		}
	}
}

// A library that does not belong to the launcher is refused: each process would be a separate job.
func TestOtherLibrary(t *testing.T) {
	all := engines(t)
	if len(all) < 2 {
		t.Skip("needs Open MPI and MPICH")
	}
	wrong := engine{"openmpi with MPICH", all[0].mpirun, "libmpich.so.12", nil}
	if out, err := wrong.run(t, 2, "check"); err == nil || !strings.Contains(out, "they do not belong together") {
		t.Errorf("%v: %s", err, out)
	}
	absent := engine{"no library", all[0].mpirun, "/nowhere/libmpi.so", nil}
	if out, err := absent.run(t, 2, "check"); err == nil || !strings.Contains(out, "install openmpi-bin or mpich") {
		t.Errorf("%v: %s", err, out)
	}
}
