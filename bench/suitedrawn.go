package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
)

// drawnSet is a set that is drawn at random, by the number of the fold alone.
type drawnSet struct {
	name, kind  string
	inputs      int
	train, test int // rows
	row         func(rng *rand.Rand, x []float64, i int, test bool) (target float64)
}

// drawnSets are sets whose best prediction is known.
func drawnSets() []drawnSet {
	return []drawnSet{
		// The best prediction is a standard normal: NLPD 1.42, RMSE 1.
		{name: "noise", kind: numbers, inputs: 8, train: 500, test: 500,
			row: func(rng *rand.Rand, x []float64, _ int, _ bool) float64 {
				normals(rng, x)
				return rng.NormFloat64()
			}},
		// No row is sure: p(1) is the logistic function of half the first input.
		{name: "weak", kind: classes, inputs: 10, train: 1000, test: 1000,
			row: func(rng *rand.Rand, x []float64, _ int, _ bool) float64 {
				normals(rng, x)
				if rng.Float64() < 1/(1+math.Exp(-0.5*x[0])) {
					return 1
				}
				return 0
			}},
		// Training rows leave a gap between −0.3 and 0.3, where half of the test rows lie.
		{name: "gap", kind: numbers, inputs: 1, train: 400, test: 200,
			row: func(rng *rand.Rand, x []float64, i int, test bool) float64 {
				const edge = 0.3
				if test && i%2 == 1 {
					x[0] = edge * (2*rng.Float64() - 1)
				} else {
					x[0] = edge + (1-edge)*rng.Float64()
					if rng.IntN(2) == 0 {
						x[0] = -x[0]
					}
				}
				return math.Sin(6*x[0]) + 0.1*rng.NormFloat64()
			}},
	}
}

func normals(rng *rand.Rand, x []float64) {
	for j := range x {
		x[j] = rng.NormFloat64()
	}
}

// tables are the rows of a fold, as CSV.
func (d drawnSet) tables(fold int) (train, test string) {
	rng := rand.New(rand.NewPCG(uint64(fold), uint64(d.inputs)))
	return d.table(rng, d.train, false), d.table(rng, d.test, true)
}

func (d drawnSet) table(rng *rand.Rand, n int, test bool) string {
	var b strings.Builder
	for j := range d.inputs {
		fmt.Fprintf(&b, "x%d,", j+1)
	}
	b.WriteString("target\n")
	x := make([]float64, d.inputs)
	for i := range n {
		target := d.row(rng, x, i, test)
		writeRow(&b, x, strconv.FormatFloat(target, 'g', -1, 64))
	}
	return b.String()
}

func (d drawnSet) write(folder string, fold int) error {
	train, test := d.tables(fold)
	if err := writeText(filepath.Join(folder, "train.csv"), train); err != nil {
		return err
	}
	return writeText(filepath.Join(folder, "test.csv"), test)
}
