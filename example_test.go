package gpdrf_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
)

// wave returns a sine on the inputs −3 to 3.
func wave() (rows gpdrf.Rows) {
	for i := range 121 {
		x := float64(i)/20 - 3
		rows.Inputs = append(rows.Inputs, []float64{x})
		rows.Values = append(rows.Values, math.Sin(2*x))
	}
	return rows
}

func Example() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 600, Inducing: 30})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{0.785}, {20}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("sin(2·0.785) is %.1f\n", p.Mean[0])
	fmt.Println("surer there than at 20:", p.SD[0] < p.SD[1])
	fmt.Println("20 is far from the training rows:", p.Distance[1] > 1)
	// Output:
	// sin(2·0.785) is 1.0
	// surer there than at 20: true
	// 20 is far from the training rows: true
}

func ExampleTrain_progress() {
	steps := 0
	_, err := gpdrf.Train(context.Background(), wave(), gpdrf.Options{
		Model: gpdrf.ModelGP, Steps: 30, Device: "cpu",
		Progress: func(p gpdrf.Progress) { steps = p.Step },
		Note:     func(line string) { fmt.Println(line) },
	})
	fmt.Println("trained to step", steps, err)
	// Output:
	// batch: 256 → 121, the number of training rows
	// inducing: 200 → 121, the number of training rows
	// warmup: 100 → 3, for a run of 30 steps
	// objective: elbo, since steps, epochs or kl-weight are given: objective=auto lets held-out rows choose
	// trained to step 30 <nil>
}

// After Ctrl-C, Train returns the model so far with the error.
func ExampleTrain_interrupt() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Model: gpdrf.ModelGP, Steps: 100000,
		Progress: func(p gpdrf.Progress) {
			if p.Step >= 100 {
				stop() // in place of Ctrl-C
			}
		}})
	if model == nil {
		log.Fatal(err) // no step was done
	}
	p, predictErr := model.Predict(context.Background(), gpdrf.Rows{Inputs: [][]float64{{0.785}}})
	fmt.Println(err, len(p.Mean), predictErr)
	// Output:
	// context canceled 1 <nil>
}

func ExampleTrain_sequences() {
	rows := gpdrf.Rows{Tokens: "dna"}
	for i := range 40 {
		rows.Sequences = append(rows.Sequences, strings.Repeat([]string{"ACGT", "AATT"}[i%2], 5+i%7))
		rows.Classes = append(rows.Classes, []string{"with G", "without"}[i%2])
	}
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, rows, gpdrf.Options{Steps: 60, Kernel: "spectrum:2"})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Sequences: []string{"TTAATTAATTAA", "ACGTACGTACGTACGT"}})
	fmt.Println(model.Classes(), p.Class, err)
	// Output:
	// [with G without] [without with G] <nil>
}

func ExampleMatrix() {
	x := mat.NewDense(4, 2, []float64{1, 2, 3, 5, 5, 1, 7, 0})
	y := mat.NewVecDense(4, []float64{3, 8, 6, 7})
	model, err := gpdrf.Train(context.Background(), gpdrf.Rows{Inputs: gpdrf.Matrix(x), Values: mat.Col(nil, 0, y)},
		gpdrf.Options{Model: gpdrf.ModelGP, Steps: 20})
	fmt.Println(gpdrf.Matrix(x)[1], model != nil, err)
	// Output:
	// [3 5] true <nil>
}

func ExampleModel_Classes() {
	model, err := gpdrf.Train(context.Background(), gpdrf.Rows{Inputs: [][]float64{{1}, {2}, {3}, {4}},
		Classes: []string{"low", "low", "high", "high"}}, gpdrf.Options{Steps: 5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Classes())
	// Output:
	// [high low]
}

// Bad input is an InputError: it tells the row or the option to mend.
func ExampleInputError() {
	rows := wave()
	rows.Values[6] = math.NaN()
	_, err := gpdrf.Train(context.Background(), rows, gpdrf.Options{})
	var bad *gpdrf.InputError
	if errors.As(err, &bad) {
		fmt.Println("row", bad.Row, "is bad:", err)
	}
	_, err = gpdrf.Train(context.Background(), wave(), gpdrf.Options{Kernel: "matern42"})
	if errors.As(err, &bad) {
		fmt.Println("the option is", bad.Option)
	}
	_, err = gpdrf.Load("absent.safetensors")
	fmt.Println("there is such a file:", !errors.Is(err, fs.ErrNotExist))
	// Output:
	// row 7 is bad: row 7: the value is NaN: only finite numbers within ±1e+100 can be used
	// the option is kernel
	// there is such a file: false
}

func ExampleModel_Evaluate() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 600, Inducing: 30})
	if err != nil {
		log.Fatal(err)
	}
	test := gpdrf.Rows{}
	for _, x := range []float64{-1.3, 0.2, 0.9, 2.6} {
		test.Inputs = append(test.Inputs, []float64{x})
		test.Values = append(test.Values, math.Sin(2*x))
	}
	scores, err := model.Evaluate(ctx, test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scores.Rows, "rows, RMSE below 0.1:", scores.Targets[0].RMSE < 0.1)
	// Output:
	// 4 rows, RMSE below 0.1: true
}

