package data

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// A Projection is that of supervised principal components (Bair et al., 2006): columns are ranked
// by their correlation with the target, and cross-validation says how many of them are used, and
// how. Each fold ranks them anew, or chance correlations of thousands of columns would count.
const (
	projectionRows  = 400 // training rows that are looked at
	projectionFolds = 8
	fewestChosen    = 4
	mostColumns     = 32 // that become inputs themselves; more become components
	mostComponents  = 32
	projectionBlock = 2048 // columns that are copied at a time
)

// projectionRidges are the variances of noise, in units of the variance of an average column or
// component.
var projectionRidges = []float64{0.001, 0.01, 0.1, 0.3, 1, 3, 10}

// way is one way to make inputs: of the best K columns, their whitened first P components, or, where
// P is 0, the columns or the components as they are, with their distances.
type way struct{ columns, components int }

// ways are those that are compared.
func ways(d int) (all []way) {
	for k := fewestChosen; ; k *= 2 {
		k = min(k, d)
		all = append(all, way{k, 0})
		for p := 2; k > mostColumns && p <= mostComponents; p *= 2 {
			all = append(all, way{k, p})
		}
		if k == d {
			return all
		}
	}
}

// projector looks for a Projection.
type projector struct {
	n, d    int
	x, t    []float64 // scaled rows [N,D], targets [N,C]
	targets int
	classes bool
	ways    []way
}

// FitProjection makes few inputs of the many columns of training rows, which s has scaled. It reads
// the rows' targets, and the same rows give the same Projection. progress hears which share is done.
// The error is that of ctx.
func FitProjection(ctx context.Context, d *Dataset, s Scaler, progress func(share float64)) (*Projection, error) {
	some, _ := d.Sample(projectionRows, 0)
	p := &projector{n: some.N(), d: d.D(), x: s.Rows(some.X, 0, some.N()), classes: d.Task == Classification}
	p.readTargets(some)
	p.ways = ways(p.d)
	losses, err := p.validate(ctx, progress)
	if err != nil {
		return nil, err
	}
	chosen := choose(p.ways, losses, p.d)
	rows := make([]int, p.n)
	for i := range rows {
		rows[i] = i
	}
	order, centre := p.rank(rows)
	columns := slices.Sorted(slices.Values(order[:chosen.columns]))
	out := &Projection{Of: p.d, Columns: columns}
	if len(columns) > mostColumns {
		own, err := FitScaler(s.Kind, out.Apply(d))
		if err != nil {
			return nil, err
		}
		own.Least, own.Most, out.Scaler = nil, nil, &own
		p.components(out, centre, chosen.components)
	}
	return out, nil
}

// readTargets standardises targets, or makes indicators of classes.
func (p *projector) readTargets(d *Dataset) {
	if p.classes {
		p.targets = len(d.Classes)
		p.t = make([]float64, p.n*p.targets)
		for i, l := range d.Labels {
			p.t[i*p.targets+int(l)] = 1
		}
		return
	}
	p.targets = len(d.Outputs())
	p.t = make([]float64, p.n*p.targets)
	for c := range p.targets {
		y := d.output(c)
		mean, sd := meanSD(y)
		for i, v := range y {
			p.t[i*p.targets+c] = (v - mean) / max(sd, 1e-300)
		}
	}
}

// means are those of columns of values [N,width] over some rows.
func means(values []float64, width int, rows []int) []float64 {
	m := make([]float64, width)
	for _, i := range rows {
		simd.Axpy64(1/float64(len(rows)), values[i*width:(i+1)*width], m)
	}
	return m
}

// rank orders the columns by the share of their variance over some rows that the target explains:
// a squared correlation, the largest of several targets, or that of all classes together. It
// returns the means of the columns, too.
func (p *projector) rank(rows []int) (order []int, centre []float64) {
	centre = means(p.x, p.d, rows)
	level := means(p.t, p.targets, rows)
	spread, own := make([]float64, p.targets), make([]float64, p.d)
	along := make([][]float64, p.targets)
	for c := range along {
		along[c] = make([]float64, p.d)
	}
	for _, i := range rows {
		row := p.x[i*p.d : (i+1)*p.d]
		for j, v := range row {
			own[j] += (v - centre[j]) * (v - centre[j])
		}
		for c := range along {
			t := p.t[i*p.targets+c] - level[c]
			spread[c] += t * t
			simd.Axpy64(t, row, along[c]) // t has mean 0, so that the mean of the column is of no account
		}
	}
	score := make([]float64, p.d)
	for j := range score {
		for c := range along {
			switch r := along[c][j] * along[c][j]; {
			case own[j] <= 1e-12*float64(len(rows))*centre[j]*centre[j] || spread[c] == 0:
			case p.classes: // between classes: Σ n_c (mean_c − mean)²
				score[j] += r / (level[c] * float64(len(rows))) / own[j]
			default:
				score[j] = max(score[j], r/spread[c]/own[j])
			}
		}
	}
	order = make([]int, p.d)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order, centre
}

