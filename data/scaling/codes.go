package scaling

import (
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
)

const (
	fewCodes           = 30      // columns of at most as many numbers have none, as of words
	mostCodes          = 1 << 16 // of a column
	maxColumnsForCodes = 100     // columns: of more, as of images, none is looked at
	codeErrors         = 3       // standard errors by which gains exceed 0
	neighbourShare     = 0.75
)

// FindCodes returns the columns of whole numbers that are codes: they name groups of rows, as the numbers of customers,
// schools or states do. The target's mean over the other rows of the same code predicts a row. Its mean over the rows
// of the two next codes does not, or explains less than three quarters as much: of a quantity, neighbours would predict
// nearly as well. Both gains exceed three standard errors, for one target at least: over rows, and over codes, since a
// quantity may have many equal values at its bounds, far from their neighbours.
func FindCodes(ctx context.Context, d *data.Dataset) (codes []int) {
	candidates := d.Schema().NumberColumnsAt()
	if d.D() > maxColumnsForCodes || len(candidates) == 0 || d.IsProjected() {
		return nil
	}
	targets, _ := effectTargets(d)
	folds, weights := effectRowFolds(d, targets[0]), metrics.Weights(effectWeights(d))
	isCode := make([]bool, len(candidates))
	parallel.Each(ctx, len(candidates), 1, func(k, _ int) {
		levels, of := codeLevels(column(d, candidates[k]))
		isCode[k] = levels > 0 && slices.ContainsFunc(targets, func(target []float64) bool {
			return areCodes(of, levels, target, weights, folds)
		})
	})
	for _, k := range matrix.Which(len(candidates), func(k int) bool { return isCode[k] }) {
		codes = append(codes, candidates[k])
	}
	return codes
}

// codeLevels returns the number of different values of a column, and of each row the place of its value in their order.
// The number is 0 if they are not whole, or too few, or if a value has less than two rows on average.
func codeLevels(x []float64) (levels int, of []int) {
	if slices.ContainsFunc(x, func(v float64) bool { return v != math.Trunc(v) }) { // Trunc(NaN) is not NaN either
		return 0, nil
	}
	values := slices.Compact(slices.Sorted(slices.Values(x)))
	if n := len(values); n <= fewCodes || n > mostCodes || 2*n > len(x) {
		return 0, nil
	}
	of = make([]int, len(x))
	for i, v := range x {
		of[i], _ = slices.BinarySearch(values, v)
	}
	return len(values), of
}

// areCodes reports whether the levels of the rows are codes, by a target [N] of mean 0. Each row is predicted from the
// rows of other folds. Means shrink to 0 by the ratio of the variances within levels and between them.
func areCodes(of []int, levels int, target []float64, weights metrics.Weights, folds []int) bool {
	parts := 1 + slices.Max(folds)
	counts, sums := make([]float64, parts*levels), make([]float64, parts*levels) // part 0: all rows
	for i, l := range of {
		for _, part := range []int{0, folds[i]} {
			counts[part*levels+l]++
			sums[part*levels+l] += target[i]
		}
	}
	ratio, vary := varianceRatio(counts[:levels], sums[:levels], of, target)
	if !vary {
		return false
	}
	own, difference := make([]float64, len(of)), make([]float64, len(of))
	for i, l := range of {
		gain := func(levelsOf ...int) float64 {
			n, sum := ratio, 0.0
			for _, j := range levelsOf {
				if j >= 0 && j < levels {
					n += counts[j] - counts[folds[i]*levels+j]
					sum += sums[j] - sums[folds[i]*levels+j]
				}
			}
			return sum / n * (2*target[i] - sum/n) // t² − (t − mean)²
		}
		own[i] = gain(l)
		difference[i] = neighbourShare*own[i] - gain(l-1, l+1)
	}
	surpass := func(gains []float64) bool {
		mean, se := weights.MeanStdErr(gains)
		ofLevels := make([]float64, levels)
		for i, l := range of {
			ofLevels[l] += gains[i] / counts[l]
		}
		levelMean, levelSE := metrics.MeanStdErr(ofLevels)
		return mean > codeErrors*se && levelMean > codeErrors*levelSE
	}
	return surpass(own) && surpass(difference)
}

// varianceRatio returns the variance of a target within levels over that between levels, by an analysis of variance
// with random effects. It reports false if the levels do not differ.
func varianceRatio(counts, sums []float64, of []int, target []float64) (ratio float64, vary bool) {
	n, levels := float64(len(of)), float64(len(counts))
	within, between, squares := 0.0, 0.0, 0.0
	for i, l := range of {
		e := target[i] - sums[l]/counts[l]
		within += e * e
	}
	for l, count := range counts {
		between += sums[l] * sums[l] / count
		squares += count * count
	}
	within /= n - levels
	variance := (between/(levels-1) - within) / ((n - squares/n) / (levels - 1))
	return within / variance, variance > 0
}
