package parts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

// HeldError reports that a living process has the claim.
type HeldError struct {
	Path  string
	Owner string // process and host of the owner
}

func (e *HeldError) Error() string { return fmt.Sprintf("%s: %s is at work on it", e.Path, e.Owner) }

// Claim takes the lock file at path, which names its owner, until release is called or the process ends. A lock file
// whose owner is dead is taken over, since the system has given its lock back. If another process has the lock, the
// error is a *HeldError. A file system without locks is an error, since a cell could run twice there.
func Claim(path string) (release func() error, err error) {
	f, noLock, err := atomicfile.OpenLocked(path)
	switch {
	case errors.Is(err, atomicfile.ErrLocked):
		return nil, &HeldError{Path: path, Owner: owner(path)}
	case err != nil:
		return nil, err
	case noLock != nil:
		return nil, errors.Join(fmt.Errorf("%s: file locks do not work here, and parts need them: "+
			"use another file system, or mount this one with locks: %w", path, noLock), f.Close())
	}
	host, _ := os.Hostname()
	err = f.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintf(f, "process %d on %s\n", os.Getpid(), host)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	// remove it while it is locked, so that no other process's file is removed
	return func() error { return errors.Join(os.Remove(path), f.Close()) }, nil
}

// Wait claims as Claim does, and retries, since others hold the lock only for a moment.
func Wait(path string) (release func() error, err error) {
	for {
		release, err = Claim(path)
		if !errors.As(err, new(*HeldError)) {
			return release, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// owner reads the text of a lock file, which names its owner.
func owner(path string) string {
	text, err := os.ReadFile(path)
	if line := strings.TrimSpace(string(text)); line != "" {
		return line
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return "another process"
	}
	return fmt.Sprintf("another process (%v)", err)
}
