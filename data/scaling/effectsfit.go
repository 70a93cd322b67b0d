package scaling

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

const (
	effectFolds  = 8
	effectFewest = 10 // rows, without which words have no effects
	// largest number of classes that words have effects on: the most frequent ones
	maxEffectClasses = 10
	leastExposure    = 1e-6       // share of the longest exposure that a row counts for at least
	effectSite       = 0x65666665 // "effe"
)

// FitEffects fits CategoryEffects to training rows, with a linear mixed model of each target: for numbered words, and
// for the columns codes, which FindCodes returns. It returns them and the rows. The effects of each row come from fits
// without its fold: with effects that know its target, a model would be too sure. Effects that do not predict other
// folds are 0. The same rows give the same CategoryEffects; rows without words and codes give none. progress takes the
// share that is done. The error is that of ctx.
func FitEffects(ctx context.Context, d *data.Dataset, codes []int, progress func(share float64)) (*CategoryEffects,
	*data.Dataset, error) {
	words := d.Schema().NumberedWords()
	if len(words)+len(codes) == 0 || d.IsProjected() {
		return nil, d, nil
	}
	targets, names := effectTargets(d)
	e := &CategoryEffects{Targets: names}
	for _, c := range words {
		e.Columns = append(e.Columns, ColumnEffects{At: c.At, Words: len(c.Words)})
	}
	for _, at := range codes {
		levels := slices.Compact(slices.Sorted(slices.Values(column(d, at))))
		e.Columns = append(e.Columns, ColumnEffects{At: at, Words: len(levels), Codes: levels})
	}
	slices.SortFunc(e.Columns, func(a, b ColumnEffects) int { return cmp.Compare(a.At, b.At) })
	for k := range e.Columns {
		c := &e.Columns[k]
		c.Spread, c.Values = make([]float64, len(names)), make([]float64, c.Words*len(names))
	}
	m := newMixedModel(d, e.Columns)
	folds, weights := effectRowFolds(d, targets[0]), effectWeights(d)
	var heldOut [][][]float64 // of each target and column, the effects of the rows
	for t, target := range targets {
		all, spreads, without := m.crossFit(ctx, target, weights, folds)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		for k, effects := range all {
			e.Columns[k].Spread[t] = spreads[k]
			for w, v := range effects {
				e.Columns[k].Values[w*len(names)+t] = float64(float32(v))
			}
		}
		heldOut = append(heldOut, without)
		progress(float64(t+1) / float64(len(targets)))
	}
	rows := e.Apply(d)
	x, width := rows.X.Float64s(), e.Width(d.D())
	for t, columns := range heldOut {
		for k, at := range e.Inputs() {
			for i, v := range columns[k] {
				x[i*width+at+t] = v
			}
		}
	}
	return e, rows, nil
}

// column returns column j of the rows [N].
func column(d *data.Dataset, j int) []float64 { return matrix.Column(make([]float64, d.N()), d.X, j) }

// effectRowFolds returns the folds of the rows: whole groups or times, or rows in turn by a target.
func effectRowFolds(d *data.Dataset, target []float64) []int {
	folds := d.GroupedFolds(effectFolds)
	if folds == nil || slices.Min(folds) == slices.Max(folds) { // all rows are of one group, or near one time
		return foldsInTurn(target)
	}
	return folds
}

// effectTargets returns the targets that words have effects on, each [N] with mean 0 and variance 1, and their names.
// Long tails are drawn in, and counts are divided by their exposures. Classes have indicators: of two, the second is
// enough, and of many, only the most frequent ones have some.
func effectTargets(d *data.Dataset) (targets [][]float64, names []string) {
	add := func(name string, t []float64) {
		if d.Task == data.Regression {
			tails := AsinhScale{make([]float64, 1), make([]float64, 1)}
			tails.fit(slices.Clone(t), 0)
			for i, v := range t {
				t[i] = tails.value(0, v)
			}
		}
		mean, sd := stats.MeanSD(t)
		for i, v := range t {
			t[i] = (v - mean) / max(sd, 1e-300)
		}
		targets, names = append(targets, t), append(names, name)
	}
	if d.Task == data.Regression {
		for c, name := range d.Outputs() {
			y := d.Output(c)
			for i := range d.Offset {
				y[i] /= math.Exp(d.Offset[i])
			}
			add(name, y)
		}
		return targets, names
	}
	counts := d.ClassCounts()
	classes := matrix.Every(len(counts))
	if len(classes) == 2 {
		classes = classes[1:]
	}
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	classes = classes[:min(len(classes), maxEffectClasses)]
	slices.Sort(classes)
	for _, c := range classes {
		t := make([]float64, d.N())
		for i, l := range d.Labels {
			if int(l) == c {
				t[i] = 1
			}
		}
		add(d.Classes[c], t)
	}
	return targets, names
}

