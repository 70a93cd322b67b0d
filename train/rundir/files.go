package rundir

import "strings"

// The files that a run folder has for its reader: train writes them when a run ends, and needs none
// of them.
const (
	PredictionsFile = "predictions.csv" // test rows and their predictions
	ImportanceFile  = "importance.json" // which inputs matter
	HistoryFile     = "history.json"    // the commands that trained the run, and where
	MetricsCSVFile  = "metrics.csv"     // MetricsFile as a table
	ReportFile      = "report.html"

	// EventsPrefix is how the name of a file for TensorBoard begins.
	EventsPrefix = "events.out.tfevents."
)

// SearchFile stands in the folder of a search for the best model: the candidates tried, and its
// progress.
const SearchFile = "best.json"

// runFiles are the files of a run folder.
func runFiles() []string {
	return []string{
		ConfigFile, MetricsFile, ResultFile, ModelFile, CheckpointFile,
		PredictionsFile, ImportanceFile, HistoryFile, MetricsCSVFile, ReportFile,
	}
}

// isRunFile reports whether a file of this name, or its temporary, belongs to a run folder.
func isRunFile(name string) bool {
	for _, own := range runFiles() {
		if name == own || strings.HasPrefix(name, "."+own+".tmp-") {
			return true
		}
	}
	return strings.HasPrefix(name, EventsPrefix)
}
