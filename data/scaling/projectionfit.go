package scaling

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

// The columns of a wide table are ranked by their correlation with the target. Ridge regression on the best K of them
// predicts it, after the supervised principal components of Bair et al. (2006). Cross-validation chooses K and the
// ridge. Each fold ranks the columns again, or chance correlations of thousands of columns would count.
const (
	projectionRows  = 500 // training rows that are used
	projectionFolds = 8
	fewestColumns   = 4    // K is this, or this times a power of two, or all columns
	projectionBlock = 2048 // columns that are copied at a time
)

// projectionRidges are ridges in units of the mean squared length of a row.
var projectionRidges = []float64{1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1}

// projector fits a Projection.
type projector struct {
	n, d    int
	scaler  Scaler
	x, t    []float64 // scaled rows [N,D]; targets, or indicators of classes [N,C]
	targets int
	scores  []*ridgeCandidate
	// Folds of the rows, from 1, that keep groups or windows of time whole; nil if any rows may be separated.
	folds []int
}

// ridgeCandidate is a number of columns and a ridge. The score of each row comes from a fit without the row.
type ridgeCandidate struct {
	columns int
	ridge   float64
	scores  []float64 // [N,C]
	losses  []float64 // squared errors [N]
}

// FitProjection makes few inputs from the many columns of training rows, which s scales. The same rows give the same
// Projection. It also returns the projected rows. The score of each row comes from a fit without it: with scores of
// fits to its target, a model would be too sure. progress takes the share that is done. The error is that of ctx.
func FitProjection(ctx context.Context, d *data.Dataset, s Scaler, progress func(share float64)) (*Projection,
	*data.Dataset, error) {
	sample, numbers := d.Sample(projectionRows, 0)
	p := &projector{n: sample.N(), d: d.D(), scaler: s, x: s.Rows(sample.X, 0, sample.N())}
	p.readTargets(sample)
	folds := d.GroupedFolds(min(projectionFolds, p.n))
	if picked := matrix.Pick(folds, numbers); picked != nil && slices.Min(picked) < slices.Max(picked) {
		p.folds = picked
	}
	for k := min(fewestColumns, p.d); ; k = min(2*k, p.d) {
		for _, r := range projectionRidges {
			p.scores = append(p.scores, &ridgeCandidate{k, r, make([]float64, p.n*p.targets), make([]float64, p.n)})
		}
		if k == p.d {
			break
		}
	}
	if err := p.eachFold(ctx, progress, p.fold); err != nil {
		return nil, nil, err
	}
	chosen := p.choose()
	out := p.fit(matrix.Every(p.n), chosen)
	out.OutputNames = p.names(sample)
	projected := out.Apply(d)
	x := projected.X.Float64s()
	// The fit has used other rows of the same groups, or windows of time.
	if sample != d && p.folds != nil {
		rest := func(_ context.Context, f, _ int) { p.scoreFold(d, folds, f+1, chosen, x) }
		if err := p.eachFold(ctx, func(float64) {}, rest); err != nil {
			return nil, nil, err
		}
	}
	for a, i := range numbers {
		copy(x[i*p.targets:(i+1)*p.targets], chosen.scores[a*p.targets:])
	}
	return out, projected, nil
}

// scoreFold scores all rows of a fold by a candidate, with a fit that does not use them.
func (p *projector) scoreFold(d *data.Dataset, folds []int, fold int, choice *ridgeCandidate, x []float64) {
	rows := matrix.Which(d.N(), func(i int) bool { return folds[i] == fold })
	if len(rows) == 0 {
		return
	}
	without := p.fit(matrix.Which(p.n, func(i int) bool { return p.folds[i] != fold }), choice)
	cells, read := make([]float64, p.d), make([]float64, len(without.Columns))
	for _, i := range rows {
		without.score(matrix.Row(cells, d.X, i), read, x[i*p.targets:(i+1)*p.targets])
	}
}

// names returns the names of the scores.
func (p *projector) names(d *data.Dataset) []string {
	of := d.Outputs()
	if d.Task == data.Classification {
		of = d.Classes[len(d.Classes)-p.targets:]
	}
	names := make([]string, p.targets)
	for c := range names {
		names[c] = "score of " + of[c]
	}
	return names
}

