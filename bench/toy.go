package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/bench/plots"
	"github.com/gpdrf/gpdrf-gpu/predict"
)

// The toy: one input, rows of a known function with noise, and a gap without rows. The commands are the README's.
const (
	toyRows    = "examples/toy/rows.csv"
	toyGrid    = "examples/toy/grid.csv"
	toyPicture = "docs/images/toy.png"
	toyTrain   = "gpdrf-gpu train --data examples/toy/rows.csv --steps 3000 --inducing 40 --features " +
		"50 --set latents=4 --out runs/toy"
	toyPredict = "gpdrf-gpu predict runs/toy --data examples/toy/grid.csv --samples 1000 --out runs/toy/band.csv"
	toyNoise   = 0.12
)

// toyFunction returns the mean of the targets over the input.
func toyFunction(x float64) float64 { return math.Sin(2.2*x) + 0.35*x }

// toyFiles returns the rows, with a gap between −0.8 and 1.2, and the inputs to predict.
func toyFiles() (rows, grid string) {
	rng := rand.New(rand.NewPCG(2019, 7))
	var r, g strings.Builder
	r.WriteString("x,y\n")
	g.WriteString("x\n")
	for i := range 90 {
		x := -3 + 2.2*rng.Float64()
		if i%2 == 1 {
			x = 1.2 + 1.8*rng.Float64()
		}
		fmt.Fprintf(&r, "%.4f,%.4f\n", x, toyFunction(x)+toyNoise*rng.NormFloat64())
	}
	for i := range 161 {
		fmt.Fprintf(&g, "%.2f\n", -4+0.05*float64(i))
	}
	return r.String(), g.String()
}

// toy writes the files, runs the commands and draws the predictions.
func toy() error {
	rows, grid := toyFiles()
	for path, text := range map[string]string{toyRows: rows, toyGrid: grid} {
		if err := writeText(path, text); err != nil {
			return err
		}
	}
	binary, err := build()
	if err != nil {
		return err
	}
	defer os.Remove(binary)
	run, err := os.MkdirTemp("", "toy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(run)
	for _, command := range []string{toyTrain, toyPredict} {
		if err := runLogged(exec.Command(binary,
			strings.Fields(strings.ReplaceAll(command, "runs/toy", run))[1:]...)); err != nil {
			return err
		}
	}
	predicted, err := os.ReadFile(filepath.Join(run, "band.csv"))
	if err != nil {
		return err
	}
	band, err := toyBand(rows, grid, string(predicted))
	if err != nil {
		return err
	}
	if err := writeFile(toyPicture, band.Write); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "wrote", toyPicture)
	return nil
}

// toyBand makes the picture of three tables.
func toyBand(rows, grid, predicted string) (b plots.Band, err error) {
	b = plots.Band{XLabel: "x", YLabel: "y"}
	for _, c := range []struct {
		table, name string
		into        *[]float64
	}{
		{rows, "x", &b.RowsX}, {rows, "y", &b.RowsY}, {grid, "x", &b.X}, {predicted, "mean", &b.Mean},
		{predicted, predict.QuantileColumn(0.05), &b.Q05}, {predicted, predict.QuantileColumn(0.25), &b.Q25},
		{predicted, predict.QuantileColumn(0.75), &b.Q75}, {predicted, predict.QuantileColumn(0.95), &b.Q95},
	} {
		if *c.into, err = column(c.table, c.name); err != nil {
			return b, err
		}
	}
	for _, x := range b.X {
		b.Truth = append(b.Truth, toyFunction(x))
	}
	return b, nil
}

// column reads the numbers of one column of a CSV table.
func column(table, name string) (out []float64, err error) {
	records, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		return nil, err
	}
	index := slices.Index(records[0], name)
	if index < 0 {
		return nil, fmt.Errorf("there is no column %q among %q", name, records[0])
	}
	for _, r := range records[1:] {
		v, err := strconv.ParseFloat(r[index], 64)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
