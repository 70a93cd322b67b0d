package gpdrf_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"slices"
	"strings"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
)

func ExampleTrain_targets() {
	rows := wave()
	for _, y := range rows.Values {
		rows.Targets = append(rows.Targets, []float64{y, 10 * y})
	}
	rows.Values, rows.TargetNames = nil, []string{"sine", "tenfold"}
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, rows, gpdrf.Options{Steps: 400, Inducing: 30})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{0.785}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, y := range p.Targets {
		fmt.Printf("%s: %.0f\n", y.Name, y.Mean[0])
	}
	// Output:
	// sine: 1
	// tenfold: 10
}

func ExampleTrain_weights() {
	rows := wave()
	for i := range rows.Values { // each input has two targets, of which the first one counts 99 times
		rows.Inputs = append(rows.Inputs, rows.Inputs[i])
		rows.Values = append(rows.Values, rows.Values[i]+10)
		rows.Weights = append(rows.Weights, 99)
	}
	rows.Weights = append(rows.Weights, slices.Repeat([]float64{1}, len(rows.Weights))...)
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, rows, gpdrf.Options{Steps: 600, Inducing: 30})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{0.785}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("near the heavy rows:", p.Mean[0] < 2)
	// Output:
	// near the heavy rows: true
}

func ExampleTrain_groups() {
	rows := wave()
	for i := range rows.Values {
		rows.Groups = append(rows.Groups, fmt.Sprintf("day %d", i/12))
	}
	_, err := gpdrf.Train(context.Background(), rows, gpdrf.Options{
		Steps: 5, Inducing: 20, Validation: 0.2, Device: "cpu",
		Note: func(line string) {
			if strings.Contains(line, "held out") {
				fmt.Println(line)
			}
		},
	})
	fmt.Println("trained", err)
	// Output:
	// rows: 24 of 121 training rows held out for validation, whole groups, by the seed 1
	// trained <nil>
}

// Training continues with new rows. WarmStart may be a model of Load, too.
func ExampleTrain_warmStart() {
	ctx := context.Background()
	before, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Steps: 500, Inducing: 30})
	if err != nil {
		log.Fatal(err)
	}
	rows := wave()
	for i := range rows.Values {
		rows.Values[i] += 0.5
	}
	var last gpdrf.Progress
	after, err := gpdrf.Train(ctx, rows, gpdrf.Options{WarmStart: before,
		Progress: func(p gpdrf.Progress) { last = p }})
	if err != nil {
		log.Fatal(err)
	}
	p, err := after.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{0.785}}})
	fmt.Printf("%.1f after %d steps, %v\n", p.Mean[0], last.Steps, err)
	_, err = gpdrf.Train(ctx, rows, gpdrf.Options{WarmStart: before, Inducing: 20})
	why, _, _ := strings.Cut(err.Error(), ": leave")
	fmt.Println(why)
	// Output:
	// 1.5 after 100 steps, <nil>
	// gpdrf.Options: inducing: the model of Options.WarmStart was made with "30"
}

func ExampleTrain_counts() {
	rows := gpdrf.Rows{}
	for i := range 100 { // calls in one hour or in four
		hours := []float64{1, 4}[i%2]
		rows.Inputs = append(rows.Inputs, []float64{float64(i%10) / 10})
		rows.Values = append(rows.Values, math.Round(hours*float64(1+i%10)))
		rows.Offset = append(rows.Offset, math.Log(hours))
	}
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, rows,
		gpdrf.Options{Likelihood: gpdrf.LikelihoodPoisson, Model: gpdrf.ModelGP, Steps: 300})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{0.5}, {0.5}}, Offset: []float64{0, math.Log(4)}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("four hours have %.1f times the calls of one\n", p.Mean[1]/p.Mean[0])
	q, err := p.Quantiles(0.95)
	fmt.Println("quantiles are counts:", q[0][0] == math.Floor(q[0][0]), err)
	// Output:
	// four hours have 4.0 times the calls of one
	// quantiles are counts: true <nil>
}

func ExampleTrain_levels() {
	rows := gpdrf.Rows{}
	for i := range 60 {
		rows.Inputs = append(rows.Inputs, []float64{float64(i)})
		rows.Classes = append(rows.Classes, []string{"low", "middle", "high"}[i/20])
	}
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, rows, gpdrf.Options{Likelihood: gpdrf.LikelihoodOrdinal, Steps: 300, Inducing: 20,
		Extra: map[string]string{"order": "low,middle,high"}})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{2}, {30}, {58}}})
	fmt.Println(model.Classes(), p.Class, err)
	// Output:
	// [low middle high] [low middle high] <nil>
}
