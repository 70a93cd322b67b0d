package seq

import (
	"math"
	"slices"
)

// auc is the area under the curve of one column's scores.
func (l *loo) auc(score []float64, column int) float64 {
	n := l.n()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	at := func(i int) float64 { return score[i*l.Columns+column] }
	slices.SortFunc(order, func(a, b int) int { return compare(at(a), at(b)) })
	positive, negative, sum := 0.0, 0.0, 0.0
	for i := 0; i < n; {
		yes, no, v := 0.0, 0.0, at(order[i])
		for ; i < n && compare(at(order[i]), v) == 0; i++ { // also of NaN
			if l.class(order[i]) == column {
				yes++
			} else {
				no++
			}
		}
		sum += yes * (negative + no/2)
		positive, negative = positive+yes, negative+no
	}
	if positive == 0 || negative == 0 {
		return 0.5
	}
	return sum / (positive * negative)
}

// hanley is the standard error of an area under the curve of so many rows of two classes (Hanley &
// McNeil 1982).
func hanley(a, n, m float64) float64 {
	q, r := a/(2-a), 2*a*a/(1+a)
	return math.Sqrt(max(0, a*(1-a)+(m-1)*(q-a*a)+(n-1)*(r-a*a)) / max(1, n*m))
}
