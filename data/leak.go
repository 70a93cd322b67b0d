package data

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

const (
	leakRows    = 20 // fewest rows that are evidence of a copy of the target
	leakPerWord = 5  // fewest rows for each value of a copy of classes
)

// leakWarnings returns a warning for each column that tells the target of the training rows exactly, as a copy does.
func (d *Dataset) leakWarnings() (warnings []string) {
	if d.X == nil || d.N() < leakRows {
		return nil
	}
	leaks := d.copiesOfClasses
	if d.Task == Regression {
		leaks = d.copiesOfNumbers
	}
	for _, name := range leaks() {
		word := name
		if flagWord(word, 0) != word {
			word = phrase.Quote(word)
		}
		warnings = append(warnings, fmt.Sprintf("warning: the column %s tells the target exactly: leave it out "+
			"(of a table by %s %s) if new rows will not have it", phrase.Quote(name), asFlag("ignore"), word))
	}
	return warnings
}

// copiesOfNumbers returns the inputs with a correlation of 1 or −1 with a target that has three values or more. Cells
// of a file may be rounded.
func (d *Dataset) copiesOfNumbers() (names []string) {
	const few, rounding = 3, 1e-9
	outputs := len(d.Outputs())
	x, y := make([]float64, d.N()), make([]float64, d.N())
	for k := range outputs {
		for i := range y {
			y[i] = d.Y[i*outputs+k]
		}
		if len(setOf(y)) < few {
			continue
		}
		for j, name := range d.Columns {
			r := stat.Correlation(matrix.Column(x, d.X, j), y, nil)
			if math.Abs(r) >= 1-rounding && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// copiesOfClasses returns the columns whose values and the classes are one to one.
func (d *Dataset) copiesOfClasses() (names []string) {
	type column struct {
		Input
		values map[int32]float64 // the value of each class
	}
	var open []column
	for _, in := range d.Schema().Inputs() {
		if in.Columns != nil {
			open = append(open, column{in, map[int32]float64{}})
		}
	}
	buffer := make([]float64, d.D())
	for i, class := range d.Labels {
		row := matrix.Row(buffer, d.X, i)
		open = slices.DeleteFunc(open, func(c column) bool {
			value := 0.0
			for k, j := range c.Columns { // the inputs of a word are 0, except for one
				value += float64(k+1) * row[j]
			}
			known, met := c.values[class]
			c.values[class] = value
			return met && known != value
		})
	}
	for _, c := range open {
		different := map[float64]bool{}
		for _, value := range c.values {
			different[value] = true
		}
		if k := len(different); k > 1 && k == len(c.values) && leakPerWord*k <= d.N() {
			names = append(names, c.Name)
		}
	}
	return names
}
