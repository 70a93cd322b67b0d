package rundir

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// The files of a run folder.
const (
	// ConfigFile holds the settled Config: train --config on it repeats the run.
	ConfigFile  = "config.yaml"
	MetricsFile = "metrics.jsonl"     // log of the training, with a Reading in each line
	ResultFile  = "result.json"       // a Result
	ModelFile   = "model.safetensors" // a fitted.Model: predict needs nothing else

	// CheckpointFile exists until the run is finished.
	CheckpointFile = "checkpoint.safetensors"
)

// The files of a run folder that people read, and train does not. HistoryFile is written with each checkpoint, the
// others when a run ends.
const (
	PredictionsFile = "predictions.csv" // test rows and their predictions; in a cross-validation, all rows out of fold
	ImportanceFile  = "importance.json" // importance of each input
	HistoryFile     = "history.json"    // commands that trained the run, with their folders
	MetricsCSVFile  = "metrics.csv"     // MetricsFile as a table
	ReportFile      = "report.html"

	// EventsPrefix is the beginning of the name of a file for TensorBoard.
	EventsPrefix = "events.out.tfevents."
)

// SearchFile is the file in the folder of a search for the best model that holds its candidates and its progress.
const SearchFile = "best.json"

// memberForm is the name of a candidate's model, by the number of the candidate from 1.
const memberForm = "candidate-%d.safetensors"

// MemberFile returns the name of the file of candidate k's model, from 0, which exists until the search ends.
func MemberFile(k int) string { return fmt.Sprintf(memberForm, k+1) }

// cvFile is the file of a CV, beside the run folders of its folds.
const cvFile = "cv.json"

// isRunFile reports whether a file of this name, or its temporary, belongs to a run folder.
func isRunFile(name string) bool {
	if base, _, temporary := strings.Cut(name, ".tmp-"); temporary && strings.HasPrefix(base, ".") {
		name = base[1:]
	}
	number := 0
	fmt.Sscanf(name, memberForm, &number) // 0 of other names
	return slices.Contains([]string{
		ConfigFile, MetricsFile, ResultFile, ModelFile, CheckpointFile, SearchFile, MemberFile(number - 1),
		PredictionsFile, ImportanceFile, HistoryFile, MetricsCSVFile, ReportFile,
	}, name) || strings.HasPrefix(name, EventsPrefix)
}

// OwnsFile reports whether a file, which may not exist yet, is one of a run folder or of a cross-validation.
func OwnsFile(path string) bool {
	folder, name := filepath.Dir(path), filepath.Base(path)
	return (IsRun(folder) || IsCV(folder)) && (name == cvFile || isRunFile(name))
}
