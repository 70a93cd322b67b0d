package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/internal/parts"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// claimedError is the error of a fold that another process trains, or has trained.
type claimedError struct{ why string }

func (e *claimedError) Error() string { return e.why }

// readPart reads the key part. It needs --out, so that all parts have one folder.
func (v *crossValidation) readPart() (err error) {
	text, given := v.req.call.text("part")
	if !given {
		return nil
	}
	if v.part, err = parts.Parse(text, os.Getenv); err != nil {
		return v.req.call.errorf("part", "%w", err)
	}
	if v.cv.Path() == "" && v.req.outDir == "" {
		return v.req.call.errorf("part", "all parts work in one folder: give --out DIR, the same for each")
	}
	return nil
}

// shares reports whether other processes may train folds of the same cross-validation.
func (v *crossValidation) shares() bool { return v.part.Count > 0 }

// openSame opens the cross-validation in a folder. It must have the options of the requested one.
func openSame(path string, requested *rundir.CV) (*rundir.CV, error) {
	cv, err := rundir.OpenCV(path)
	if err != nil {
		return nil, err
	}
	return cv, cv.SameAs(requested)
}

// beginShared makes the folder, or opens it if another part has made it meanwhile.
func (v *crossValidation) beginShared(guard *exitGuard) error {
	if err := os.MkdirAll(filepath.Dir(v.req.outDir), 0o777); err != nil {
		return err
	}
	release, err := parts.Wait(filepath.Clean(v.req.outDir) + ".lock")
	if err != nil {
		return err
	}
	if rundir.IsCV(v.req.outDir) {
		var cv *rundir.CV
		if cv, err = openSame(v.req.outDir, v.cv); err == nil {
			*v.cv = *cv
		}
	} else {
		err = guard.write(func() error { return v.cv.Place(v.req.outDir) })
	}
	if err = errors.Join(err, release()); err != nil {
		return err
	}
	v.release, err = v.cv.Lock(true)
	return err
}

// claim takes a fold for this part. The error is a *claimedError if another process trains it, or has trained it
// meanwhile.
func (v *crossValidation) claim(k int) (err error) {
	if !v.shares() {
		return nil
	}
	other := (*parts.HeldError)(nil)
	if v.unclaim, err = v.cv.Claim(k); errors.As(err, &other) {
		return &claimedError{other.Owner + " trains it: it is left to that"}
	}
	if err != nil || v.cv.IsPending(k) {
		return err
	}
	return &claimedError{"another part has trained it"}
}

// doOnce does work that only one part is to do, unless another process does it.
func (v *crossValidation) doOnce(claim func() (func() error, error), do func() error) error {
	if !v.shares() {
		return do()
	}
	release, err := claim()
	if errors.As(err, new(*parts.HeldError)) {
		return nil
	} else if err != nil {
		return err
	}
	if v.cv.Predicts() { // no other part has done the work meanwhile
		err = do()
	}
	return errors.Join(err, release())
}
