package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

const (
	farRows   = 20   // fewest rows that show how far targets lie from their median
	farShare  = 0.05 // largest share of rows that are not as the others
	farFactor = 1000 // distance beyond a tail: one of 1000 samples of a Cauchy distribution has it
)

// farTargetWarnings returns a warning for each regression target with values beyond all others, such as a code for
// missing values. They hold nearly all the variance, and the others are alike to a model.
func (d *Dataset) farTargetWarnings() (warnings []string) {
	if d.Task != Regression {
		return nil
	}
	for c, name := range d.Outputs() {
		y := d.Output(c)
		median, far := farValues(y)
		if far == nil {
			continue
		}
		also := ""
		if len(far) > 1 {
			also = fmt.Sprintf("; so are those of %s", phrase.Plural(len(far)-1, "other row"))
		}
		warnings = append(warnings, fmt.Sprintf("warning: %s: the target %s is %s, more than %d times as far from the "+
			"median %s as usual targets%s: correct or leave out what is no measurement", d.RowLocation(far[0]),
			phrase.Quote(name), phrase.Number(y[far[0]]), farFactor, phrase.Number(median), also))
	}
	return warnings
}

// farValues returns the median of y, and the first to last of at most farShare of the values that lie more than
// farFactor times as far from it as all others; nil without such values.
func farValues(y []float64) (median float64, far []int) {
	n := len(y)
	if n < farRows {
		return 0, nil
	}
	median = stats.Quantile(slices.Sorted(slices.Values(y)), 0.5)
	distance := func(i int) float64 { return math.Abs(y[i] - median) }
	nearest := metrics.ArgSort(n, func(i, j int) int { return cmp.Compare(distance(i), distance(j)) })
	for k := n - int(farShare*float64(n)); k < n; k++ {
		if near := distance(nearest[k-1]); near > 0 && distance(nearest[k]) > farFactor*near {
			return median, slices.Sorted(slices.Values(nearest[k:]))
		}
	}
	return median, nil
}
