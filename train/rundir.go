package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

// The files of a run folder.
const (
	ConfigFile  = "config.yaml"       // the Config, fully resolved: train --config on it repeats the run
	MetricsFile = "metrics.jsonl"     // how training went, a line every few steps
	ResultFile  = "result.json"       // a Result
	ModelFile   = "model.safetensors" // a Trained: predict needs nothing else
)

// Folder is a run folder while it is being built. Nothing stands at its final place
// before Commit.
type Folder struct {
	folder  *atomicfile.Folder
	out     string // as the user wrote it; "" takes the first free number
	place   string // the same without links, from the root
	numbers string // runs/powerplant-gpdrf-
	metrics *os.File
	err     error // the first that a metrics line met
}

// NewFolder starts a run folder that will stand at out, or, where out is "", at
// runs/<data>-<model>-<n> with the first free n. An out that holds something already is a
// *UsageError; a place that cannot be written to is another error.
func NewFolder(out, set, model string) (*Folder, error) {
	f := &Folder{out: out, numbers: filepath.Join("runs", fmt.Sprintf("%s-%s-", plainName(set), model))}
	place := f.numbers + "n"
	if out != "" {
		var err error
		if f.place, err = filepath.Abs(out); err != nil {
			return nil, err
		}
		if _, err := os.Lstat(f.place); err == nil { // it exists
			real, err := filepath.EvalSymlinks(f.place)
			if err != nil {
				return nil, usagef("--out: %s is a link that leads nowhere: give another place", out)
			}
			if f.place = real; !atomicfile.Empty(real) {
				return nil, usagef("--out: %s is there already and not an empty folder: give another place", out)
			}
		}
		place = f.place
	}
	var err error
	if f.folder, err = atomicfile.NewFolder(place); err != nil {
		return nil, fmt.Errorf("the run folder cannot be made: %w", err)
	}
	if f.metrics, err = os.Create(filepath.Join(f.folder.Path(), MetricsFile)); err != nil {
		return nil, errors.Join(fmt.Errorf("the run folder cannot be written: %w", err), f.Discard())
	}
	return f, nil
}

// plainName keeps what is safe in a folder's name of every system.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, name)
}

// metricsLine is a line of metrics.jsonl. What begins with val_ is there where validation rows were evaluated.
type metricsLine struct {
	Step    int      `json:"step"`
	ELBO    float64  `json:"elbo"`
	ELL     float64  `json:"ell"`
	KL      float64  `json:"kl"`
	LR      float64  `json:"lr"`
	Seconds float64  `json:"seconds"`
	NLPD    *float64 `json:"val_nlpd,omitempty"`
	RMSE    *float64 `json:"val_rmse,omitempty"`
	NLL     *float64 `json:"val_nll,omitempty"`
	Error   *float64 `json:"val_error,omitempty"`
}

// Step writes a line of metrics. Its errors, a full disk above all, come back from Err and Commit.
func (f *Folder) Step(p Progress) {
	if f.err != nil {
		return
	}
	reading := metricsLine{Step: p.Step, ELBO: p.ELBO, ELL: p.ELL, KL: p.KL, LR: p.LR, Seconds: p.Elapsed.Seconds()}
	if e := p.Validation; e != nil && e.Step == p.Step {
		if score := e.scores(); e.Task == data.Regression {
			reading.NLPD, reading.RMSE = score[0], score[1]
		} else {
			reading.NLL, reading.Error = score[0], score[1]
		}
	}
	line, err := json.Marshal(reading)
	if err == nil {
		_, err = f.metrics.Write(append(line, '\n'))
	}
	f.err = err
}

// Err is what went wrong with the metrics.
func (f *Folder) Err() error { return f.err }

// Commit writes the other files, brings everything to disk and puts the folder in its place, whose
// path it returns. After an error the folder is still to be discarded.
func (f *Folder) Commit(c *Config, t *Trained, r *Result) (path string, err error) {
	result, err := JSON(r)
	if err != nil {
		return "", err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{ConfigFile, bytesTo(c.YAML())},
		{ResultFile, bytesTo(result)},
		{ModelFile, t.WriteModel},
	} {
		if err := atomicfile.WriteFile(filepath.Join(f.folder.Path(), file.name), file.write); err != nil {
			return "", fmt.Errorf("the run folder cannot be written: %w", err)
		}
	}
	if err := errors.Join(f.err, f.metrics.Sync(), f.metrics.Close()); err != nil {
		return "", fmt.Errorf("the run folder cannot be written: %w", err)
	}
	f.metrics = nil
	if f.out != "" {
		return f.out, f.folder.Commit(f.place)
	}
	for n := 1; ; n++ { // the rename itself decides between two runs that end at once
		path = fmt.Sprintf("%s%d", f.numbers, n)
		if err = f.folder.Commit(path); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}

func bytesTo(text []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(text); return err }
}

// Discard removes the folder that was being built.
func (f *Folder) Discard() error {
	if f.metrics != nil {
		f.metrics.Close()
	}
	return f.folder.Discard()
}

// Run is a finished run folder.
type Run struct {
	Path    string
	Config  *Config
	Result  *Result
	Trained *Trained
}

// OpenRun reads a run folder. Errors are *UsageError.
func OpenRun(path string) (*Run, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("%s: there is no such run folder", path)
	case err != nil:
		return nil, &UsageError{err}
	case !info.IsDir():
		return nil, usagef("%s: not a run folder: give the folder that train has made", path)
	}
	for _, name := range []string{ConfigFile, ResultFile, ModelFile} {
		if _, err := os.Stat(filepath.Join(path, name)); err != nil {
			return nil, usagef("%s: not a run folder: it has no %s", path, name)
		}
	}
	r := &Run{Path: path}
	settings, err := ReadConfig(filepath.Join(path, ConfigFile))
	if err != nil {
		return nil, err
	}
	if r.Config, err = Resolve(settings, nil); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(path, ResultFile))
	if err != nil {
		return nil, &UsageError{err}
	}
	if err := json.Unmarshal(text, &r.Result); err != nil || r.Result == nil {
		return nil, usagef("%s: damaged: %v", filepath.Join(path, ResultFile), err)
	}
	if r.Trained, err = ReadModel(filepath.Join(path, ModelFile)); err != nil {
		return nil, err
	}
	return r, nil
}
