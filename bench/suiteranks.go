package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/bench/plots"
)

// ranking compares the methods of a kind of sets by one score.
type ranking struct {
	kind, key string
	methods   []suiteMethod
	sets      []string
	folds     []int       // number of folds of each set, over which the means are taken
	ranks     [][]float64 // ranks by method, on each set
}

// newRanking ranks the methods on each set of a kind, over the folds in which all have a record. A method that failed
// is last. The ranking is empty until the first fold of each set is whole.
func newRanking(all suiteRecords, kind, key string) ranking {
	r := ranking{kind: kind, key: key, methods: methodsOf(kind)}
	if len(all.without(firstFolds(kind))) > 0 {
		return r
	}
	r.ranks = make([][]float64, len(r.methods))
	for _, s := range setsOf(kind) {
		folds := all.common(s, r.methods)
		values := make([]float64, len(r.methods))
		for i, m := range r.methods {
			values[i] = all.mean(s, m, folds, key)
		}
		for i, rank := range ranksOf(values) {
			r.ranks[i] = append(r.ranks[i], rank)
		}
		r.sets, r.folds = append(r.sets, s.name), append(r.folds, len(folds))
	}
	return r
}

// firstFolds returns the cells of the first fold of all sets of a kind.
func firstFolds(kind string) []suiteCell {
	return suiteCells(setsOf(kind), func(suiteMethod) bool { return true }, 1)
}

// common returns the folds of a set in which all of the methods have a record.
func (all suiteRecords) common(s suiteSet, methods []suiteMethod) (folds []int) {
	for fold := 1; fold <= s.folds; fold++ {
		if !slices.ContainsFunc(methods,
			func(m suiteMethod) bool { return all[cellKey{s.name, fold, m.name}] == nil }) {
			folds = append(folds, fold)
		}
	}
	return folds
}

// scores returns the scores of a method in folds that have a record; +Inf if it failed.
func (all suiteRecords) scores(s suiteSet, m suiteMethod, folds []int, key string) (out []float64) {
	for _, fold := range folds {
		v, ok := all[cellKey{s.name, fold, m.name}].Scores[key]
		if !ok {
			v = math.Inf(1)
		}
		out = append(out, v)
	}
	return out
}

func (all suiteRecords) mean(s suiteSet, m suiteMethod, folds []int, key string) float64 {
	return meanOf(all.scores(s, m, folds, key)).value
}

// ranksOf returns the ranks of values: 1 for the least. Equal values share the mean of their ranks.
func ranksOf(values []float64) []float64 {
	ranks := make([]float64, len(values))
	for i, v := range values {
		better, equal := 0, 0
		for _, w := range values {
			if w < v {
				better++
			} else if w == v {
				equal++
			}
		}
		ranks[i] = float64(better) + float64(equal+1)/2
	}
	return ranks
}

// average returns the mean rank of a method, by its index.
func (r ranking) average(i int) float64 { return meanOf(r.ranks[i]).value }

// averageOf returns the mean rank of a method by its name; ok is false if it has no rank.
func (r ranking) averageOf(name string) (v float64, ok bool) {
	i := slices.IndexFunc(r.methods, func(m suiteMethod) bool { return m.name == name })
	if i < 0 || len(r.sets) == 0 {
		return 0, false
	}
	return r.average(i), true
}

// nemenyi are the quantiles q of Nemenyi's test at the level .05, for 2 to 20 methods (Demšar, 2006, table 5): the
// quantiles of the studentized range over √2, at any number of samples.
var nemenyi = []float64{1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164, 3.219,
	3.268, 3.313, 3.354, 3.391, 3.426, 3.458, 3.489, 3.517, 3.544}

// criticalDifference returns the least significant difference, by Nemenyi's test, between the average ranks of two of k
// methods on n sets: q √(k (k + 1) / 6 n).
func criticalDifference(k, n int) float64 {
	return nemenyi[k-2] * math.Sqrt(float64(k*(k+1))/float64(6*n))
}

// order returns the indices of the methods, the best average first.
func (r ranking) order() []int {
	order := make([]int, len(r.methods))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.average(a), r.average(b)) })
	return order
}

// picture returns the file of the picture.
func (r ranking) picture() string { return "docs/images/suite-" + r.kind + ".png" }

// draw draws the picture, or removes it if there are no ranks.
func (r ranking) draw() error {
	if len(r.sets) == 0 {
		if err := os.Remove(r.picture()); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	p := plots.Ranks{
		Title: fmt.Sprintf("%s: average rank by %s on %s", capital(r.kind), scoreName(r.key), setCount(len(r.sets))),
		XLabel: fmt.Sprintf("rank: a small point is a set, a bar is the critical difference, %.2f",
			criticalDifference(len(r.methods), len(r.sets))),
		Difference: criticalDifference(len(r.methods), len(r.sets)),
	}
	for _, i := range r.order() {
		m := r.methods[i]
		p.Methods = append(p.Methods, plots.RankedMethod{Name: m.title, Average: r.average(i),
			Each: r.ranks[i], Ours: m.ours()})
	}
	return writeFile(r.picture(), p.Write)
}

func scoreName(key string) string {
	return map[string]string{"rmse": "RMSE", "nlpd": "NLPD", "coverage90": "90 % coverage",
		"error": "error", "nll": "NLL", "ece": "ECE", "auc": "AUC"}[key]
}
