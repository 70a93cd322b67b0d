package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/internal/version"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// own is the value of --cv that asks for the folds of a named set.
const own = "own"

const maxFolds = 100

// CV is a cross-validation: its options, the state of its folds, and their joint results. Every fold is a run like any
// other, in a run folder of its own, from which the CV reads the fold's state.
type CV struct {
	Version   string            `json:"version"`
	Data      string            `json:"data"`
	Task      data.Task         `json:"task"`
	Model     string            `json:"model"`
	Device    string            `json:"device"` // device of all folds
	Seed      uint64            `json:"seed"`
	Folder    string            `json:"folder"` // working directory of train, in which relative paths start
	Folds     int               `json:"folds"`
	OwnFolds  bool              `json:"own_folds"` // a named set brings the folds
	TimeLimit string            `json:"time_limit,omitempty"`
	Options   []options.Setting `json:"options"` // options as the user gave them
	NoReport  bool              `json:"no_report,omitempty"`
	Complete  bool              `json:"complete"`
	Runs      []FoldRun         `json:"runs"`

	Summary // joint results of the finished folds

	path string
}

// The values of FoldRun.Status.
const (
	FoldWaiting     = "not begun"
	FoldUnfinished  = "unfinished"  // the fold has a checkpoint
	FoldInterrupted = "interrupted" // the fold has a checkpoint, and scores of its model
	FoldFailed      = "failed"
	FoldFinished    = "finished"
)

// FoldRun is the status of a fold, and its results.
type FoldRun struct {
	Fold                 int     `json:"fold"`
	Run                  string  `json:"run"` // name of its folder in the folder of the cross-validation
	Status               string  `json:"standing"`
	Failure              string  `json:"failure,omitempty"`
	NTrain               int     `json:"n_train,omitempty"`
	NTest                int     `json:"n_test,omitempty"`
	Steps                int     `json:"steps,omitempty"`
	Seconds              float64 `json:"seconds,omitempty"`
	*fitted.ResultScores         // nil without scores
}

// NewCV returns the cross-validation that --cv requests, of a run with these options.
func NewCV(requested string, file, flags []options.Setting) (*CV, error) {
	for _, s := range flags {
		if s.Key == "folds" || s.Key == "fold" {
			return nil, usererror.Errorf("%s: --cv makes the folds and trains on all of them: leave this out", s.From)
		}
	}
	cv := &CV{Version: version.Number, Options: options.Merged(file, flags)}
	c, err := options.Resolve(cv.Options, nil)
	if err != nil {
		return nil, err
	}
	if c.Ensemble > 1 {
		return nil, usererror.Errorf("--cv: is for single models: leave ensemble out")
	}
	if c.StartFrom != "" {
		return nil, usererror.Errorf("--cv: is for new models: leave --from out")
	}
	if c.Preset == options.Best {
		return nil, usererror.Errorf("--cv: preset best makes folds of its own, of the training rows: leave " +
			"--cv out, or take another preset")
	}
	cv.Model, cv.Seed, cv.OwnFolds = c.Model, c.Seed, requested == own
	if c.TimeLimit > 0 {
		cv.TimeLimit = c.TimeLimit.String()
	}
	if cv.OwnFolds {
		if cv.Folds = data.Folds(c.Data); cv.Folds < 2 {
			return nil, usererror.Errorf("--cv own: %s has no folds of its own: say how many to "+
				"make, --cv 5 for example", c.Data)
		}
	} else if cv.Folds, err = strconv.Atoi(requested); err != nil || cv.Folds < 2 || cv.Folds > maxFolds {
		return nil, usererror.Errorf("--cv: %q must be a number of folds from 2 to %d, or own for those of "+
			"a named set", requested, maxFolds)
	}
	cv.Folder, _ = os.Getwd()
	for k := range cv.Folds {
		cv.Runs = append(cv.Runs, FoldRun{Fold: k + 1, Run: foldFolder(k + 1), Status: FoldWaiting})
	}
	return cv, nil
}

