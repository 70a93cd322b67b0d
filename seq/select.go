package seq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// Score is how well a spec predicts training rows that were left out.
type Score struct {
	Spec   Spec
	Rows   int     // number of rows compared
	NLL    float64 // mean of −log p of a row given other blocks
	SE     float64 // standard error of NLL
	Errors float64 // share of wrong classes; for numbers, mean squared error over the variance of the targets
	AUC    float64 // mean AUC of the classes that few rows have; 0 without such classes
}

// Selection is what Select has found.
type Selection struct {
	Spec   Spec
	Scores []Score // scores of the last round: the best first, then sums
	Costly []Spec  // candidates that would take too long, and were not tried
	Late   []Spec  // candidates for which the time was up
}

// The rounds of Select.
const (
	firstRows         = 400  // number of rows of the first round
	selectRows        = 800  // number of rows of the second round
	finalists         = 4    // number of candidates of the second round
	rareRows          = 50   // least number of rows of a rare class, or all of them
	maxTerms          = 3    // largest number of terms of a sum
	manyGraphs        = 1000 // number of graphs or trees above which X̄ is all rows only with an inner product
	minStandardErrors = 2    // standard errors by which exp must be better than the cheaper inner product
)

// Select compares candidates by the log density of held-out training rows. It returns the best, or the sum of the best
// few if that is better. All candidates are tried on few rows, drawn so that rare classes are kept. The best candidates
// and their sums are tried on at most 800. Rows that are neighbours in the file, or of one group, are held out
// together, in 20 blocks. Each block is predicted by kernel ridge regression on the others, from which a link makes
// probabilities. A sum must be better than its parts by a standard error, and an exponential kernel better than the
// inner product by two.
//
// More than 1000 graphs or trees are compared by inner products alone, without sums. The matrix among X̄ has no
// parameters then, so that X̄ can be all rows. That gains more than a width or a second map.
//
// Candidates that would take too long are left out, by a count of their features that does not depend on the clock.
// Graphs and trees of very many nodes are not among the rows. If limit is not 0, training must fit in it, too. After a
// quarter of it Select returns the best so far, or the first if none is scored yet. An error is a *SpecError or the
// error of ctx.
func Select(ctx context.Context, candidates []Spec, set *Set, targets Targets, seed uint64,
	limit time.Duration) (*Selection, error) {
	s := &selector{work: maxTraining, widths: widths, terms: maxTerms}
	if set.Alphabet.Kind.IsGraph() && set.N() > manyGraphs {
		s.widths, s.terms = widths[:1], 1
	}
	timed := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		timed, cancel = context.WithTimeout(ctx, limit/4)
		defer cancel()
		s.work = min(s.work, limit.Seconds()*workPerSecond)
	}
	rows := set.skipLarge(stratified(targets, selectRows, seed))
	s.all = set
	s.set = set.Subset(rows)
	s.targets = targets.subset(rows)
	s.places = rows
	s.found.Spec = candidates[0]
	if err := s.run(timed, candidates); err != nil && (ctx.Err() != nil || timed.Err() == nil) {
		return nil, err
	}
	return &s.found, nil
}

// selector is the state of Select.
type selector struct {
	all     *Set      // training rows
	work    float64   // largest amount of work of a training
	set     *Set      // rows that are compared
	targets Targets   // targets of set
	places  []int     // places of set among all
	widths  []float64 // widths of exp that are tried
	terms   int       // largest number of terms of a sum
	found   Selection
}

// fittedSpec is a spec with its best fit.
type fittedSpec struct {
	spec Spec
	fit
}

// run goes through the rounds. If ctx ends it, the specs and scores found so far are valid.
func (s *selector) run(ctx context.Context, specs []Spec) error {
	c := s.comparisonOf(min(firstRows, s.set.N()))
	tried, err := s.firstRound(ctx, c, specs)
	if err != nil || tried == nil {
		return err
	}
	if c.set.N() < s.set.N() {
		c = s.comparisonOf(s.set.N())
		if tried, err = s.secondRound(ctx, c, tried[:min(finalists, len(tried))]); err != nil {
			return err
		}
	}
	return s.sums(ctx, c, tried)
}

