package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// score is a score at the head of the page.
type score struct {
	Name, Value, Says string
	value             float64
	distance          float64 // distance from the best possible value, for the comparison of runs
}

// scores returns the scores of the test rows, the most important first. The scores of counts are in own units, and have
// the names of scores in own units.
func (r *Run) scores() (all []score) {
	add := func(name string, v, far float64, text, says string) {
		all = append(all, score{name, text, says, v, far})
	}
	if s := r.Result.TestScores.Regression; s != nil {
		own, unit, logs := "", "in training-sd units", "predictive density"
		raw := r.Result.Raw
		counts := r.Result.Measure == fitted.CountingMeasure
		if counts {
			own, unit, logs = ", own units", "in counts", "probability of the count"
		}
		add("RMSE"+own, s.RMSE, s.RMSE, decimals(s.RMSE), "root mean square error, "+unit)
		if raw != nil && !counts {
			add("RMSE, own units", raw.RMSE, raw.RMSE, digits(raw.RMSE), "the same in the target's own units")
		}
		add("NLPD"+own, s.NLPD, s.NLPD, decimals(s.NLPD),
			"mean negative log "+logs+", nats per row: the lower, the better")
		if raw != nil && !counts {
			add("NLPD, own units", raw.NLPD, raw.NLPD, decimals(raw.NLPD), "the same of densities in own units")
		}
		add("CRPS"+own, s.CRPS, s.CRPS, decimals(s.CRPS), "mean continuous ranked probability score")
		add("90 % coverage", s.Coverage90, math.Abs(s.Coverage90-0.9), percent(s.Coverage90),
			"of the true values inside the 90 % interval")
	} else if s := r.Result.TestScores.Classification; s != nil {
		add("Accuracy", 1-s.Error, s.Error, percent(1-s.Error), "share of rows whose most probable class is right")
		add("NLL", s.NLL, s.NLL, decimals(s.NLL), "mean negative log probability of the label, nats a row")
		add("Brier", s.Brier, s.Brier, decimals(s.Brier), "mean squared error of the probabilities")
		add("ECE", s.ECE, s.ECE, decimals(s.ECE), "expected calibration error")
		if s.AUC != nil {
			add("AUC", *s.AUC, 1-*s.AUC, decimals(*s.AUC), "area under the ROC curve")
		}
	}
	return all
}

// comparison returns the table of several runs and their scores.
func comparison(runs []*Run) section {
	if len(runs) == 1 {
		return section{}
	}
	t := newTable("Runs", "run", "model", "data", "steps", "seconds")
	first := len(t.Head) // the column of the first score
	for _, r := range runs {
		t.add(r.Label, r.Result.Model, r.Result.Data, fmt.Sprint(r.Result.Steps), fmt.Sprintf("%.1f", r.Result.Seconds))
		for _, s := range r.scores() {
			if !slices.Contains(t.Head, s.Name) {
				t.Head = append(t.Head, s.Name)
			}
		}
	}
	for _, name := range t.Head[first:] {
		best, least := -1, math.Inf(1)
		for i, r := range runs {
			text := none
			for _, s := range r.scores() {
				if s.Name != name {
					continue
				}
				text = s.Value
				if s.distance < least {
					best, least = i, s.distance
				}
			}
			t.Rows[i] = append(t.Rows[i], cell{Text: text})
		}
		if best >= 0 {
			t.Rows[best][len(t.Rows[best])-1].Best = true
		}
	}
	s := section{ID: "runs", Title: "Runs side by side",
		Lead:   "The best score of a column is marked. Runs are comparable where they were tested on the same rows.",
		Panels: []panel{{Title: "Scores", Table: t, Span: fullSpan}}}
	for _, r := range runs[1:] {
		if r.Result.Fingerprint.Test != runs[0].Result.Fingerprint.Test || r.scored() != runs[0].scored() {
			s.Lead = "The best score of a column is marked. These runs were not all tested on the same " +
				"rows: their scores say little about each other."
		}
	}
	return s
}

// about describes the training: model, data, device and options.
func about(runs []*Run) section {
	s := section{ID: "about", Title: "Machine, command and options"}
	s.each(runs, func(r *Run) []panel {
		all := []panel{{Title: "What was trained", Table: summary(r)}}
		for _, list := range OptionLists(r.Config, r.History) {
			t := newTable(list.Title, "option", "value")
			for _, o := range list.Options {
				t.add(o.Key, o.Text)
			}
			all = append(all, panel{Title: list.Title, Table: t})
		}
		return all
	})
	return s
}

func summary(r *Run) *table {
	t := &table{Caption: "What was trained"}
	result := r.Result
	t.add("run folder", r.Path)
	t.add("model", fmt.Sprintf("%s, %d parameters", result.Model, result.Parameters))
	t.add("data", fmt.Sprintf("%s, %s", result.Data, result.Task))
	var names []string
	for _, in := range r.Trained.Schema.Inputs() {
		names = append(names, in.Name)
	}
	if most := 12; len(names) > most {
		names = append(names[:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	t.add("inputs", strings.Join(names, ", "))
	t.add("training rows", fmt.Sprintf("%d (%.12s…)", result.NTrain, result.Fingerprint.Train))
	t.add("test rows", fmt.Sprintf("%d (%.12s…)", result.NTest, result.Fingerprint.Test))
	if v := result.Validation; v != nil {
		t.add("validation", fmt.Sprintf("%d rows every %d steps; kept are the parameters of step %d (%s)",
			v.Rows, v.Every, v.Step, v.Restored))
	}
	ended := ""
	if result.Interrupted {
		ended = ", interrupted"
	}
	t.add("training", fmt.Sprintf("%d of %d steps, %s in all%s", result.Steps, r.Config.Last(),
		duration(result.Seconds), ended))
	t.add("objective", result.ObjectiveText(digits))
	if g := result.Generalisation; g != nil {
		says := "the model does not memorise"
		if g.Memorised {
			says = "the model memorises"
		}
		t.add("training rows score better by",
			fmt.Sprintf("%s nats per row than %s rows: %s", digits(g.Gap), g.Unseen.Of, says))
	}
	t.add("seed", fmt.Sprint(result.Seed))
	t.add("device", fmt.Sprintf("%s, precision %s", result.Device, result.Precision))
	t.add("version", "gpdrf-gpu "+result.Version)
	for _, h := range r.History {
		t.add("command", h.Command)
		t.add("began", fmt.Sprintf("%s, took %s", h.Began.UTC().Format("2006-01-02 15:04:05 UTC"), duration(h.Seconds)))
		t.add("machine", fmt.Sprintf("%s, %d threads, %s", h.Processor, h.Threads, h.System))
	}
	return t
}

// duration formats a time in seconds for people.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return d.Round(time.Second).String()
}