func foldFolder(fold int) string { return fmt.Sprintf("fold-%d", fold) }

// FoldTimeLimit returns the time limit of a fold, an equal share of the whole limit; 0 without a limit.
func (cv *CV) FoldTimeLimit() time.Duration {
	limit, err := time.ParseDuration(cv.TimeLimit)
	if err != nil {
		return 0
	}
	return max(1, limit/time.Duration(cv.Folds))
}

// IsCV reports whether a folder holds a cross-validation.
func IsCV(path string) bool { return hasFile(path, cvFile) }

// OpenCV reads the folder of a cross-validation, and the status of the folds from their folders.
func OpenCV(path string) (*CV, error) {
	file := filepath.Join(path, cvFile)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	cv := &CV{}
	sound := json.Unmarshal(text, cv) == nil && len(cv.Runs) == cv.Folds && cv.Folds >= 2
	for i := range cv.Runs {
		sound = sound && cv.Runs[i].Fold == i+1 && cv.Runs[i].Run == foldFolder(i+1)
	}
	if !sound {
		return nil, usererror.Errorf("%s: damaged: it is not the list of the folds of a cross-validation", file)
	}
	cv.path = path
	return cv, cv.readStatuses()
}

// Place makes the folder of a new cross-validation, in a place, as NewFolder does.
func (cv *CV) Place(out string) error {
	f, err := NewFolder(out, cv.Data, cv.Model+"-cv", false)
	if err != nil {
		return err
	}
	cv.path, err = f.commitCV(atomicfile.JSON(cv))
	return err
}

// Path returns the folder of the cross-validation.
func (cv *CV) Path() string { return cv.path }

// FoldPath returns the run folder of a fold.
func (cv *CV) FoldPath(fold int) string { return filepath.Join(cv.path, cv.Runs[fold-1].Run) }

// Lock keeps other processes from training in the folder until release is called.
func (cv *CV) Lock() (release func(), err error) {
	f, err := os.Open(cv.path)
	if err != nil {
		return nil, err
	}
	if errors.Is(atomicfile.Lock(f), atomicfile.ErrLocked) {
		return nil, errors.Join(usererror.Errorf("%s: another process is training in it", cv.path), f.Close())
	}
	return func() { f.Close() }, nil
}

// Update reads the status of the folds again, notes a failure of one of them, and writes cv.json.
func (cv *CV) Update(fold int, failure error) error {
	cv.Runs[fold-1].Failure = ""
	if failure != nil {
		cv.Runs[fold-1].Failure = failure.Error()
	}
	if err := cv.readStatuses(); err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(cv.path, cvFile), atomicfile.JSON(cv))
}

// Prune removes the folder of the cross-validation if it holds no folder of a fold.
func (cv *CV) Prune() error {
	for _, run := range cv.Runs {
		if _, err := os.Lstat(filepath.Join(cv.path, run.Run)); err == nil {
			return nil
		}
	}
	if err := os.Remove(filepath.Join(cv.path, cvFile)); err != nil {
		return err
	}
	return os.Remove(cv.path)
}

// readStatuses reads the status of the folds from their folders.
func (cv *CV) readStatuses() error {
	cv.Complete = true
	for i := range cv.Runs {
		if err := cv.Runs[i].readStatus(filepath.Join(cv.path, cv.Runs[i].Run)); err != nil {
			return err
		}
		cv.Complete = cv.Complete && cv.Runs[i].Status == FoldFinished
	}
	cv.summarise()
	return nil
}

