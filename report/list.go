package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Entry is a line of a list of runs.
type Entry struct {
	Run   string `json:"run"` // folder of the run
	Data  string `json:"data"`
	Model string `json:"model"`
	// complete, damaged model, interrupted, unfinished (search, ensemble), "3 of 5 folds"
	Status  string     `json:"standing"`
	Began   *time.Time `json:"began"` // start of the first command; nil for runs of early versions
	Steps   int        `json:"steps"`
	Seconds float64    `json:"seconds"`            // time of training
	Cut     string     `json:"test_cut,omitempty"` // "12 of 90" test rows, if a time limit has cut the test
	RMSE    *float64   `json:"rmse,omitempty"`
	NLPD    *float64   `json:"nlpd,omitempty"`
	Error   *float64   `json:"error,omitempty"`
	NLL     *float64   `json:"nll,omitempty"`
}

// List finds the runs in a folder and in those below it. A cross-validation is one entry, with the means of its folds.
// The error of a file that cannot be read is passed to warn, and the list goes on, without the run if need be.
func List(folder string, warn func(error)) (all []Entry, err error) {
	root := folder
	if info, err := os.Lstat(folder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator) // with a separator WalkDir follows the link
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == root:
			return usererror.Errorf("%s: no such file or directory: name the folder of your runs; gpdrf-gpu train "+
				"begins one", folder)
		case err != nil && path == root:
			return &usererror.Error{Err: err}
		case err != nil:
			warn(err)
			return nil
		case !d.IsDir():
			return nil
		case strings.HasPrefix(d.Name(), ".") && path != root:
			return fs.SkipDir // such a folder is a run that is being made
		}
		e, found, err := entryOf(filepath.Clean(path))
		if e.Run != "" { // also without its history
			all = append(all, e)
		} else if err != nil {
			err = fmt.Errorf("left out: %w", err)
		}
		if err != nil {
			warn(err)
		}
		if found || err != nil {
			return fs.SkipDir
		}
		return nil
	})
	return all, err
}

// entryOf returns the entry of a folder, and reports whether the folder is a run.
func entryOf(path string) (e Entry, found bool, err error) {
	switch {
	case rundir.IsCV(path):
		e, err = cvEntry(path)
		return e, true, err
	case rundir.IsSearch(path):
		e, err = searchEntry(path)
		return e, true, err
	case !rundir.IsRun(path):
		return e, false, nil
	}
	result, err := rundir.ReadResult(path)
	e.Status = "complete"
	if err != nil {
		c, unreadable := rundir.ReadCheckpoint(path)
		if unreadable != nil {
			return e, true, err
		}
		result = c.Result
		e.Status = "unfinished"
	}
	switch {
	case e.Status == "complete" && rundir.CheckLength(path) != nil:
		e.Status = "damaged model"
	case result.Interrupted:
		e.Status = "interrupted"
	}
	e.Run = path
	e.Data = result.Data
	e.Model = result.Model
	e.Steps = result.Steps
	e.Seconds = result.Seconds
	e.Cut = cutText(result.Scored(result.NTest), result.NTest)
	if s := result.TestScores.Regression; s != nil {
		e.RMSE, e.NLPD = &s.RMSE, &s.NLPD
	} else if s := result.TestScores.Classification; s != nil {
		e.Error, e.NLL = &s.Error, &s.NLL
	}
	e.Began, err = startTime(path)
	return e, true, err
}

// cutText formats the number of scored rows of a test that was cut; "" for a whole test.
func cutText(scored, n int) string {
	if scored == n {
		return ""
	}
	return fmt.Sprintf("%d of %d", scored, n)
}

// searchEntry returns the entry of a search that has not ended, with the steps of its trainings so far.
func searchEntry(path string) (e Entry, err error) {
	var state struct { // it is a part of best.State
		Given      []options.Setting
		Used       time.Duration
		Candidates []struct {
			Trials []struct{ Steps int }
			Refit  struct{ Steps int }
		}
	}
	if err := rundir.ReadSearch(path, &state); err != nil {
		return e, err
	}
	requested, err := options.Resolve(state.Given, nil)
	if err != nil {
		return e, err
	}
	e = Entry{Run: path, Data: data.NameOf(requested.Data), Model: requested.Model, Status: "unfinished search",
		Seconds: state.Used.Seconds()}
	if requested.Ensemble > 1 {
		e.Status = "unfinished ensemble"
	}
	for _, c := range state.Candidates {
		e.Steps += c.Refit.Steps
		for _, trial := range c.Trials {
			e.Steps += trial.Steps
		}
	}
	e.Began, err = startTime(path)
	return e, err
}

// startTime returns the start of the first command of a run; nil if the run has no history.
func startTime(path string) (*time.Time, error) {
	history, err := rundir.ReadHistory(path)
	if len(history) == 0 {
		return nil, err
	}
	return &history[0].Began, err
}

// cvEntry returns the entry of a cross-validation.
func cvEntry(path string) (e Entry, err error) {
	cv, err := rundir.OpenCV(path)
	if err != nil {
		return e, err
	}
	e = Entry{Run: path, Data: cv.Data, Model: cv.Model, Status: fmt.Sprintf("%d of %d folds", cv.Finished, cv.Folds)}
	scored, tested := 0, 0
	for _, run := range cv.Runs {
		e.Steps += run.Steps
		e.Seconds += run.Seconds
		if run.ResultScores != nil {
			scored += run.Scored(run.NTest)
			tested += run.NTest
		}
	}
	e.Cut = cutText(scored, tested)
	if first, err := startTime(cv.FoldPath(1)); err == nil {
		e.Began = first
	}
	for key, to := range map[string]**float64{"rmse": &e.RMSE, "nlpd": &e.NLPD, "error": &e.Error, "nll": &e.NLL} {
		if a, known := cv.Test[key]; known {
			*to = &a.Mean
		}
	}
	return e, nil
}