// grow adds the inner products of the centred columns of an order from lo to hi−1 to those of all
// rows [N,N].
func (p *projector) grow(gram []float64, order []int, centre []float64, lo, hi int) {
	pack := simd.NewPack64()
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

// validate gives the squared error of each row that was held out [way][N], under the best ridge of
// each way.
func (p *projector) validate(ctx context.Context, progress func(share float64)) ([][]float64, error) {
	folds := min(projectionFolds, p.n)
	losses := make([][]float64, len(p.ways)*len(projectionRidges))
	for w := range losses {
		losses[w] = make([]float64, p.n)
	}
	var wg sync.WaitGroup
	var lock sync.Mutex
	next, done := 0, 0
	for range min(folds, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				lock.Lock()
				f := next
				next++
				lock.Unlock()
				if f >= folds || ctx.Err() != nil {
					return
				}
				p.fold(ctx, f, folds, losses)
				lock.Lock()
				done++
				progress(float64(done) / float64(folds))
				lock.Unlock()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	best := make([][]float64, len(p.ways))
	for w := range best {
		of := losses[w*len(projectionRidges) : (w+1)*len(projectionRidges)]
		best[w] = slices.MinFunc(of, func(a, b []float64) int { return cmp.Compare(sum(a), sum(b)) })
	}
	return best, nil
}

// sum adds up values.
func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

// split are the rows of a fold and the others. Rows of a class, or of neighbouring targets, are
// dealt to the folds in turn.
func (p *projector) split(fold, folds int) (train, held []int) {
	rows := make([]int, p.n)
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		return slices.Compare(p.t[a*p.targets:(a+1)*p.targets], p.t[b*p.targets:(b+1)*p.targets])
	})
	for at, r := range rows {
		if at%folds == fold {
			held = append(held, r)
		} else {
			train = append(train, r)
		}
	}
	return train, held
}

// fold writes the errors of the rows of a fold to losses.
func (p *projector) fold(ctx context.Context, f, folds int, losses [][]float64) {
	train, held := p.split(f, folds)
	order, centre := p.rank(train)
	gram := make([]float64, p.n*p.n)
	at := 0
	for w := 0; w < len(p.ways) && ctx.Err() == nil; {
		k := p.ways[w].columns
		p.grow(gram, order, centre, at, k)
		at = k
		s := p.spectrum(gram, train, held)
		for ; w < len(p.ways) && p.ways[w].columns == k; w++ {
			for r, ridge := range projectionRidges {
				s.errors(losses[w*len(projectionRidges)+r], p.ways[w], ridge)
			}
		}
	}
}

// spectrum are the principal components of training rows, and what a held-out row and the targets
// are along them.
type spectrum struct {
	*projector
	train, held []int
	values      []float64 // eigenvalues, descending
	along       []float64 // targets along the unit eigenvectors [R,C]
	level       []float64 // mean targets [C]
	rows        []float64 // held-out rows: their inner products with the eigenvectors [held,R]
}

func (p *projector) spectrum(gram []float64, train, held []int) *spectrum {
	s := &spectrum{projector: p, train: train, held: held, level: means(p.t, p.targets, train)}
	m := len(train)
	values, vectors := eigen(gram, p.n, train)
	s.values = values
	s.along = make([]float64, m*p.targets)
	s.rows = make([]float64, len(held)*m)
	for r := range m {
		for a, i := range train {
			u := vectors.At(a, r)
			for c := range p.targets {
				s.along[r*p.targets+c] += u * (p.t[i*p.targets+c] - s.level[c])
			}
			for h, j := range held {
				s.rows[h*m+r] += u * gram[j*p.n+i]
			}
		}
	}
	return s
}