// firstRound tries all specs that do not take too long, and ranks them.
func (s *selector) firstRound(ctx context.Context, c *comparison, specs []Spec) (tried []fittedSpec, err error) {
	for i, spec := range specs {
		f, err := s.tryCheap(subProgress(ctx, i, 2*len(specs)), c, spec)
		switch {
		case errors.As(err, new(*SpecError)): // it takes too long, or has too many features
			s.found.Costly = append(s.found.Costly, spec)
		case err != nil:
			s.found.Late = append(s.found.Late, specs[i:]...)
			return nil, err
		default:
			tried = s.rank(append(tried, f))
		}
	}
	return tried, nil
}

// tryCheap tries a spec, or returns a *SpecError if that, or a training, would take too long.
func (s *selector) tryCheap(ctx context.Context, c *comparison, spec Spec) (fittedSpec, error) {
	if spec.tooLarge(s.all) {
		return fittedSpec{}, specErrorf("%s takes too long", spec)
	}
	cost, err := c.cost(withoutProgress(ctx), spec)
	switch {
	case err != nil:
		return fittedSpec{}, err
	case cost.comparing(c.set.N()) > maxWork || cost.training(s.all.N()) > s.work:
		return fittedSpec{}, specErrorf("%s takes too long", spec)
	}
	return c.try(ctx, spec, s.widths)
}

// secondRound tries the finalists on more rows, with the widths that were best, and ranks them.
func (s *selector) secondRound(ctx context.Context, c *comparison, final []fittedSpec) (tried []fittedSpec, err error) {
	for i, f := range final {
		w := s.widths
		if f.width > 0 {
			w = []float64{w[0], f.width}
		}
		again, err := c.try(subProgress(ctx, len(final)+i, 2*len(final)), f.spec, slices.Compact(w))
		if err != nil {
			return nil, err
		}
		tried = append(tried, again)
	}
	return s.rank(tried), nil
}

// rank sorts candidates and keeps the scores of all, and the best.
func (s *selector) rank(tried []fittedSpec) []fittedSpec {
	slices.SortStableFunc(tried, func(a, b fittedSpec) int { return compare(a.nll, b.nll) })
	s.found.Scores = nil
	for _, f := range tried {
		s.found.Scores = append(s.found.Scores, f.score())
	}
	s.found.Spec = winner(tried).bestSpec()
	return tried
}

// winner returns the first of the sorted candidates. Where a class is rare, it returns the one with the largest area
// under the curve, among those whose density is no worse by a standard error.
func winner(tried []fittedSpec) fittedSpec {
	won := tried[0]
	for _, f := range tried[1:] {
		if d, se := pairedDifference(f.loss, tried[0].loss); d <= se && f.rare > won.rare {
			won = f
		}
	}
	return won
}

// sums adds the candidate that helps most to the best one, again and again.
func (s *selector) sums(ctx context.Context, c *comparison, tried []fittedSpec) error {
	base := winner(tried)
	for len(base.spec) < s.terms {
		var sums []fittedSpec
		var models []kernelRidge
		for _, f := range tried {
			if len(f.tables) > 1 || slices.Contains(base.tables, f.tables[0]) {
				continue
			}
			for _, share := range shares {
				m := kernelRidge{width: base.width, ridge: base.ridge,
					tables: append(slices.Clone(base.tables), f.tables[0]), weights: []float64{share}}
				for i, w := range base.weights {
					m.weights = slices.Insert(m.weights, i, (1-share)*w)
				}
				models = append(models, m)
				sums = append(sums, fittedSpec{spec: append(slices.Clone(base.spec), f.spec...)})
			}
		}
		fits, err := c.evaluate(ctx, models)
		if err != nil || len(fits) == 0 {
			return err
		}
		for i := range fits {
			sums[i].fit = fits[i]
		}
		sum := slices.MinFunc(sums, func(a, b fittedSpec) int { return compare(a.nll, b.nll) })
		s.found.Scores = append(s.found.Scores, sum.score())
		if d, se := pairedDifference(base.loss, sum.loss); !(d > se) {
			return nil
		}
		base = sum
		s.found.Spec = base.bestSpec()
	}
	return nil
}

// shares are the weights with which a further term of a sum is tried.
var shares = []float64{0.25, 0.5}

