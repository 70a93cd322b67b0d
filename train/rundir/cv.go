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
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// cvFile stands in the folder of a cross-validation, beside the run folders of its folds.
const cvFile = "cv.json"

// OutOfFoldFile is there when all folds are finished: of every row the prediction by the model that
// has not seen it.
const OutOfFoldFile = "predictions.csv"

// own asks for the folds that a named set has.
const own = "own"

const mostFolds = 100

// CV is a cross-validation: its options, the state of its folds, and their results
// together. Every fold is a run like any other, in a run folder of its own, which knows its own
// state best.
type CV struct {
	Version   string            `json:"version"`
	Data      string            `json:"data"`
	Task      data.Task         `json:"task"`
	Model     string            `json:"model"`
	Device    string            `json:"device"` // the same for all folds
	Seed      uint64            `json:"seed"`
	Folder    string            `json:"folder"` // where train ran: relative paths start there
	Folds     int               `json:"folds"`
	OwnFolds  bool              `json:"own_folds"` // those of a named set
	TimeLimit string            `json:"time_limit,omitempty"`
	Options   []options.Setting `json:"options"` // as they were given
	Complete  bool              `json:"complete"`
	Runs      []FoldRun         `json:"runs"`

	Summary // of the folds that are finished

	path   string
	joined bool // other processes may train folds, too
}

// The standings of a fold.
const (
	FoldWaiting     = "not begun"
	FoldUnfinished  = "unfinished"  // it has a checkpoint
	FoldInterrupted = "interrupted" // it has scores, too, of the model so far
	FoldFailed      = "failed"
	FoldFinished    = "finished"
)

// FoldRun is how a fold stands, and how it did.
type FoldRun struct {
	Fold                 int     `json:"fold"`
	Run                  string  `json:"run"` // its folder in that of the cross-validation
	Standing             string  `json:"standing"`
	Failure              string  `json:"failure,omitempty"`
	NTrain               int     `json:"n_train,omitempty"`
	NTest                int     `json:"n_test,omitempty"`
	Steps                int     `json:"steps,omitempty"`
	Seconds              float64 `json:"seconds,omitempty"`
	*fitted.ResultScores         // nil where there are none
}

// NewCV is the cross-validation that --cv asks for, of a run with these options.
func NewCV(asked string, file, flags []options.Setting) (*CV, error) {
	for _, s := range flags {
		if s.Key == "folds" || s.Key == "fold" {
			return nil, usererror.Errorf("%s: --cv makes the folds and trains on all of them: leave this out", s.From)
		}
	}
	cv := &CV{Version: Version, Options: options.Merged(file, flags)}
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
	cv.Model, cv.Seed, cv.OwnFolds = c.Model, c.Seed, asked == own
	if c.TimeLimit > 0 {
		cv.TimeLimit = c.TimeLimit.String()
	}
	if cv.OwnFolds {
		if cv.Folds = data.Folds(c.Data); cv.Folds < 2 {
			return nil, usererror.Errorf("--cv own: %s has no folds of its own: say how many to "+
				"make, --cv 5 for example", c.Data)
		}
	} else if cv.Folds, err = strconv.Atoi(asked); err != nil || cv.Folds < 2 || cv.Folds > mostFolds {
		return nil, usererror.Errorf("--cv: %q must be a number of folds from 2 to %d, or own for those of "+
			"a named set", asked, mostFolds)
	}
	cv.Folder, _ = os.Getwd()
	for k := range cv.Folds {
		cv.Runs = append(cv.Runs, FoldRun{Fold: k + 1, Run: foldFolder(k + 1), Standing: FoldWaiting})
	}
	return cv, nil
}

func foldFolder(fold int) string { return fmt.Sprintf("fold-%d", fold) }

// Share is the time limit of a fold, 0 for none: folds share one equally.
func (cv *CV) Share() time.Duration {
	limit, err := time.ParseDuration(cv.TimeLimit)
	if err != nil {
		return 0
	}
	return max(1, limit/time.Duration(cv.Folds))
}

// config is the Config of a fold.
func (cv *CV) config(fold int) (*options.Config, error) {
	folds := 0
	if !cv.OwnFolds {
		folds = cv.Folds
	}
	c, err := options.Resolve(append(slices.Clone(cv.Options),
		options.Setting{Key: "folds", Text: strconv.Itoa(folds), From: "--cv"},
		options.Setting{Key: "fold", Text: strconv.Itoa(fold), From: "--cv"}), nil)
	if err != nil {
		return nil, err
	}
	if cv.Device != "" {
		c = c.With("device", cv.Device)
	}
	return c.With("time-limit", cv.Share()).RelativeTo(cv.Folder), nil
}

// IsCV reports whether a folder is that of a cross-validation.
func IsCV(path string) bool { return isIn(path, cvFile) }

// OpenCV reads the folder of a cross-validation. How folds stand it takes from their folders.
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
	return cv, cv.look()
}

// Place puts the folder of a new cross-validation in its place.
func (cv *CV) Place(f *Folder) (err error) {
	cv.path, err = f.commitCV(JSONTo(cv))
	return err
}

// Path is the folder.
func (cv *CV) Path() string { return cv.path }

// FoldPath is the run folder of a fold.
func (cv *CV) FoldPath(fold int) string { return filepath.Join(cv.path, cv.Runs[fold-1].Run) }