// A model stays on its device between predictions. Close gives the device back.
func ExampleModel_Predict() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 20, LR: 0.01, Batch: 64})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	model.SetDevice("cpu")
	for _, x := range []float64{0, 1, 2} {
		if _, err := model.Predict(ctx, gpdrf.Rows{Columns: []string{"x0"}, Inputs: [][]float64{{x}}}); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
}

func ExampleModel_Close() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 20})
	if err != nil {
		log.Fatal(err)
	}
	row := gpdrf.Rows{Inputs: [][]float64{{0.5}}}
	before, _ := model.Predict(ctx, row)
	fmt.Println(model.Close())
	after, err := model.Predict(ctx, row)
	fmt.Println("the same prediction:", before.Mean[0] == after.Mean[0], err)
	// Output:
	// <nil>
	// the same prediction: true <nil>
}

func ExampleModel_Save() {
	model, err := gpdrf.Train(context.Background(), wave(), gpdrf.Options{Model: gpdrf.ModelGP, Steps: 5})
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(os.TempDir(), "wave.safetensors")
	defer os.Remove(path)
	fmt.Println(model.Save(path))
	// Output:
	// <nil>
}

func ExampleModel_Suggest() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Model: gpdrf.ModelGP, Steps: 200})
	if err != nil {
		log.Fatal(err)
	}
	candidates := gpdrf.Rows{Inputs: [][]float64{{0}, {0.25}, {0.5}, {0.75}, {1}}}
	next, err := model.Suggest(ctx, candidates, gpdrf.SuggestOptions{Acquisition: gpdrf.AcquisitionUCB, Batch: 2})
	fmt.Println(len(next), "rows,", "the first is at", candidates.Inputs[next[0].Row][0], err)
	// Output:
	// 2 rows, the first is at 0.75 <nil>
}

func ExampleLoad() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 20})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "gpdrf")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := model.Save(path); err != nil {
		log.Fatal(err)
	}
	loaded, err := gpdrf.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	rows := gpdrf.Rows{Inputs: [][]float64{{0.5}}}
	a, _ := model.Predict(ctx, rows)
	b, err := loaded.Predict(ctx, rows)
	fmt.Println("the same prediction:", a.Mean[0] == b.Mean[0], err)
	// Output:
	// the same prediction: true <nil>
}

func ExampleTargetPrediction_Quantiles() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 20})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{0.5}}})
	if err != nil {
		log.Fatal(err)
	}
	y := p.Targets[0]
	q, err := y.Quantiles(0.1, 0.2)
	fmt.Println(y.Name, "has its quantiles in order:", q[0][0] < q[0][1], err)
	// Output:
	// target has its quantiles in order: true <nil>
}

func ExamplePrediction_Quantiles() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 20})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{0.5}}})
	if err != nil {
		log.Fatal(err)
	}
	q, err := p.Quantiles(0.05, 0.95)
	fmt.Println("the mean lies within the central 90 %:", q[0][0] < p.Mean[0] && p.Mean[0] < q[0][1], err)
	_, err = p.Quantiles(95)
	fmt.Println(err)
	// Output:
	// the mean lies within the central 90 %: true <nil>
	// level 95: must be above 0 and below 1
}

func ExampleTargetPrediction_ConformalIntervals() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 20, Conformal: true})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{0.5}}})
	if err != nil {
		log.Fatal(err)
	}
	y := p.Targets[0]
	lower, upper, err := y.ConformalIntervals(0.8)
	fmt.Println("sin(2·0.5) is inside:", lower[0] < math.Sin(1) && math.Sin(1) < upper[0], err)
	_, _, err = y.ConformalIntervals(0.99)
	why, _, _ := strings.Cut(err.Error(), ":")
	fmt.Println(why)
	// Output:
	// sin(2·0.5) is inside: true <nil>
	// level 0.99 needs at least 99 rows held out for intervals, and there are 24
}

func ExamplePrediction_ConformalIntervals() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 20, Conformal: true})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, wave())
	if err != nil {
		log.Fatal(err)
	}
	lower, upper, err := p.ConformalIntervals(0.8)
	if err != nil {
		log.Fatal(err)
	}
	inside := 0
	for i, y := range wave().Values {
		if lower[i] <= y && y <= upper[i] {
			inside++
		}
	}
	fmt.Println("eight of ten rows are inside, or more:", inside*10 >= len(p.Mean)*8)
	// Output:
	// eight of ten rows are inside, or more: true
}

func ExamplePrediction_ConformalSets() {
	rows := wave()
	for _, y := range rows.Values {
		rows.Classes = append(rows.Classes, map[bool]string{true: "positive", false: "negative"}[y > 0])
	}
	rows.Values = nil
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, rows, gpdrf.Options{Steps: 300, Inducing: 30, Conformal: true})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{0.8}}})
	if err != nil {
		log.Fatal(err)
	}
	sets, err := p.ConformalSets(0.9)
	fmt.Println(sets, err)
	// Output:
	// [[positive]] <nil>
}
