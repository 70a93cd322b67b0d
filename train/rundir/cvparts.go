package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/parts"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Several processes may train folds of one cross-validation, which they share by its folder alone:
// each has joined it, and claims a fold before it looks at it.

// Join lets this process train folds beside others that have joined, until release is called. A
// process that has the Lock keeps them out, and they it.
func (cv *CV) Join() (release func(), err error) {
	f, err := os.Open(cv.path)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Share(f); errors.Is(err, atomicfile.ErrLocked) {
		return nil, errors.Join(usererror.Errorf("%s: another process is training in it, without --set part: "+
			"wait for it", cv.path), f.Close())
	} else if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: file locks do not work here, and parts need them: %w",
			cv.path, err), f.Close())
	}
	cv.joined = true
	return func() { f.Close() }, nil
}

// Claim takes a fold until release is called, and looks how it stands. If another process has it,
// the error is a *parts.HeldError.
func (cv *CV) Claim(fold int) (release func() error, err error) {
	release, err = parts.Claim(cv.FoldPath(fold) + ".lock")
	if err != nil {
		return nil, err
	}
	if err := cv.look(); err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// ClaimPredictions takes the predictions of all rows, as Claim takes a fold.
func (cv *CV) ClaimPredictions() (release func() error, err error) {
	return parts.Claim(filepath.Join(cv.path, OutOfFoldFile+".lock"))
}

// alone calls f while no other process writes cv.json, with the failures that these have noted.
func (cv *CV) alone(f func() error) error {
	release, err := parts.Wait(filepath.Join(cv.path, cvFile+".lock"))
	if err != nil {
		return err
	}
	now, err := OpenCV(cv.path)
	if err == nil {
		for i := range cv.Runs {
			cv.Runs[i].Failure = now.Runs[i].Failure
		}
		err = f()
	}
	return errors.Join(err, release())
}

// SameAs refuses a cross-validation that was asked for in another way than this one.
func (cv *CV) SameAs(asked *CV) error {
	same := func(a, b options.Setting) bool { return a.Key == b.Key && a.Text == b.Text }
	if cv.Folds != asked.Folds || cv.OwnFolds != asked.OwnFolds || !slices.EqualFunc(cv.Options, asked.Options, same) {
		return usererror.Errorf("--out: %s holds a cross-validation with other options or folds: all parts "+
			"have the same: give them again, or another folder", cv.path)
	}
	return nil
}