// readTargets standardises targets, or makes indicators of classes; of two classes, the second is enough.
func (p *projector) readTargets(d *data.Dataset) {
	p.targets = len(d.Outputs())
	first := 0
	if d.Task == data.Classification {
		if p.targets = len(d.Classes); p.targets == 2 {
			p.targets, first = 1, 1
		}
	}
	p.t = make([]float64, p.n*p.targets)
	for i, l := range d.Labels {
		if c := int(l) - first; c >= 0 {
			p.t[i*p.targets+c] = 1
		}
	}
	for c := range p.targets {
		y := make([]float64, p.n)
		for i := range y {
			y[i] = p.t[i*p.targets+c]
			if d.Task == data.Regression {
				y[i] = d.Y[i*p.targets+c]
			}
		}
		mean, sd := stats.MeanSD(y)
		for i, v := range y {
			p.t[i*p.targets+c] = (v - mean) / max(sd, 1e-300)
		}
	}
}

// means returns the means of columns of values [N,width] over some rows.
func means(values []float64, width int, rows []int) []float64 {
	m := make([]float64, width)
	for _, i := range rows {
		simd.Axpy64(1/float64(len(rows)), values[i*width:(i+1)*width], m)
	}
	return m
}

// rank orders the columns by their squared correlation with a target over some rows. For several targets, the largest
// correlation counts. It also returns the means of the columns.
func (p *projector) rank(rows []int) (order []int, centre []float64) {
	centre = means(p.x, p.d, rows)
	level := means(p.t, p.targets, rows)
	variation := make([]float64, p.d)
	for _, i := range rows {
		for j, v := range p.x[i*p.d : (i+1)*p.d] {
			variation[j] += (v - centre[j]) * (v - centre[j])
		}
	}
	score, along := make([]float64, p.d), make([]float64, p.d)
	// The targets take turns, since each of many needs a number for each column.
	for c := range p.targets {
		spread := 0.0
		clear(along)
		for _, i := range rows {
			t := p.t[i*p.targets+c] - level[c]
			spread += t * t
			// The mean of t is 0, so the mean of the column does not matter.
			simd.Axpy64(t, p.x[i*p.d:(i+1)*p.d], along)
		}
		for j, r := range along {
			// The variation exceeds rounding errors.
			if spread > 0 && variation[j] > 1e-20*float64(len(rows))*centre[j]*centre[j] {
				score[j] = max(score[j], r*r/spread/variation[j])
			}
		}
	}
	order = matrix.Every(p.d)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order, centre
}

// addToGram adds the inner products of all rows over the centred columns lo … hi−1 of an order to gram [N,N].
func (p *projector) addToGram(gram []float64, order []int, centre []float64, lo, hi int) {
	pack := simd.NewPack[float64]()
	block := make([]float64, p.n*min(hi-lo, projectionBlock))
	for ; lo < hi; lo += projectionBlock {
		w := min(hi-lo, projectionBlock)
		for i := range p.n {
			row := p.x[i*p.d : (i+1)*p.d]
			for k, j := range order[lo : lo+w] {
				block[i*w+k] = row[j] - centre[j]
			}
		}
		simd.Gemm64(pack, false, true, p.n, p.n, w, 1, block[:p.n*w], w, block[:p.n*w], w, 1, gram, p.n)
	}
}

// eachFold does some work for each fold.
func (p *projector) eachFold(ctx context.Context, progress func(share float64),
	work func(ctx context.Context, f, folds int)) error {
	folds := min(projectionFolds, p.n)
	done := 0
	var lock sync.Mutex
	parallel.Each(ctx, folds, 1, func(f, _ int) {
		work(ctx, f, folds)
		lock.Lock()
		defer lock.Unlock()
		done++
		progress(float64(done) / float64(folds))
	})
	return context.Cause(ctx)
}

// split returns the rows outside a fold and those in it. Rows of a class, or of neighbouring targets, are distributed
// to the folds in turn; groups stay whole.
func (p *projector) split(fold, folds int) (train, test []int) {
	if p.folds != nil {
		test = matrix.Which(p.n, func(i int) bool { return p.folds[i] == fold+1 })
		return matrix.Others(p.n, test), test
	}
	rows := matrix.Every(p.n)
	slices.SortStableFunc(rows, func(a, b int) int {
		return slices.Compare(p.t[a*p.targets:(a+1)*p.targets], p.t[b*p.targets:(b+1)*p.targets])
	})
	for at, r := range rows {
		if at%folds == fold {
			test = append(test, r)
		} else {
			train = append(train, r)
		}
	}
	return train, test
}

// fold scores the rows of a fold by every candidate.
func (p *projector) fold(ctx context.Context, f, folds int) {
	train, test := p.split(f, folds)
	if len(test) == 0 { // there are fewer groups or times than folds
		return
	}
	order, centre := p.rank(train)
	gram := make([]float64, p.n*p.n)
	for at, w := 0, 0; w < len(p.scores) && ctx.Err() == nil; w += len(projectionRidges) {
		k := p.scores[w].columns
		p.addToGram(gram, order, centre, at, k)
		at = k
		s := p.spectrum(gram, train)
		for _, choice := range p.scores[w : w+len(projectionRidges)] {
			s.score(choice, gram, test)
		}
	}
}