// Lock keeps other processes from training in the folder until release is called. What those left
// that were killed before the first checkpoint of a fold is removed.
func (cv *CV) Lock() (release func(), err error) {
	f, err := os.Open(cv.path)
	if err != nil {
		return nil, err
	}
	locked := atomicfile.Lock(f)
	if errors.Is(locked, atomicfile.ErrLocked) {
		return nil, errors.Join(usererror.Errorf("%s: another process is training in it", cv.path), f.Close())
	}
	for _, run := range cv.Runs {
		for _, path := range atomicfile.Leftovers(filepath.Join(cv.path, run.Run)) {
			if locked == nil && !isIn(path, ResultFile) && !isIn(path, CheckpointFile) {
				err = errors.Join(err, os.RemoveAll(path))
			}
		}
	}
	return func() { f.Close() }, err
}

// Update looks at the folds again, notes a failure of one of them, and writes cv.json again.
func (cv *CV) Update(fold int, failure error) error {
	if cv.joined {
		return cv.alone(func() error { return cv.update(fold, failure) })
	}
	return cv.update(fold, failure)
}

func (cv *CV) update(fold int, failure error) error {
	if run := &cv.Runs[fold-1]; failure != nil {
		run.Failure = failure.Error()
	} else {
		run.Failure = ""
	}
	if err := cv.look(); err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(cv.path, cvFile), JSONTo(cv))
}

// Prune removes the folder where no fold has left anything.
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

// look finds out from the folders how the folds stand.
func (cv *CV) look() error {
	cv.Complete = true
	for i := range cv.Runs {
		if err := cv.Runs[i].look(filepath.Join(cv.path, cv.Runs[i].Run)); err != nil {
			return err
		}
		cv.Complete = cv.Complete && cv.Runs[i].Standing == FoldFinished
	}
	cv.summarise()
	return nil
}

func (run *FoldRun) look(path string) error {
	known := *run
	*run = FoldRun{Fold: known.Fold, Run: known.Run, Standing: FoldWaiting}
	switch {
	case isIn(path, ResultFile):
		r, err := ReadResult(path)
		if err != nil {
			return err
		}
		run.NTrain, run.NTest, run.Steps, run.Seconds = r.NTrain, r.NTest, r.Steps, r.Seconds
		if run.Failure = r.Failure; r.Failure == "" {
			run.ResultScores = &r.ResultScores
		}
		switch {
		case r.Interrupted:
			run.Standing = FoldInterrupted
		case r.Failure == Untested: // it was killed then, or is tested now
			run.Standing, run.Failure = FoldUnfinished, ""
		case r.Failure != "":
			run.Standing = FoldFailed
		default:
			run.Standing = FoldFinished
		}
	case known.Failure != "":
		run.Standing, run.Failure = FoldFailed, known.Failure
	case isIn(path, CheckpointFile):
		run.Standing = FoldUnfinished
	}
	return nil
}

// Verify reports whether the rows of a finished fold are still those that it had: the others would
// be of other data.
func (cv *CV) Verify(fold int, train, test *data.Dataset) error {
	r, err := ReadResult(cv.FoldPath(fold))
	if err != nil {
		return err
	}
	if now := (Fingerprint{train.Fingerprint, test.Fingerprint}); now != r.Fingerprint {
		return usererror.Errorf("%s: the rows have changed since fold %d was trained (fingerprints %.12s… "+
			"and %.12s…, then %.12s… and %.12s…): put the old ones back, or begin a new cross-validation",
			train.Path, fold, now.Train, now.Test, r.Fingerprint.Train, r.Fingerprint.Test)
	}
	return nil
}

// NewFolder starts the run folder of a fold from its start. One that was killed in its test has
// left a model and no checkpoint, and is replaced.
func (cv *CV) NewFolder(fold int) (*Folder, error) {
	begin := NewFolder
	if isIn(cv.FoldPath(fold), ResultFile) {
		begin = ReplaceFolder
	}
	return begin(cv.FoldPath(fold), cv.Data, cv.Model)
}

// CanResume reports whether a fold has a checkpoint.
func (cv *CV) CanResume(fold int) bool { return isIn(cv.FoldPath(fold), CheckpointFile) }

// ToDo reports whether a fold is to be trained, or trained further. One that is trained and could
// not be scored is not.
func (cv *CV) ToDo(fold int) bool {
	run := cv.Runs[fold-1]
	return run.Standing != FoldFinished && !(run.Standing == FoldFailed && isIn(cv.FoldPath(fold), ResultFile))
}

// Changes are the flags that say something else than those that the cross-validation began with.
func (cv *CV) Changes(flags []options.Setting) (changes []options.Setting) {
	for _, s := range flags {
		if !slices.ContainsFunc(cv.Options, func(o options.Setting) bool {
			return o.Key == s.Key && o.Text == s.Text
		}) {
			changes = append(changes, s)
		}
	}
	return changes
}

// Begin is the Config of a fold that a resumed cross-validation begins, with the same changes that
// a resumed run takes.
func (cv *CV) Begin(fold int, changes []options.Setting) (*options.Config, error) {
	c, err := cv.config(fold)
	if err != nil {
		return nil, err
	}
	return c.Resume(changes, nil)
}

// Predicts reports whether the predictions of all rows are to be written yet. Folds of a named set
// may overlap, and have none.
func (cv *CV) Predicts() bool { return cv.Complete && !cv.OwnFolds && !isIn(cv.path, OutOfFoldFile) }