// effectWeights returns the weights of the rows; nil for equal ones. A count over a longer exposure tells more of its
// rate.
func effectWeights(d *data.Dataset) []float64 {
	if d.Offset == nil {
		return d.Weights
	}
	weights := make([]float64, d.N())
	most := slices.Max(d.Offset)
	for i, offset := range d.Offset {
		weights[i] = metrics.Weights(d.Weights).At(i) * max(math.Exp(offset-most), leastExposure)
	}
	scale := metrics.Weights(d.Weights).Sum(d.N()) / stats.Sum(weights)
	for i := range weights {
		weights[i] *= scale
	}
	return weights
}

// foldsInTurn distributes rows of neighbouring targets to the folds in turn, from 1. Equal targets are in random order,
// as the words may follow each other in the file.
func foldsInTurn(target []float64) []int {
	order := make([]int, len(target))
	philox.Permutation(order, [2]uint32{}, effectSite, 0, 0)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(target[a], target[b]) })
	folds := make([]int, len(target))
	for at, i := range order {
		folds[i] = 1 + at%effectFolds
	}
	return folds
}

// newMixedModel returns a model of the columns of effects, and of the other columns as numbers.
func newMixedModel(d *data.Dataset, effects []ColumnEffects) *mixedModel {
	m := &mixedModel{}
	n, columns := matrix.Size(d.X)
	var at []int
	for _, c := range effects {
		words := make([]int, n)
		for i, v := range column(d, c.At) {
			words[i] = c.word(v)
		}
		m.words, m.sizes = append(m.words, words), append(m.sizes, c.Words)
		at = append(at, c.At)
	}
	numbers := matrix.Others(columns, at)
	if len(numbers) == 0 {
		return m
	}
	x := matrix.Columns(d.X, numbers)
	scaler, _ := fitScaler("tails", x) // fitScaler accepts the kind tails
	rows := scaler.Rows(x, 0, n)
	for j := range numbers {
		z := make([]float64, n)
		for i := range z {
			z[i] = rows[i*len(numbers)+j]
		}
		m.numbers = append(m.numbers, z)
	}
	return m
}

// crossFit returns the effects of the words on a target, their standard deviation for each column, and the effects of
// each row from a fit without its fold. The effects of a column are 0 if those of other folds do not predict a row
// better than the rest of the model, by more than the standard error.
func (m *mixedModel) crossFit(ctx context.Context, target, weights []float64, folds []int) (effects [][]float64,
	spreads []float64, heldOut [][]float64) {
	n := len(target)
	rest := make([]float64, n) // targets less all but the effects of words
	for range m.words {
		heldOut = append(heldOut, make([]float64, n))
	}
	parallel.Each(ctx, 1+slices.Max(folds), 1, func(fold, _ int) { // fold 0 holds no row
		others := make([]float64, n)
		for i := range others {
			if folds[i] != fold {
				others[i] = metrics.Weights(weights).At(i)
			}
		}
		if stats.Sum(others) < effectFewest {
			return
		}
		f := m.fit(target, others)
		if fold == 0 {
			effects = f.effects
			for _, variance := range f.spreads {
				spreads = append(spreads, math.Sqrt(variance))
			}
			return
		}
		for _, i := range matrix.Which(n, func(i int) bool { return folds[i] == fold }) {
			rest[i] = f.residuals[i]
			for k, words := range m.words {
				if w := words[i]; w >= 0 {
					heldOut[k][i] = f.effects[k][w]
					rest[i] += heldOut[k][i]
				}
			}
		}
	})
	for k := range effects {
		if !predicts(heldOut, k, rest, weights) {
			clear(effects[k])
			clear(heldOut[k])
			spreads[k] = 0
		}
	}
	return effects, spreads, heldOut
}

// predicts reports whether the effects of column k bring the squared errors of rows down by more than the standard
// error, given the effects of the other columns.
func predicts(effects [][]float64, k int, rest, weights []float64) bool {
	with, without := make([]float64, len(rest)), make([]float64, len(rest))
	for i, r := range rest {
		for j := range effects {
			r -= effects[j][i]
		}
		with[i] = -r * r
		r += effects[k][i]
		without[i] = -r * r
	}
	return metrics.Weights(weights).BetterByOneSE(with, without)
}
