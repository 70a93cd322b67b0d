package main

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// mean is a mean with its standard error, which is NaN for fewer than two values.
type mean struct{ value, se float64 }

func meanOf(x []float64) mean {
	m, sd := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		return mean{m, math.NaN()}
	}
	return mean{m, sd / math.Sqrt(float64(len(x)))}
}

// paired returns the mean of a − b over the same folds or seeds.
func paired(a, b []float64) mean {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return meanOf(d)
}

// values returns the values of a score in the block "test"; ok is false if a record lacks it.
func values(records []*record, key string) (out []float64, ok bool) {
	for _, m := range records {
		v, ok := value(m.Test, key)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, len(out) > 0
}
