package main

import (
	"fmt"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// score is a score of a test: its name, and its key in result.json.
type score struct {
	name, key string
	percent   bool
	own       bool // it has a value in the target's own units, too
}

// scoresOf returns the scores of a task, in the order of tables.
func scoresOf(task data.Task) []score {
	if task == data.Classification {
		return []score{{name: "error", key: "error"}, {name: "NLL", key: "nll"}, {name: "ECE", key: "ece"},
			{name: "AUC", key: "auc"}}
	}
	return []score{{name: "RMSE", key: "rmse", own: true}, {name: "NLPD", key: "nlpd", own: true},
		{name: "90 % coverage", key: "coverage90", percent: true}}
}

// text formats the value of the score of a test; "" if it is absent.
func (s score) text(values map[string]float64) string {
	v, is := values[s.key]
	switch {
	case !is:
		return ""
	case s.percent:
		return fmt.Sprintf("%.1f %%", 100*v)
	}
	return fmt.Sprintf("%.4f", v)
}

// ownText formats the value of the score in own units; "" if it is absent.
func (s score) ownText(values map[string]float64) string {
	if v, is := values[s.key]; is && s.own {
		return fmt.Sprintf("%.4g", v)
	}
	return ""
}

// scoresInLine formats the scores of a fold in one line.
func scoresInLine(t fitted.Test) string {
	task := data.Classification
	if t.Regression != nil {
		task = data.Regression
	}
	var parts []string
	for _, s := range scoresOf(task) {
		if text := s.text(fitted.NumbersOf(t)); text != "" {
			parts = append(parts, s.name+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}
