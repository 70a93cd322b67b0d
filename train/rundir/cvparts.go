package rundir

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/parts"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Several processes may train folds of one cross-validation. They share only its folder: each process shares its Lock,
// and claims a fold before it reads the fold's standing.

// Claim takes a fold until release is called, and reads the standings. If another process has the fold, the error is a
// *parts.HeldError.
func (cv *CV) Claim(fold int) (release func() error, err error) {
	release, err = parts.Claim(cv.FoldPath(fold) + ".lock")
	if err != nil {
		return nil, err
	}
	if err := cv.readStandings(); err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// ClaimPredictions takes the work on PredictionsFile, as Claim takes a fold.
func (cv *CV) ClaimPredictions() (release func() error, err error) {
	return parts.Claim(filepath.Join(cv.path, PredictionsFile+".lock"))
}

// SameAs refuses a requested cross-validation whose options or folds differ from those of this one.
func (cv *CV) SameAs(requested *CV) error {
	if cv.Folds != requested.Folds || cv.OwnFolds != requested.OwnFolds ||
		!slices.EqualFunc(cv.Options, requested.Options, same) {
		return usererror.Errorf("--out: %s holds a cross-validation with other options or folds: all parts "+
			"have the same: give them again, or another folder", cv.path)
	}
	return nil
}

// same reports whether two settings give an option the same value.
func same(a, b options.Setting) bool { return a.Key == b.Key && a.Text == b.Text }
