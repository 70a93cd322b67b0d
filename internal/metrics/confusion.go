package metrics

import (
	"maps"
	"slices"
)

// ClassScore is the scores of one class, and its row of the confusion matrix without zeros, Predicted. A share is nil
// if it is of no rows.
type ClassScore struct {
	Class   string   `json:"class"`
	Support RowCount `json:"support"` // rows of the class, or the sum of their weights
	// share of the class among the rows that are predicted to be of it
	Precision *float64 `json:"precision"`
	// share of the rows of the class that are predicted to be of it
	Recall *float64 `json:"recall"`
	F1     *float64 `json:"f1"` // harmonic mean of the two
	// Predicted is the number of rows of the class that are predicted to be of each class.
	Predicted map[string]RowCount `json:"predicted"`
}

// AddClassScores adds the scores of each class, under its name, from the labels of the rows.
func (c *Classification) AddClassScores(labels []int32, classes []string, w Weights) {
	c.Classes = scoreClasses(labels, c.predicted, classes, w)
}

// scoreClasses scores predicted classes [N] against labels [N]: an entry for each class.
func scoreClasses(labels, predicted []int32, classes []string, w Weights) []ClassScore {
	out := make([]ClassScore, len(classes))
	for c, name := range classes {
		out[c] = ClassScore{Class: name, Predicted: map[string]RowCount{}}
	}
	for i, l := range labels {
		out[l].Predicted[classes[predicted[i]]] += RowCount(w.At(i))
	}
	fillScores(out)
	return out
}

// MergeClassScores adds up the scores of the same classes on several sets of rows.
func MergeClassScores(sets [][]ClassScore) []ClassScore {
	var out []ClassScore
	place := map[string]int{}
	for _, set := range sets {
		for _, c := range set {
			at, known := place[c.Class]
			if !known {
				at = len(out)
				place[c.Class] = at
				out = append(out, ClassScore{Class: c.Class, Predicted: map[string]RowCount{}})
			}
			for other, n := range c.Predicted {
				out[at].Predicted[other] += n
			}
		}
	}
	fillScores(out)
	return out
}

// fillScores computes the other scores from the confusion matrix.
func fillScores(classes []ClassScore) {
	taken := map[string]RowCount{}
	for _, c := range classes {
		for other, n := range c.Predicted {
			taken[other] += n
		}
	}
	of := func(n, all RowCount) *float64 { return ratio(float64(n), float64(all)) }
	for i := range classes {
		c := &classes[i]
		c.Support = 0
		for _, other := range slices.Sorted(maps.Keys(c.Predicted)) { // a sum of weights has the bits of its order
			c.Support += c.Predicted[other]
		}
		right := c.Predicted[c.Class]
		c.Precision, c.Recall = of(right, taken[c.Class]), of(right, c.Support)
		c.F1 = of(2*right, taken[c.Class]+c.Support)
	}
}
