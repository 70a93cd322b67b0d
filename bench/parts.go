package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/bench/parts"
)

// partFlag defines the flag -part of commands with many cells, which several processes may share.
func partFlag(flags *flag.FlagSet) *parts.Part {
	part := &parts.Part{}
	flags.Func("part", "run only part `i/n` of the cells, i from 0, beside other parts; auto is "+
		"the task of a Slurm array",
		func(text string) (err error) {
			*part, err = parts.Parse(text, os.Getenv)
			return err
		})
	return part
}

// ofPart returns the cells of a part.
func ofPart[C any](part parts.Part, cells []C) (own []C) {
	for i, c := range cells {
		if part.Has(i) {
			own = append(own, c)
		}
	}
	return own
}

// runClaimed runs a cell, unless another process runs it. name is the path of its lock file, without .lock.
func runClaimed(name string, run func() error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	release, err := parts.Claim(name + ".lock")
	if claim := (*parts.HeldError)(nil); errors.As(err, &claim) {
		fmt.Fprintf(os.Stderr, "%s runs it: it is left to that\n", claim.Owner)
		return nil
	} else if err != nil {
		return err
	}
	return errors.Join(run(), release())
}

// writeLocked writes a file under a lock, since other parts write it, too.
func writeLocked(path string, write func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	release, err := parts.Wait(path + ".lock")
	if err != nil {
		return err
	}
	return errors.Join(write(), release())
}