// bestSpec returns the spec with the kernel that was best.
func (f fittedSpec) bestSpec() Spec {
	spec := slices.Clone(f.spec)
	for i := range spec {
		spec[i].Linear = f.width == 0
	}
	return spec
}

// score returns the Score shown to a reader.
func (f fittedSpec) score() Score {
	_, se := pairedDifference(f.loss, make([]float64, len(f.loss)))
	return Score{Spec: f.bestSpec(), Rows: len(f.loss), NLL: f.nll, SE: se, Errors: f.errors, AUC: f.rare}
}

// comparison is some rows among which specs are compared.
type comparison struct {
	*blockCV
	set *Set
}

// comparisonOf returns a comparison of the first n rows.
func (s *selector) comparisonOf(n int) *comparison {
	return &comparison{newBlockCV(s.targets.head(n), s.places[:n]), s.set.part(0, n)}
}

// try fits a spec, and returns the best fit: the inner product, or an exponential kernel if that is better by two
// standard errors.
func (c *comparison) try(ctx context.Context, spec Spec, widths []float64) (fittedSpec, error) {
	f := fittedSpec{spec: spec}
	var tables []*distanceTable
	var weights []float64
	for i, t := range spec {
		d2, square, err := distancesAmong(subProgress(ctx, i, len(spec)), t, c.set)
		if err != nil {
			return f, err
		}
		n := c.set.N()
		tables = append(tables, &distanceTable{n, d2, square, median(d2, n, n)})
		weights = append(weights, 1/float64(len(spec)))
	}
	var models []kernelRidge
	for _, w := range widths {
		for _, r := range ridges {
			models = append(models, kernelRidge{tables, weights, w, r})
		}
	}
	fits, err := c.evaluate(ctx, models)
	if err != nil {
		return f, err
	}
	f.fit = best(fits)
	if widths[0] == 0 && f.width > 0 {
		straight := best(fits[:len(ridges)])
		if d, se := pairedDifference(straight.loss, f.loss); d <= minStandardErrors*se {
			f.fit = straight
		}
	}
	return f, nil
}

// stratified draws most rows by the seed, and some more of each rare class, together up to twice as many. Each
// beginning of the order has rows of all classes. If a class would have fewer than two rows, it draws any rows.
func stratified(t Targets, most int, seed uint64) []int {
	n := t.n()
	order := make([]int32, n)
	philox.Permutation(order, [2]uint32{uint32(seed), uint32(seed >> 32)}, 1, 0, chooseSite)
	groups := grouped(t, order, t.Classes && t.Columns <= most/2)
	type place struct {
		row int
		at  float64
	}
	var places []place
	for _, rows := range groups {
		keep := len(rows)
		if n > most {
			keep = max(len(rows)*most/n, min(len(rows), rareRows, most/len(groups)))
		}
		for i, r := range rows[:keep] {
			places = append(places, place{r, (float64(i) + 0.5) / float64(keep)})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return compare(a.at, b.at) })
	rows := make([]int, len(places))
	for i, p := range places {
		rows[i] = p.row
	}
	return rows
}

// Notes lists the choice, its numbers, and the candidates that were not tried.
func (s *Selection) Notes() []string {
	head := fmt.Sprintf("kernel auto: %s", s.Spec)
	if len(s.Scores) > 0 {
		head += fmt.Sprintf(", by −log p of %d training rows that are left out:", s.Scores[0].Rows)
	}
	notes := []string{head}
	for _, c := range s.Scores {
		line := fmt.Sprintf("  %-36s %.4f ± %.4f, error %.4f", c.Spec, c.NLL, c.SE, c.Errors)
		if c.AUC > 0 {
			line += fmt.Sprintf(", AUC of rare classes %.4f", c.AUC)
		}
		notes = append(notes, line)
	}
	for _, rest := range []struct {
		specs []Spec
		why   string
	}{{s.Costly, "they would take too long on these sequences"}, {s.Late, "a quarter of the time limit was over"}} {
		if rest.specs == nil {
			continue
		}
		names := make([]string, len(rest.specs))
		for i, spec := range rest.specs {
			names[i] = spec.String()
		}
		notes = append(notes, fmt.Sprintf("  not tried, since %s: %s", rest.why, strings.Join(names, ", ")))
	}
	return notes
}
