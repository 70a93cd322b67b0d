package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// suiteCheck is a condition on the records, and the sets on which it fails.
type suiteCheck struct {
	says  string
	over  int      // number of sets, or of comparisons, that were checked
	fails []string // sets on which it does not hold
}

const (
	fewRows     = 300 // number of rows below which a set is too small to tell
	fewTests    = 500 // number of test rows from which on calibration is checked
	depthMargin = 0.05
	maxECE      = 0.08
	minCovered  = 0.80
	maxCovered  = 0.98
)

// defaultAlone is the choice of best where no other model has a weight.
const defaultAlone = "gpdrf: 1.00"

// suiteChecks returns the checks of the default GP-DRF, and then the checks of best.
func suiteChecks(all suiteRecords, byNLPD ranking) []suiteCheck {
	covered := suiteCheck{says: fmt.Sprintf("90 %% coverage of GP-DRF within %.2f to %.2f", minCovered, maxCovered)}
	calibrated := suiteCheck{says: fmt.Sprintf("ECE of GP-DRF at most %.2f, of folds with %d test "+
		"rows or more", maxECE, fewTests)}
	const deeper = "%s of GP-DRF at most that of GP + %.2f + 2 standard errors over the folds"
	nlpd := suiteCheck{says: fmt.Sprintf(deeper, "NLPD", depthMargin)}
	nll := suiteCheck{says: fmt.Sprintf(deeper, "NLL", depthMargin)}
	for _, s := range suiteSets() {
		if all.rows(s) < fewRows {
			continue
		}
		if s.kind == numbers {
			covered.checkMean(all, s, "coverage90", 0,
				func(v float64) bool { return v >= minCovered && v <= maxCovered })
			nlpd.compare(all, s)
		} else {
			calibrated.checkMean(all, s, "ece", fewTests, func(v float64) bool { return v <= maxECE })
			nll.compare(all, s)
		}
	}
	return append([]suiteCheck{covered, nlpd, nll, calibrated, rankChecks(byNLPD)}, bestChecks(all)...)
}

// rankChecks compares the average rank of GP-DRF with those of three methods, and the rank of best with all others.
func rankChecks(byNLPD ranking) suiteCheck {
	c := suiteCheck{says: "average NLPD rank of GP-DRF before those of SVGP, deep GP and forest, of best before all " +
		"others"}
	ours, ok := byNLPD.averageOf("gpdrf")
	if !ok {
		return c
	}
	for _, peer := range []string{"svgp", "dgp", "forest"} {
		c.over++
		if theirs, _ := byNLPD.averageOf(peer); !(ours < theirs) {
			c.fails = append(c.fails, fmt.Sprintf("%.2f beside %.2f of %s", ours, theirs, titleOf(peer)))
		}
	}
	c.over++
	if first := byNLPD.methods[byNLPD.order()[0]]; first.name != "best" {
		c.fails = append(c.fails, "the first is "+first.title)
	}
	return c
}

// bestChecks returns the checks of the preset best: neither the default nor a method of trees is better on any set.
func bestChecks(all suiteRecords) []suiteCheck {
	own := suiteCheck{says: "NLPD or NLL of best not worse than that of GP-DRF (as counted below)"}
	for _, s := range suiteSets() {
		own.notWorse(all, s, "gpdrf")
	}
	checks := []suiteCheck{own}
	for _, peer := range []string{"lightgbm", "catboost", "ngboost", "forest"} {
		c := suiteCheck{says: "NLPD of best not worse than that of " + titleOf(peer)}
		for _, s := range setsOf(numbers) {
			c.notWorse(all, s, peer)
		}
		checks = append(checks, c)
	}
	return checks
}

// notWorse checks that best does not lose to a method on a set.
func (c *suiteCheck) notWorse(all suiteRecords, s suiteSet, other string) {
	best, o := methodOf("best"), methodOf(other)
	folds := all.common(s, []suiteMethod{best, o})
	if len(folds) == 0 {
		return
	}
	c.over++
	key := rankedBy(s.kind)
	a, b := all.scores(s, best, folds, key), all.scores(s, o, folds, key)
	if verdict(a, b) == 2 {
		alone := ""
		mixed := func(fold int) bool { return all[cellKey{s.name, fold, "best"}].Chosen != defaultAlone }
		if other == "gpdrf" && !slices.ContainsFunc(folds, mixed) {
			alone = ", default alone"
		}
		c.fails = append(c.fails, fmt.Sprintf("%s %s (%d%s)", s.name, signed(paired(a, b)), len(folds), alone))
	}
}

// rows returns the number of rows of a set, for training and testing; 0 without a record.
func (all suiteRecords) rows(s suiteSet) (n int) {
	for _, m := range methodsOf(s.kind) {
		for fold := 1; fold <= s.folds; fold++ {
			if r := all[cellKey{s.name, fold, m.name}]; r != nil {
				n = max(n, r.NTrain+r.NTest)
			}
		}
	}
	return n
}

func methodOf(name string) suiteMethod {
	all := suiteMethods()
	return all[slices.IndexFunc(all, func(m suiteMethod) bool { return m.name == name })]
}

// checkMean checks the mean of a score of GP-DRF over the folds with at least tests rows to test.
func (c *suiteCheck) checkMean(all suiteRecords, s suiteSet, key string, tests int, holds func(float64) bool) {
	gpdrf := methodOf("gpdrf")
	folds := slices.DeleteFunc(all.common(s, []suiteMethod{gpdrf}),
		func(fold int) bool { return all[cellKey{s.name, fold, gpdrf.name}].NTest < tests })
	if len(folds) == 0 {
		return
	}
	c.over++
	if v := all.mean(s, gpdrf, folds, key); !holds(v) {
		c.fails = append(c.fails, fmt.Sprintf("%s %s (%d)", s.name, scoreText(v), len(folds)))
	}
}

// compare checks GP-DRF against its first layer, paired over the folds.
func (c *suiteCheck) compare(all suiteRecords, s suiteSet) {
	gpdrf, gp := methodOf("gpdrf"), methodOf("gp")
	folds := all.common(s, []suiteMethod{gpdrf, gp})
	if len(folds) == 0 {
		return
	}
	key := rankedBy(s.kind)
	ours, theirs := all.scores(s, gpdrf, folds, key), all.scores(s, gp, folds, key)
	if math.IsInf(meanOf(theirs).value, 1) {
		return // GP failed
	}
	c.over++
	d, margin := paired(ours, theirs), depthMargin
	if d.se > 0 {
		margin += 2 * d.se
	}
	if !(d.value <= margin) {
		c.fails = append(c.fails, fmt.Sprintf("%s %s (%d)", s.name, signed(d), len(folds)))
	}
}

// row returns the check's line of the table.
func (c suiteCheck) row() string {
	verdict := "pass"
	switch {
	case c.over == 0:
		verdict = none
	case len(c.fails) > 0:
		verdict = "**fail**"
	}
	return fmt.Sprintf("| %s | %d of %d | %s | %s |\n", c.says, c.over-len(c.fails), c.over, verdict,
		strings.Join(c.fails, "; "))
}

// scoreText formats a score in a table.
func scoreText(v float64) string {
	if math.IsInf(v, 1) || math.IsNaN(v) {
		return "failed"
	}
	return minus(fmt.Sprintf("%.3f", v))
}
