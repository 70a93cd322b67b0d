package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	_ "github.com/gpdrf/gpdrf-gpu/data/columnar"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// files is the measurement of predict from file to file, compared with the bare forward pass of the same number of
// rows.
type files struct {
	program string
	folder  string
	turns   int
	out     io.Writer
}

// fileModels are the models, and the numbers of rows for which each of them takes about a second.
var fileModels = []struct {
	name string
	rows int
}{{"gp", 500_000}, {"drf", 500_000}, {"gpdrf", 10_000}}

// predictFiles prints the figures of docs/bench.md about predict.
func predictFiles(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("predict", flag.ContinueOnError)
	program := flags.String("program", "gpdrf-gpu", "the program")
	turns := flags.Int("turns", 5, "how often forward pass, CSV and Parquet take turns")
	rows := flags.Int("rows", 0, "rows of a file; 0 is as many as take a second")
	models := flags.String("models", "gp,drf,gpdrf", "models to measure")
	if err := flags.Parse(args); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "predict")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	f := &files{*program, folder, *turns, out}
	for _, m := range fileModels {
		if !slices.Contains(strings.Split(*models, ","), m.name) {
			continue
		}
		if *rows > 0 {
			m.rows = *rows
		}
		if err := f.model(m.name, m.rows); err != nil {
			return err
		}
	}
	return nil
}

// model measures one model.
func (f *files) model(name string, rows int) error {
	if err := f.write(rows); err != nil {
		return err
	}
	run := filepath.Join(f.folder, name)
	if _, err := f.run("train", "--quiet", "--set", "report=false", "--device", "cpu:f32",
		"--data", "examples/power.csv", "--target", "energy_output", "--model", name, "--steps", "200",
		"--out", run); err != nil {
		return err
	}
	trained, err := fitted.ReadModel(filepath.Join(run, rundir.ModelFile))
	if err != nil {
		return err
	}
	bare, err := f.forward(trained, rows)
	if err != nil {
		return err
	}
	formats := []string{predict.CSV, predict.Parquet}
	// Rows a second, and in multiples of the first: the forward pass, then each format.
	rates, ratios := make([][]float64, 3), make([][]float64, 3)
	memory := make([]float64, 3)
	for range f.turns {
		for k := range 1 + len(formats) {
			began := time.Now()
			if k == 0 {
				err = bare()
			} else {
				format := formats[k-1]
				memory[k], err = f.run("predict", run, "--quiet", "--device", "cpu:f32", "--data",
					f.path("rows", format), "--out", f.path("out", format))
			}
			if err != nil {
				return err
			}
			rates[k] = append(rates[k], float64(rows)/time.Since(began).Seconds())
			ratios[k] = append(ratios[k], rates[k][len(rates[k])-1]/rates[0][len(rates[0])-1])
		}
	}
	fmt.Fprintf(f.out, "%s, %d rows, %d turns: forward pass %.0f rows/s\n", name, rows, f.turns, median(rates[0]))
	for k, format := range formats {
		r := ratios[k+1]
		fmt.Fprintf(f.out, "%s, %s to %s: %.0f rows/s, ratio %.2f (%.2f to %.2f), peak memory %.1f MB\n",
			name, format, format, median(rates[k+1]), median(r), slices.Min(r), slices.Max(r), memory[k+1])
	}
	return f.parts(name, trained)
}

// run runs the program and returns its peak memory in megabytes, which it reads from time to time. The peak that the
// system reports after the end includes the memory of this process.
func (f *files) run(arguments ...string) (mb float64, err error) {
	var text bytes.Buffer
	c := exec.Command(f.program, arguments...)
	c.Stdout, c.Stderr = &text, &text
	if err := c.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("%s %s: %w: %s", f.program, arguments[0], err, &text)
			}
			return mb, err
		case <-time.After(20 * time.Millisecond):
			mb = max(mb, peakMemory(c.Process.Pid))
		}
	}
}

// peakMemory returns the peak memory of a process so far, in megabytes; 0 if it is unknown.
func peakMemory(process int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if err != nil {
		return 0
	}
	_, text, _ = bytes.Cut(text, []byte("VmHWM:"))
	var kilobytes float64
	fmt.Sscan(string(text), &kilobytes)
	return kilobytes * 1024 / 1e6
}

func (f *files) path(name, format string) string { return filepath.Join(f.folder, name+"."+format) }

// write makes the files. Each cell is copied from a row of the table.
func (f *files) write(rows int) error {
	text, err := os.ReadFile("examples/power.csv")
	if err != nil {
		return err
	}
	var table [][]string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		table = append(table, cells[:len(cells)-1]) // the target is left out
	}
	var columns []tablefile.Column
	for _, name := range table[0] {
		columns = append(columns, tablefile.Column{Name: name})
	}
	lines, err := os.Create(f.path("rows", predict.CSV))
	if err != nil {
		return err
	}
	defer lines.Close()
	packed, err := os.Create(f.path("rows", predict.Parquet))
	if err != nil {
		return err
	}
	defer packed.Close()
	to := bufio.NewWriter(lines)
	library, err := tablefile.Linked()
	if err != nil {
		return err
	}
	numbers, err := library.NewParquet(packed, columns)
	if err != nil {
		return err
	}
	fmt.Fprintln(to, strings.Join(table[0], ","))
	rng := rand.New(rand.NewPCG(1, 1))
	cells := make([]string, len(columns))
	for range rows {
		for c := range cells {
			cells[c] = table[1+rng.IntN(len(table)-1)][c]
			v, err := strconv.ParseFloat(cells[c], 64)
			if err != nil {
				return err
			}
			numbers.Number(v)
		}
		if err := numbers.EndRow(); err != nil {
			return err
		}
		fmt.Fprintln(to, strings.Join(cells, ","))
	}
	if err := to.Flush(); err != nil {
		return err
	}
	return numbers.Close()
}

// forward times the forward pass of a number of rows, by repeating the first batch of predict.
func (f *files) forward(trained *fitted.Model, rows int) (pass func() error, err error) {
	dev, err := device.Open("cpu:f32")
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	batch := predict.BatchRows(trained, trained.EvalSamples)
	from, err := data.OpenStream(f.path("rows", predict.CSV), trained.Schema, data.TableOptions{},
		data.ReadControl{}, nil)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	first, err := from.Next(batch)
	if err != nil {
		return nil, err
	}
	p, err := trained.NewPredictor(dev, first.N(), trained.EvalSamples)
	if err != nil {
		return nil, err
	}
	x, _, err := trained.Rows(ctx, first)
	return func() error {
		for remaining := rows; remaining > 0; remaining -= first.N() {
			n := min(remaining, first.N())
			if _, err := p.Predict(ctx, n, x[:n*trained.Config.Width()]); err != nil {
				return err
			}
		}
		return nil
	}, err
}