// spectrum holds the principal components of training rows, and the targets along them.
type spectrum struct {
	*projector
	rows    []int
	values  []float64  // eigenvalues
	vectors *mat.Dense // unit eigenvectors
	along   []float64  // targets [R,C]
	level   []float64  // mean targets [C]
}

// spectrum computes it from the inner products of all rows [N,N].
func (p *projector) spectrum(gram []float64, rows []int) *spectrum {
	m := len(rows)
	products := mat.NewSymDense(m, nil)
	for a, i := range rows {
		for b := a; b < m; b++ {
			products.SetSym(a, b, gram[i*p.n+rows[b]])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(products, true) {
		panic("scaling: inner products of rows are not finite")
	}
	s := &spectrum{projector: p, rows: rows, values: e.Values(nil), vectors: &mat.Dense{},
		along: make([]float64, m*p.targets), level: means(p.t, p.targets, rows)}
	e.VectorsTo(s.vectors)
	for a, i := range rows {
		for r := range m {
			for c := range p.targets {
				s.along[r*p.targets+c] += s.vectors.At(a, r) * (p.t[i*p.targets+c] - s.level[c])
			}
		}
	}
	return s
}

// weights returns the weights of the rows in the scores [M,C], with a ridge.
func (s *spectrum) weights(ridge float64) []float64 {
	m := len(s.rows)
	most := 0.0
	for _, v := range s.values {
		most += max(v, 0) / float64(m)
	}
	noise := max(ridge*most, 1e-300)
	w := make([]float64, m*s.targets)
	for r, v := range s.values {
		for c := range s.targets {
			share := s.along[r*s.targets+c] / (max(v, 0) + noise)
			for a := range m {
				w[a*s.targets+c] += share * s.vectors.At(a, r)
			}
		}
	}
	return w
}

// score scores rows that were held out. It leaves out the mean target of the other rows, which decreases as the targets
// of the held-out rows increase.
func (s *spectrum) score(choice *ridgeCandidate, gram []float64, test []int) {
	w := s.weights(choice.ridge)
	for _, i := range test {
		to := choice.scores[i*s.targets : (i+1)*s.targets]
		for a, k := range s.rows {
			simd.Axpy64(gram[i*s.n+k], w[a*s.targets:(a+1)*s.targets], to)
		}
		for c, z := range to {
			e := s.t[i*s.targets+c] - s.level[c] - z
			choice.losses[i] += e * e
		}
	}
}

// choose returns the candidate with the least squared error. One with fewer columns than all must be better by more
// than two standard errors of the difference.
func (p *projector) choose() *ridgeCandidate {
	least := func(all bool) (best *ridgeCandidate) {
		for _, w := range p.scores {
			if (w.columns == p.d) == all && (best == nil || stats.Sum(w.losses) < stats.Sum(best.losses)) {
				best = w
			}
		}
		return best
	}
	all, few := least(true), least(false)
	if few == nil {
		return all
	}
	gain := make([]float64, p.n)
	for i := range gain {
		gain[i] = all.losses[i] - few.losses[i]
	}
	if mean, sd := stats.MeanSD(gain); mean > 2*sd/math.Sqrt(float64(p.n)) {
		return few
	}
	return all
}

// fit fits a Projection to some of the rows by a candidate. Its scores have no names yet.
func (p *projector) fit(rows []int, choice *ridgeCandidate) *Projection {
	order, centre := p.rank(rows)
	out := &Projection{Of: p.d, Columns: slices.Sorted(slices.Values(order[:choice.columns]))}
	gram := make([]float64, p.n*p.n)
	p.addToGram(gram, out.Columns, centre, 0, len(out.Columns))
	shares := p.spectrum(gram, rows).weights(choice.ridge)
	out.Scaler = p.scaler.subset(out.Columns)
	out.Offsets, out.Weights = make([]float64, p.targets), make([]float64, len(out.Columns)*p.targets)
	for k, j := range out.Columns {
		weights := out.Weights[k*p.targets : (k+1)*p.targets]
		for a, i := range rows {
			simd.Axpy64(p.x[i*p.d+j]-centre[j], shares[a*p.targets:(a+1)*p.targets], weights)
		}
		for c, w := range weights {
			weights[c] = float64(float32(w))
			out.Offsets[c] += weights[c] * centre[j]
		}
	}
	return out
}
