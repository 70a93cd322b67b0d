// Minimal trains and predicts: what the library adds to a program.
package main

import (
	"context"
	"fmt"
	"log"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
)

func main() {
	ctx := context.Background()
	rows := gpdrf.Rows{Inputs: [][]float64{{1}, {2}, {3}}, Values: []float64{1, 2, 4}}
	model, err := gpdrf.Train(ctx, rows, gpdrf.Options{Steps: 10})
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, gpdrf.Rows{Inputs: [][]float64{{2.5}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Mean[0], p.SD[0])
}
