package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/dist/mpi"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

const (
	ranksBinary = "build/ranks/bench"
	linked      = "build/ranks/allreduce"
	mpirun      = "mpirun.openmpi"
)

// ranks measures the gain of sharing a step between two processes, on one machine of two processors or more, by Open
// MPI. It compares in turns, and writes each turn to log and medians to out.
//
//	step       two processes that share a batch, beside two that do a whole one each by themselves,
//	           with a thread each: 1 where sharing costs nothing
//	allreduce  a sum of 10⁶ doubles by package mpi, beside a C program that is linked with the library
func ranks(args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("ranks", flag.ExitOnError)
	turns := flags.Int("turns", 5, "how often the two sides take turns")
	steps := flags.Int("steps", 3, "steps in a turn")
	batch := flags.Int("batch", 2000, "rows of a step")
	flags.Parse(args)
	if err := os.MkdirAll("build/ranks", 0o777); err != nil {
		return err
	}
	build := exec.Command("go", "-C", "bench", "build", "-tags", "mpi", "-o", "../"+ranksBinary, ".")
	if err := runLogged(build); err != nil {
		return err
	}
	step := fmt.Sprintf("%s rank -steps %d -batch %d", ranksBinary, *steps, *batch)
	efficiency, err := medianRatio(*turns, log, "step", func() (ours, theirs float64, err error) {
		if ours, err = printedTime(mpirun + " -np 2 " + step); err != nil {
			return 0, 0, err
		}
		theirs, err = printedTime(mpirun + " -np 2 " + step + " -alone")
		return 2 * ours, theirs, err
	})
	if err != nil {
		return err
	}
	figures := map[string]float64{"step": 1 / efficiency}
	if err := runLogged(exec.Command("mpicc.openmpi", "-O2", "-o", linked, "bench/peers/allreduce.c")); err != nil {
		fmt.Fprintln(log, "the sum of a linked program is left out, which needs mpicc.openmpi (libopenmpi-dev):", err)
	} else {
		figures["allreduce"], err = medianRatio(*turns, log, "allreduce", func() (ours, theirs float64, err error) {
			if ours, err = printedTime(mpirun + " -np 2 " + ranksBinary + " rank -numbers 1000000"); err != nil {
				return 0, 0, err
			}
			theirs, err = printedTime(mpirun + " -np 2 " + linked + " 1000000")
			return ours, theirs, err
		})
		if err != nil {
			return err
		}
	}
	text, err := json.Marshal(figures)
	fmt.Fprintln(out, string(text))
	return err
}

// medianRatio returns the median ratio of our time to theirs.
func medianRatio(turns int, log io.Writer, what string,
	measure func() (ours, theirs float64, err error)) (float64, error) {
	var ratios []float64
	for i := range turns {
		ours, theirs, err := measure()
		if err != nil {
			return 0, err
		}
		ratios = append(ratios, ours/theirs)
		fmt.Fprintf(log, "%s, turn %d: %.4g ms and %.4g ms\n", what, i+1, ours, theirs)
	}
	return median(ratios), nil
}

// printedTime runs a command and returns the number that its rank 0 prints, in milliseconds.
func printedTime(command string) (ms float64, err error) {
	words := strings.Fields(command)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	text, err := cmd.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = fmt.Errorf("%s: %w: %s", command, err, exit.Stderr)
		}
		return 0, err
	}
	_, err = fmt.Sscan(string(text), &ms)
	return ms, err
}

// rank runs one process of ranks: rank 0 prints its median time, in milliseconds, of a step or of a sum.
func rank(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("rank", flag.ExitOnError)
	steps := flags.Int("steps", 3, "steps to time")
	batch := flags.Int("batch", 2000, "rows of a step")
	alone := flags.Bool("alone", false, "do the whole batch, beside other ranks that do so")
	numbers := flags.Int("numbers", 0, "time sums of this many numbers, and no steps")
	flags.Parse(args)
	place, err := dist.Detect(os.Getenv)
	if err != nil {
		return err
	}
	c, err := mpi.Open(place)
	if err != nil {
		return err
	}
	var work func() error
	reps := *steps
	if *numbers > 0 {
		x := make([]float64, *numbers)
		work, reps = func() error { return c.AllReduce(x) }, 100
	} else if work, err = stepOf(c, *batch, *alone); err != nil {
		return err
	}
	var times []float64
	for i := range reps + 2 { // the first two are not timed: their memory is new
		if err := c.Barrier(); err != nil {
			return err
		}
		start := time.Now()
		if err := work(); err != nil {
			return err
		}
		if i > 1 {
			times = append(times, time.Since(start).Seconds()*1e3)
		}
	}
	if c.Rank() == 0 {
		fmt.Fprintln(out, median(times))
	}
	return c.Close()
}

// stepOf returns a step of the preset mnist, shared or alone.
func stepOf(c dist.Comm, batch int, alone bool) (work func() error, err error) {
	size, err := workload.Preset("mnist")
	if err != nil {
		return nil, err
	}
	size.B = batch
	dev, err := device.Open("cpu")
	if err != nil {
		return nil, err
	}
	if alone {
		c = dist.Alone()
	}
	step, err := workload.NewSharedStep(dev, size, c)
	return func() error { step.Run(); return nil }, err
}
