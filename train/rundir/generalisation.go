package rundir

import (
	"errors"
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Generalisation is the block of result.json that compares training rows with rows that the model
// has not seen: those of validation, or else those of the test.
type Generalisation struct {
	Seen   Compared `json:"seen"`
	Unseen Compared `json:"unseen"`
	// mean log density of seen rows less that of unseen ones, nats
	Gap       float64  `json:"gap"`
	GapSE     *float64 `json:"gap_se"`    // its standard error; nil where a kind has a single row
	Memorised bool     `json:"memorised"` // as metrics.Memorised has it
}

// Compared is how the model did on the rows of a kind. Log densities are in nats a row, of targets
// in training-sd units or of labels; of several targets they are the mean of each target's.
type Compared struct {
	Of         string   `json:"of,omitempty"` // of unseen rows: validation, test
	Rows       int      `json:"rows"`
	LogDensity float64  `json:"log_density"` // the mean over the rows
	SE         *float64 `json:"se"`          // its standard error; nil of a single row
	// the value that the model expected, by metrics.Densities
	Expected float64 `json:"expected"`
}

// NewGeneralisation compares the log densities of training rows with those of others, test or
// validation rows. Those that are no numbers are an error.
func NewGeneralisation(of string, seen, unseen metrics.Densities) (*Generalisation, error) {
	gap, se := metrics.Gap(seen, unseen)
	g := &Generalisation{
		Seen: compare("", seen), Unseen: compare(of, unseen),
		Gap: gap, GapSE: ifFinite(se), Memorised: metrics.Memorised(seen, unseen),
	}
	for _, v := range []float64{g.Seen.LogDensity, g.Seen.Expected, g.Unseen.LogDensity, g.Unseen.Expected, gap} {
		if ifFinite(v) == nil {
			return nil, errors.New("a log density is no number")
		}
	}
	return g, nil
}

func compare(of string, d metrics.Densities) Compared {
	mean, se := d.Weights.MeanError(d.Log)
	expected, _ := d.Weights.MeanError(d.Expected)
	return Compared{of, len(d.Log), mean, ifFinite(se), expected}
}

// ifFinite is v for JSON, nil where it is no number.
func ifFinite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Warning says that the model of a run with these options memorises, with advice; "" where it
// does not.
func (g *Generalisation) Warning(c *options.Config) string {
	if g == nil || !g.Memorised {
		return ""
	}
	return fmt.Sprintf("training rows score %.2f nats a row better than %s rows, and the model does "+
		"not expect that: it memorises; try %s",
		g.Gap, g.Unseen.Of, c.Remedy())
}