// eigen are the eigenvalues of the inner products of some rows, descending, and the vectors.
func eigen(gram []float64, n int, rows []int) (values []float64, vectors *mat.Dense) {
	m := len(rows)
	own := mat.NewSymDense(m, nil)
	for a, i := range rows {
		for b := a; b < m; b++ {
			own.SetSym(a, b, gram[i*n+rows[b]])
		}
	}
	var e mat.EigenSym
	vectors = mat.NewDense(m, m, nil)
	if !e.Factorize(own, true) { // of a symmetric finite matrix it does not fail
		panic("data: no principal components")
	}
	values = e.Values(nil)
	var ascending mat.Dense
	e.VectorsTo(&ascending)
	slices.Reverse(values)
	for r := range m {
		for a := range m {
			vectors.Set(a, r, ascending.At(a, m-1-r))
		}
	}
	return values, vectors
}

// kept is how many of the components are inputs: those with a variance that is no rounding.
func (w way) kept(values []float64) int {
	most := min(mostComponents, len(values)-1)
	if w.components > 0 {
		most = min(most, w.components)
	}
	for most > 1 && values[most-1] <= 1e-10*values[0] {
		most--
	}
	return max(1, most)
}

// errors writes the squared errors of ridge regression with the inputs of a way.
func (s *spectrum) errors(to []float64, w way, ridge float64) {
	m, kept := len(s.train), w.kept(s.values)
	// of the variance of an average input, times its rows
	noise := ridge * sum(s.values[:kept]) / float64(kept)
	for h, i := range s.held {
		to[i] = 0
		for c := range s.targets {
			at := s.level[c]
			for r, v := range s.values[:kept] {
				if v <= 0 {
					continue
				}
				shrunk := v + noise
				if w.components > 0 {
					shrunk = v * (1 + ridge)
				}
				at += s.rows[h*m+r] / shrunk * s.along[r*s.targets+c]
			}
			e := s.t[i*s.targets+c] - at
			to[i] += e * e
		}
	}
}

// choose takes the way with the least error. What looks at the target to leave columns out must
// beat all columns by more than a standard error of the difference: if there is nothing to find,
// chosen columns agree with training targets by chance, and a model is too sure of them.
func choose(ways []way, losses [][]float64, d int) way {
	least := func(of func(way) bool) (best int) {
		best = -1
		for w := range ways {
			if of(ways[w]) && (best < 0 || sum(losses[w]) < sum(losses[best])) {
				best = w
			}
		}
		return best
	}
	all := least(func(w way) bool { return w.columns == d })
	some := least(func(w way) bool { return w.columns < d })
	if some < 0 {
		return ways[all]
	}
	gain := make([]float64, len(losses[all]))
	for i := range gain {
		gain[i] = losses[all][i] - losses[some][i]
	}
	if mean, sd := meanSD(gain); mean > sd/math.Sqrt(float64(len(gain))) {
		return ways[some]
	}
	return ways[all]
}

// components fits the components of the columns of a Projection. Whitened ones have a standard
// deviation of 1 each; the others have it on average, and keep the distances of rows.
func (p *projector) components(out *Projection, centre []float64, whitened int) {
	k := len(out.Columns)
	gram, rows := make([]float64, p.n*p.n), make([]int, p.n)
	p.grow(gram, out.Columns, centre, 0, k)
	for i := range rows {
		rows[i] = i
	}
	values, vectors := eigen(gram, p.n, rows)
	w := way{k, whitened}.kept(values)
	common := sum(values[:w]) / float64(w)
	out.Components, out.Weights, out.Offsets = w, make([]float64, k*w), make([]float64, w)
	factors := make([]float64, p.n*w) // of the rows
	for r, v := range values[:w] {
		// the component's standard deviation is √(v/(n−1))
		unit := max(common, 1e-300)
		if whitened > 0 {
			unit = max(v, 1e-300)
		}
		factor := math.Sqrt(float64(p.n-1) / unit / max(v, 1e-300))
		for a := range p.n {
			factors[a*w+r] = factor * vectors.At(a, r)
		}
	}
	for c, j := range out.Columns {
		weights := out.Weights[c*w : (c+1)*w]
		for a := range p.n {
			simd.Axpy64(p.x[a*p.d+j]-centre[j], factors[a*w:(a+1)*w], weights)
		}
		for r, v := range weights {
			weights[r] = float64(float32(v))
			out.Offsets[r] += weights[r] * centre[j]
		}
	}
}
