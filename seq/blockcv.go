package seq

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// Targets are the targets of the rows of a set: numbers, or 1 in the column of a row's class and 0 in the others.
type Targets struct {
	Values  []float64 // values [N, Columns]; nil if there are Labels
	Labels  []int32   // column of each row's class [N], for many rows; nil if there are Values
	Groups  []int32   // group of each row [N]: a group is left out as a whole; nil: rows that stand near each other are
	Columns int
	Classes bool
}

// subset returns the targets of some rows, as Values.
func (t Targets) subset(rows []int) Targets {
	s := Targets{Values: make([]float64, len(rows)*t.Columns), Columns: t.Columns, Classes: t.Classes}
	for i, r := range rows {
		if t.Labels != nil {
			s.row(i)[t.Labels[r]] = 1
		} else {
			copy(s.row(i), t.row(r))
		}
		if t.Groups != nil {
			s.Groups = append(s.Groups, t.Groups[r])
		}
	}
	return s
}

// head returns the targets of the first n rows.
func (t Targets) head(n int) Targets {
	t.Values, t.Groups = t.Values[:n*t.Columns], t.Groups[:min(n, len(t.Groups))]
	return t
}

func (t Targets) row(i int) []float64 { return t.Values[i*t.Columns : (i+1)*t.Columns] }

// n returns the number of rows.
func (t Targets) n() int { return max(len(t.Labels), len(t.Values)/t.Columns) }

// class returns the column with the largest value of row i.
func (t Targets) class(i int) int {
	if t.Labels != nil {
		return int(t.Labels[i])
	}
	return metrics.Argmax(t.row(i))
}

// blockCV predicts each of n rows from the rows of other blocks, by kernel ridge regression, whose predictions
// without a block follow from one inverse.
type blockCV struct {
	Targets
	mean    []float64 // mean of each column
	centred []float64 // values less the mean [Columns, n]
	blocks  [][]int   // rows that are left out together
}

// newBlockCV takes rows that stand at some places of a file.
func newBlockCV(t Targets, places []int) *blockCV {
	n := t.n()
	cv := &blockCV{Targets: t, blocks: blocks(t, places), mean: make([]float64, t.Columns),
		centred: make([]float64, t.Columns*n)}
	for i, v := range t.Values {
		cv.mean[i%t.Columns] += v / float64(n)
	}
	for i, v := range t.Values {
		cv.centred[i%t.Columns*n+i/t.Columns] = v - cv.mean[i%t.Columns]
	}
	return cv
}

// blockPrediction is the prediction of rows by the others.
type blockPrediction struct {
	residual []float64 // y_i − (mean of the prediction) [n, Columns]
	variance []float64 // variances of predictions [n], in units of the kernel's
}

// predict leaves out each block b under G = K + ridge, which it overwrites. With C = ((G⁻¹)_bb)⁻¹, the residuals of its
// rows are C (G⁻¹y)_b, and the variances of y_b given the others are on the diagonal of C.
func (cv *blockCV) predict(g []float64) blockPrediction {
	n := cv.n()
	inverse := invertFactor(g, n) // V = L⁻¹, so that G⁻¹ = VᵀV
	solved := make([]float64, n*cv.Columns)
	for i := range n {
		row := inverse[i*n : i*n+i+1]
		for c := range cv.Columns {
			simd.Axpy64(simd.Dot64(row, cv.centred[c*n:c*n+i+1]), row, solved[c*n:c*n+i+1])
		}
	}
	p := blockPrediction{make([]float64, n*cv.Columns), make([]float64, n)}
	for _, b := range cv.blocks {
		m := len(b)
		columns := make([]float64, m*n) // the columns of V that belong to b
		for x, i := range b {
			for r := i; r < n; r++ {
				columns[x*n+r] = inverse[r*n+i]
			}
		}
		part := make([]float64, m*m)
		for x, i := range b {
			for y, j := range b[:x+1] {
				from := max(i, j)
				part[x*m+y] = simd.Dot64(columns[x*n+from:(x+1)*n], columns[y*n+from:(y+1)*n])
			}
		}
		root := invertFactor(part, m) // U, so that C = UᵀU
		for x := range m {
			row := root[x*m : x*m+x+1]
			for c := range cv.Columns {
				dot := 0.0
				for y, u := range row {
					dot += u * solved[c*n+b[y]]
				}
				for y, u := range row {
					p.residual[b[y]*cv.Columns+c] += u * dot
				}
			}
			for y, u := range row {
				p.variance[b[y]] += u * u
			}
		}
	}
	return p
}

// The widths and noises that are tried. A width is σ² under exp in units of the median of squared distances; 0 is the
// inner product in place of exp. The noise is in units of the kernel's variance.
var (
	widths = []float64{0, 0.5, 1, 2}
	ridges = []float64{0.03, 0.3, 1}
)

// kernelRidge is a kernel ridge regression on a sum of maps: each table of squared distances with its weight, one width
// for all.
type kernelRidge struct {
	tables  []*distanceTable
	weights []float64
	width   float64
	ridge   float64
}

// fit is how well a kernelRidge predicts.
type fit struct {
	kernelRidge
	loss []float64 // −log p of each row
	nll  float64   // mean of loss
	// share of wrong classes; or mean squared error over the variance of the targets
	errors float64
	rare   float64 // mean area of the rare classes; 0 without rare classes
}

// distanceTable is the squared distances among rows under one map.
type distanceTable struct {
	n      int
	d2     []float64 // squared distances [n, n]
	square []float64 // k(x, x) of each row: 0 for a row without features, except under Tanimoto
	median float64   // median of the distances between different rows
}

