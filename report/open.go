package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Run holds the contents of a run for a report.
type Run struct {
	*rundir.Run
	Label      string // name of the run on a page of several
	Curve      []rundir.Reading
	Rows       *TestRows   // nil if the run has no predictions
	Importance *Importance // nil if the run has none
	History    []rundir.Session
}

// Open reads a run folder. If a file is missing, a part of the report is left out. The error of a damaged file is a
// *usererror.Error.
func Open(path string) (*Run, error) {
	opened, err := rundir.OpenRun(path)
	if err != nil {
		return nil, err
	}
	r := &Run{Run: opened, Label: filepath.Base(filepath.Clean(path))}
	for _, part := range []struct {
		name  string
		parse func(text []byte) error
	}{
		{rundir.HistoryFile, func(text []byte) error { return json.Unmarshal(text, &r.History) }},
		{rundir.MetricsFile, func(text []byte) (err error) { r.Curve, err = rundir.ParseReadings(text); return err }},
		{rundir.PredictionsFile, func(text []byte) (err error) { r.Rows, err = r.ParseRows(text); return err }},
		{rundir.ImportanceFile, func(text []byte) error { return json.Unmarshal(text, &r.Importance) }},
	} {
		if err := rundir.ReadPart(path, part.name, part.parse); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// regression reports whether targets are numbers.
func (r *Run) regression() bool { return r.Result.Task == data.Regression }

// TestRows has test rows and their predictions. Every list has a value for each row.
type TestRows struct {
	Number  []int    // number of each row, from 1
	Name    []string // name of each row in the data; nil without names
	Targets []Target // targets of a regression; nil for a classification
	Classes *Classes // labels of a classification; nil for a regression
	Inputs  []Column // values of the most important inputs
}

// Column is a column of numbers.
type Column struct {
	Name   string
	Values []float64
}

// Target is a target of a regression with its predictions, in its own units.
type Target struct {
	Name            string
	True, Mean, SD  []float64
	Q05, Q95        []float64 // quantiles
	LogDensity, PIT []float64 // log p(y), and the predictive CDF at y
}

// Classes are labels and their predictions.
type Classes struct {
	True, Predicted []string
	Probability     []float64 // probability of the predicted class
	LogDensity      []float64 // log p of the true class
	Distance        []float64 // the paper's Bhattacharyya distance; NaN if undefined
}

// The columns of rundir.PredictionsFile that predict does not write.
const (
	rowColumn     = "row"
	densityColumn = "log_density"
	pitColumn     = "pit"
	inputPrefix   = "input_"
)

// ParseRows reads rundir.PredictionsFile.
func (r *Run) ParseRows(text []byte) (*TestRows, error) {
	in := csv.NewReader(bytes.NewReader(text))
	records, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) < 2 || records[0][0] != rowColumn || len(records[0]) < 2 {
		return nil, fmt.Errorf("it has no rows, or does not begin with the column %s and others", rowColumn)
	}
	c := columns{head: records[0], rows: records[1:]}
	rows := &TestRows{}
	for _, v := range c.numbers(rowColumn) {
		rows.Number = append(rows.Number, int(v))
	}
	outputs := r.Trained.Schema.Outputs()
	first := "label"
	if r.regression() {
		first = predict.ColumnPrefix(outputs[0], outputs) + "mean"
	}
	if c.head[1] != first {
		rows.Name = c.texts(c.head[1])
	}
	if r.regression() {
		for _, name := range outputs {
			of := func(column string) []float64 { return c.numbers(predict.ColumnPrefix(name, outputs) + column) }
			rows.Targets = append(rows.Targets, Target{
				Name: name, True: of("target"), Mean: of("mean"), SD: of("sd"),
				Q05: of(predict.QuantileColumn(0.05)), Q95: of(predict.QuantileColumn(0.95)),
				LogDensity: of(densityColumn), PIT: of(pitColumn),
			})
		}
	} else {
		rows.Classes = c.classes(r.Trained.Schema.Classes)
	}
	last := len(c.head)
	for last > 0 && strings.HasPrefix(c.head[last-1], inputPrefix) {
		last--
	}
	for _, name := range c.head[last:] {
		rows.Inputs = append(rows.Inputs, Column{strings.TrimPrefix(name, inputPrefix), c.numbers(name)})
	}
	return rows, c.err
}

// columns is a table whose columns are read by name. It keeps the first error.
type columns struct {
	head []string
	rows [][]string
	err  error
}

func (c *columns) texts(name string) []string {
	column := slices.Index(c.head, name)
	if column < 0 {
		if c.err == nil {
			c.err = fmt.Errorf("it has no column %s", name)
		}
		return make([]string, len(c.rows))
	}
	all := make([]string, len(c.rows))
	for i, row := range c.rows {
		all[i] = row[column]
	}
	return all
}

// numbers reads a column of numbers; an empty cell is NaN.
func (c *columns) numbers(name string) []float64 {
	all := make([]float64, len(c.rows))
	for i, cell := range c.texts(name) {
		v, err := strconv.ParseFloat(cell, 64)
		switch {
		case cell == "":
			v = nan
		case err != nil && c.err == nil:
			c.err = fmt.Errorf("line %d, column %s: %q is not a number", i+2, name, cell)
		}
		all[i] = v
	}
	return all
}

func (c *columns) classes(names []string) *Classes {
	all := &Classes{True: c.texts("target"), Predicted: c.texts("label"),
		LogDensity: c.numbers(densityColumn), Distance: c.numbers("bhattacharyya")}
	probability := map[string][]float64{}
	for _, name := range names {
		probability[name] = c.numbers("p_" + name)
	}
	for i, label := range all.Predicted {
		p := nan
		if column, ok := probability[label]; ok {
			p = column[i]
		} else if c.err == nil {
			c.err = fmt.Errorf("line %d: the label %q is not a class of the model", i+2, label)
		}
		all.Probability = append(all.Probability, p)
	}
	return all
}

// density returns log p of each row; for several targets it is the sum.
func (r *TestRows) density() []float64 {
	if r.Classes != nil {
		return r.Classes.LogDensity
	}
	sum := make([]float64, len(r.Number))
	for _, t := range r.Targets {
		for i, v := range t.LogDensity {
			sum[i] += v
		}
	}
	return sum
}

// Histograms returns the columns of predictions whose distribution is of interest. r may be nil.
func (r *TestRows) Histograms() (all []Column) {
	if r == nil {
		return nil
	}
	for _, t := range r.Targets {
		name := ""
		if len(r.Targets) > 1 {
			name = t.Name + "_"
		}
		all = append(all, Column{name + "mean", t.Mean}, Column{name + "sd", t.SD}, Column{name + "pit", t.PIT})
	}
	if c := r.Classes; c != nil {
		all = append(all, Column{"probability", c.Probability}, Column{"bhattacharyya", c.Distance})
	}
	return append(all, Column{"log_density", r.density()})
}
