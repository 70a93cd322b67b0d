package gpdrf_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
)

// wave is a sine on the inputs −3 to 3.
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
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 600, Set: map[string]string{"inducing": "30"}})
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
		Kind: gpdrf.GP, Steps: 30, Device: "cpu",
		Progress: func(p gpdrf.Progress) { steps = p.Step },
		Note:     func(line string) { fmt.Println(line) },
	})
	fmt.Println("trained to step", steps, err)
	// Output:
	// batch: 256 → 121, the number of training rows
	// inducing: 200 → 121, the number of training rows
	// warmup: 100 → 3, for a run of 30 steps
	// trained to step 30 <nil>
}

func ExampleTrain_sequences() {
	rows := gpdrf.Rows{Tokens: "dna"}
	for i := range 40 {
		rows.Sequences = append(rows.Sequences, strings.Repeat([]string{"ACGT", "AATT"}[i%2], 5+i%7))
		rows.Classes = append(rows.Classes, []string{"with G", "without"}[i%2])
	}
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, rows, gpdrf.Options{Steps: 60, Set: map[string]string{"kernel": "spectrum:2"}})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Sequences: []string{"TTAATTAATTAA", "ACGTACGTACGTACGT"}})
	fmt.Println(model.Classes(), p.Class, err)
	// Output:
	// [with G without] [without with G] <nil>
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

func ExamplePrediction_Quantile() {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 20})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{0.5}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the mean lies within the central 90 %:", p.Quantile(0, 0.05) < p.Mean[0] &&
		p.Mean[0] < p.Quantile(0, 0.95))
	// Output:
	// the mean lies within the central 90 %: true
}
