package fitted

import "github.com/gpdrf/gpdrf-gpu/model"

// Kept is the prediction of some rows, in their order: what a run keeps of its test.
type Kept struct {
	Rows       []int // their numbers among those that were predicted
	Prediction *model.Prediction
}

// keptRows is how many rows a Kept has at most.
const keptRows = 5000

// keep takes rows that are spread evenly, the same ones whatever the seed is.
func keep(p *model.Prediction) Kept {
	rows := make([]int, min(p.N, keptRows))
	for i := range rows {
		rows[i] = i * p.N / len(rows)
	}
	return Kept{rows, pickPrediction(p, rows)}
}
