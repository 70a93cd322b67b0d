package rundir

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Session is a command that trained a run, as in history.json. A run that was resumed has several.
type Session struct {
	Command string   `json:"command"`
	Given   []string `json:"given"` // keys of the options that the user gave; nil in older files
	// NoReport means that the run gets no report.
	NoReport bool `json:"no_report,omitempty"`

	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Version string    `json:"version"`

	System    string `json:"system"` // "linux/amd64"
	Processor string `json:"processor"`
	Threads   int    `json:"threads"`
	Device    string `json:"device"`
}

// ReadHistory reads the sessions of a run folder, which may have none.
func ReadHistory(folder string) (h []Session, err error) {
	err = ReadPart(folder, HistoryFile, func(text []byte) error { return json.Unmarshal(text, &h) })
	return h, err
}

// ReadPart reads a file of a run folder, if it is there. If it cannot be parsed, the error is a *usererror.Error.
func ReadPart(folder, name string, parse func(text []byte) error) error {
	path := filepath.Join(folder, name)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = parse(text)
	}
	if err != nil {
		return usererror.Errorf("%s: damaged: %w: remove it, and the report leaves that part out", path, err)
	}
	return nil
}