// evaluate scores each model by leave-out predictions, until ctx is done.
func (cv *blockCV) evaluate(ctx context.Context, models []kernelRidge) ([]fit, error) {
	fits := make([]fit, len(models))
	parallel.Each(ctx, len(models), 1, func(i, _ int) {
		fits[i] = cv.score(cv.predict(models[i].matrix()))
		fits[i].kernelRidge = models[i]
	})
	return fits, ctx.Err()
}

// matrix returns K + ridge.
func (r kernelRidge) matrix() []float64 {
	n := r.tables[0].n
	k := make([]float64, n*n)
	for t, table := range r.tables {
		table.add(k, r.width, r.weights[t])
	}
	for i := range n {
		k[i*n+i] += r.ridge
	}
	return k
}

// best returns the fit with the largest density. NaN never wins.
func best(fits []fit) fit {
	return slices.MinFunc(fits, func(a, b fit) int { return compare(a.nll, b.nll) })
}

// compare orders numbers, with NaN last.
func compare(a, b float64) int { return cmp.Compare(-b, -a) }

// add adds the kernel of a width, of which the lower triangle is enough.
func (t *distanceTable) add(k []float64, width, weight float64) {
	for i := range t.n {
		row, from := k[i*t.n:i*t.n+i+1], t.d2[i*t.n:i*t.n+i+1]
		if width == 0 {
			for j, d := range from {
				row[j] += weight * (t.square[i] + t.square[j] - d) / 2
			}
			continue
		}
		scale := -1 / (2 * width * t.median)
		for j, d := range from {
			row[j] += weight * math.Exp(scale*d)
		}
	}
}

// maxBlocks is the number of blocks in which the rows are left out.
const maxBlocks = 20

// blocks groups rows that are near each other in a file; each block has the same share of every class. Neighbours are
// often similar, such as sentences of one text or members of one family, and would predict each other better than they
// predict new rows. Groups tell which rows are similar.
func blocks(t Targets, places []int) [][]int {
	if whole := wholeGroups(t.Groups); len(whole) > 1 {
		return whole
	}
	order := metrics.ArgSort(len(places), func(a, b int) int { return places[a] - places[b] })
	all := make([][]int, maxBlocks)
	for _, rows := range grouped(t, order, t.Classes) {
		for k, i := range rows {
			b := k * maxBlocks / len(rows)
			all[b] = append(all[b], i)
		}
	}
	return slices.DeleteFunc(all, func(b []int) bool { return b == nil })
}

// wholeGroups puts the rows of each group, the largest first, into the block with the fewest rows.
func wholeGroups(groups []int32) [][]int {
	var order []int32
	of := map[int32][]int{}
	for i, g := range groups {
		if of[g] == nil {
			order = append(order, g)
		}
		of[g] = append(of[g], i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(len(of[b]), len(of[a])) })
	all := make([][]int, min(maxBlocks, len(order)))
	for _, g := range order {
		least := 0
		for b, rows := range all {
			if len(rows) < len(all[least]) {
				least = b
			}
		}
		all[least] = append(all[least], of[g]...)
	}
	return all
}

// grouped returns the rows of each class in their order, or all rows in one group.
func grouped[T int | int32](t Targets, rows []T, byClass bool) [][]int {
	groups := make([][]int, 1)
	if byClass {
		groups = make([][]int, t.Columns)
	}
	for _, r := range rows {
		g := 0
		if byClass {
			g = t.class(int(r))
		}
		groups[g] = append(groups[g], int(r))
	}
	return groups
}

// panel is how many rows of a matrix are factorised at a time.
const panel = 48

// invertFactor overwrites the lower triangle of g = LLᵀ by L, and returns L⁻¹, lower triangular.
func invertFactor(g []float64, n int) []float64 {
	pack := simd.NewPack[float64]()
	for from := 0; from < n; from += panel {
		to := min(from+panel, n)
		for i := from; i < n; i++ {
			for j := from; j < min(i+1, to); j++ {
				v := g[i*n+j] - simd.Dot64(g[i*n+from:i*n+j], g[j*n+from:j*n+j])
				if i == j {
					g[i*n+i] = math.Sqrt(v)
				} else {
					g[i*n+j] = v / g[j*n+j]
				}
			}
		}
		for lo := to; lo < n; lo += panel { // the columns after the panel, a panel of rows at a time
			hi := min(lo+panel, n)
			simd.Gemm64(pack, false, true, hi-lo, hi-to, to-from, -1, g[lo*n+from:], n,
				g[to*n+from:], n, 1, g[lo*n+to:], n)
		}
	}
	inverse := make([]float64, n*n)
	for from := 0; from < n; from += panel {
		to := min(from+panel, n)
		for col := 0; col < from; col += panel { // L⁻¹ there has no rows above col
			end := min(col+panel, from)
			simd.Gemm64(pack, false, false, to-from, end-col, from-col, -1, g[from*n+col:], n,
				inverse[col*n+col:], n, 0, inverse[from*n+col:], n)
		}
		for i := from; i < to; i++ {
			row := inverse[i*n : i*n+i+1]
			row[i] = 1
			for j := from; j < i; j++ {
				simd.Axpy64(-g[i*n+j], inverse[j*n:j*n+j+1], row[:j+1])
			}
			for j := range row {
				row[j] /= g[i*n+i]
			}
		}
	}
	return inverse
}