func (r *FoldRun) readStatus(path string) error {
	previous := *r
	*r = FoldRun{Fold: previous.Fold, Run: previous.Run, Status: FoldWaiting}
	switch {
	case hasFile(path, ResultFile):
		result, err := ReadResult(path)
		if err != nil {
			return err
		}
		r.NTrain, r.NTest, r.Steps, r.Seconds = result.NTrain, result.NTest, result.Steps, result.Seconds
		r.Failure = result.Failure
		if result.Failure == "" {
			r.ResultScores = &result.ResultScores
		}
		switch {
		case result.Interrupted:
			r.Status = FoldInterrupted
		case result.Failure == Untested: // it was killed before its test, or is being tested
			r.Status, r.Failure = FoldUnfinished, ""
		case result.Failure != "":
			r.Status = FoldFailed
		default:
			r.Status = FoldFinished
		}
	case previous.Failure != "":
		r.Status, r.Failure = FoldFailed, previous.Failure
	case hasFile(path, CheckpointFile):
		r.Status = FoldUnfinished
	}
	return nil
}

// Verify refuses rows of a finished fold that have changed since: the other folds would be of other data.
func (cv *CV) Verify(fold int, train, test *data.Dataset) error {
	r, err := ReadResult(cv.FoldPath(fold))
	if err != nil {
		return err
	}
	if current := (Fingerprint{train.Fingerprint, test.Fingerprint}); current != r.Fingerprint {
		return usererror.Errorf("%s: the rows have changed since fold %d was trained (fingerprints %.12s… "+
			"and %.12s…, then %.12s… and %.12s…): put the old ones back, or begin a new cross-validation",
			train.Path, fold, current.Train, current.Test, r.Fingerprint.Train, r.Fingerprint.Test)
	}
	return nil
}

// NewFolder begins the run folder of a fold. The folder of a fold that was killed in its test has no checkpoint, and is
// replaced.
func (cv *CV) NewFolder(fold int) (*Folder, error) {
	path := cv.FoldPath(fold)
	return NewFolder(path, cv.Data, cv.Model, hasFile(path, ResultFile))
}

// CanResume reports whether a fold has a checkpoint.
func (cv *CV) CanResume(fold int) bool { return hasFile(cv.FoldPath(fold), CheckpointFile) }

// IsPending reports whether a fold is to be trained, or trained further. A fold that is trained and could not be scored
// is done.
func (cv *CV) IsPending(fold int) bool {
	run := cv.Runs[fold-1]
	return run.Status != FoldFinished && !(run.Status == FoldFailed && hasFile(cv.FoldPath(fold), ResultFile))
}

// Changes returns the flags that differ from the options that the cross-validation began with.
func (cv *CV) Changes(flags []options.Setting) []options.Setting {
	return slices.DeleteFunc(slices.Clone(flags), func(s options.Setting) bool {
		return slices.ContainsFunc(cv.Options, func(o options.Setting) bool {
			return o.Key == s.Key && o.Text == s.Text
		})
	})
}

// Begin returns the Config of a new fold in a resumed cross-validation, with the changes that Config.Resume allows. A
// fold that has a model knows the names of the targets.
func (cv *CV) Begin(fold int, changes []options.Setting) (options.Config, error) {
	folds := 0
	if !cv.OwnFolds {
		folds = cv.Folds
	}
	c, err := options.Resolve(append(slices.Clone(cv.Options),
		options.Setting{Key: "folds", Text: strconv.Itoa(folds), From: "--cv"},
		options.Setting{Key: "fold", Text: strconv.Itoa(fold), From: "--cv"}), nil)
	if err != nil {
		return c, err
	}
	if cv.Device != "" {
		c.Device = cv.Device
	}
	var rows *data.Schema
	for k := 1; k <= cv.Folds && rows == nil && len(changes) > 0; k++ {
		if run, err := OpenRun(cv.FoldPath(k)); err == nil {
			rows = &run.Trained.Schema
		}
	}
	c.TimeLimit = cv.FoldTimeLimit()
	return c.RelativeTo(cv.Folder).Resume(changes, rows)
}

// Predicts reports whether PredictionsFile is still to be written. Folds of a named set may overlap, and have no such
// file.
func (cv *CV) Predicts() bool {
	return cv.Complete && !cv.OwnFolds && !hasFile(cv.path, PredictionsFile)
}
