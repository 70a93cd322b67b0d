package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// predictions are a peer's predictions for the test rows of a fold.
type predictions struct {
	kind    string
	rows    [][]float64 // predictions in the form of bench/peers/suite.py
	targets []float64   // targets of the test rows
	trained int         // number of training rows

	mean, sd float64 // mean and sd of the training targets of a regression
}

// readPredictions reads the predictions, and the targets of the fold.
func readPredictions(folder, file, kind string) (*predictions, error) {
	learnt, err := targets(filepath.Join(folder, "train.csv"))
	if err != nil {
		return nil, err
	}
	p := &predictions{kind: kind, trained: len(learnt)}
	p.mean, p.sd = stat.MeanStdDev(learnt, nil)
	if p.targets, err = targets(filepath.Join(folder, "test.csv")); err != nil {
		return nil, err
	}
	if p.rows, err = readNumbers(file, 0); err != nil {
		return nil, err
	}
	if len(p.rows) != len(p.targets) {
		return nil, fmt.Errorf("%d rows are predicted, %d are there", len(p.rows), len(p.targets))
	}
	return p, nil
}

// targets returns the last column of a table with a header.
func targets(file string) ([]float64, error) {
	rows, err := readNumbers(file, 1)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = row[len(row)-1]
	}
	return out, nil
}

// readNumbers reads CSV without its first lines. Every line has as many numbers as the first.
func readNumbers(file string, skip int) (rows [][]float64, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		if i < skip {
			continue
		}
		cells := strings.Split(line, ",")
		row := make([]float64, len(cells))
		for j, cell := range cells {
			if row[j], err = strconv.ParseFloat(cell, 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
			}
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			return nil, fmt.Errorf("%s:%d: has %d values, the lines before have %d", file, i+1, len(row), len(rows[0]))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: holds no rows", file)
	}
	return rows, nil
}

// scores returns the scores, by the functions that score our own predictions.
func (p *predictions) scores() (map[string]float64, error) {
	var out map[string]float64
	if p.kind == numbers {
		m, err := p.mixture()
		if err != nil {
			return nil, err
		}
		y := make([]float64, len(p.targets))
		for i, t := range p.targets {
			y[i] = (t - p.mean) / p.sd
		}
		s := metrics.ScoreRegression(m, y, nil)
		out = map[string]float64{"rmse": s.RMSE, "nlpd": s.NLPD, "crps": s.CRPS, "coverage90": s.Coverage90}
	} else {
		logits, k, err := p.logits()
		if err != nil {
			return nil, err
		}
		labels := make([]int32, len(p.targets))
		for i, t := range p.targets {
			labels[i] = int32(t)
			if t < 0 || int(t) >= k {
				return nil, fmt.Errorf("class %g of test row %d is not among the %d predicted", t, i+1, k)
			}
		}
		s := metrics.ScoreClassification(logits, 1, len(labels), k, labels, nil)
		out = map[string]float64{"error": s.Error, "nll": s.NLL, "ece": s.ECE}
		if s.AUC != nil {
			out["auc"] = *s.AUC
		}
	}
	for key, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s is %g", key, v)
		}
	}
	return out, nil
}

// mixture returns the density of each standardised target, a mixture of normals. The first half of a line has means,
// and the second half standard deviations.
func (p *predictions) mixture() (metrics.Mixture, error) {
	n, s := len(p.rows), len(p.rows[0])/2
	m := metrics.Mixture{S: s, N: n, Mean: make([]float64, s*n), Var: make([]float64, s*n)}
	if s == 0 || len(p.rows[0])%2 != 0 {
		return m, fmt.Errorf("a line has %d values, not means and as many standard deviations", len(p.rows[0]))
	}
	for i, row := range p.rows {
		for k := range s {
			sd := row[s+k] / p.sd
			if !(sd > 0) {
				return m, fmt.Errorf("the standard deviation of test row %d is %g", i+1, row[s+k])
			}
			m.Mean[k*n+i], m.Var[k*n+i] = (row[k]-p.mean)/p.sd, sd*sd
		}
	}
	return m, nil
}

// minProbability replaces smaller probabilities. Otherwise one row could dominate a mean of logarithms.
const minProbability = 1e-9

// logits returns the logarithms of the probabilities.
func (p *predictions) logits() (logits []float64, k int, err error) {
	k = len(p.rows[0])
	if k < 2 {
		return nil, 0, fmt.Errorf("a line has %d probabilities", k)
	}
	for i, row := range p.rows {
		sum := 0.0
		for _, v := range row {
			sum += v
			logits = append(logits, math.Log(math.Max(v, minProbability)))
		}
		if !(math.Abs(sum-1) < 1e-3) {
			return nil, 0, fmt.Errorf("the probabilities of test row %d add up to %g", i+1, sum)
		}
	}
	return logits, k, nil
}
