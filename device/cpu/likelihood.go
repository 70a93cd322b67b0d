package cpu

import (
	"cmp"
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// likRows is the number of rows of h in one block of a likelihood.
const likRows = 256

// likelihoods is the state of the likelihood operations. Sums are in double.
type likelihoods[T Float] struct {
	math       *kernels[T]
	dh, h, y   []T
	labels     []int32
	weight     []T // [B]; nil if each row counts once
	scale      float64
	noise      []float64 // [C]: log σ²; for counts, the constant of the log rate
	precision  []float64 // [C]: 1/σ²
	rows, b, c int
	ell        []float64 // [blocks]
	dlogvar    []float64 // [blocks,C]: sums for the gradients of the columns' parameters
	tail       float64   // ν of StudentLogLik; log r of NegativeBinomialLogLik
	tails      []float64 // [blocks]: sums for the gradient of r
	offset     []T       // [B], for counts; nil without offsets
	cuts       []float64 // κ_0 … κ_K of OrdinalLogLik
}

// beginSums starts a sum over s·b rows of c columns.
func (d *Device[T]) beginSums(s, b, c int, scale float64) *likelihoods[T] {
	t := &d.likelihoods
	*t = likelihoods[T]{math: d.math, scale: scale, rows: s * b, b: b, c: c, ell: t.ell,
		dlogvar: t.dlogvar, noise: t.noise, precision: t.precision, cuts: t.cuts, tails: t.tails}
	t.ell = grow(d.pool, &t.ell, blocksOf(t.rows, likRows))
	return t
}

// begin starts the sums of a likelihood. Those with a parameter for each column have room for its slopes.
func (d *Device[T]) begin(op string, ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) *likelihoods[T] {
	s, b, c := device.CheckLikelihood(op, ell, g, a)
	t := d.beginSums(s, b, c, scale)
	t.weight, t.offset = d.real(a.Weight), d.real(a.Offset)
	if a.H.DType() == device.Real {
		t.dh, t.h = d.real(g.H), d.real(a.H)
	}
	if a.Y.DType() == device.Int {
		t.labels = ints(a.Y)
		return t
	}
	t.y = d.real(a.Y)
	t.dlogvar = grow(d.pool, &t.dlogvar, blocksOf(t.rows, likRows)*c)
	t.noise = grow(d.pool, &t.noise, c)
	for i, v := range d.real(cmp.Or(a.LogVar, a.LogRate)) {
		t.noise[i] = float64(v)
	}
	if a.LogVar != nil {
		t.precision = grow(d.pool, &t.precision, c)
		for i, v := range t.noise {
			t.precision[i] = math.Exp(-v)
		}
	}
	return t
}

// w returns the weight of a row.
func (t *likelihoods[T]) w(row int) float64 {
	if t.weight == nil {
		return 1
	}
	return float64(t.weight[row%t.b])
}

// count returns the sum of the weights of the rows lo … hi−1.
func (t *likelihoods[T]) count(lo, hi int) (n float64) {
	if t.weight == nil {
		return float64(hi - lo)
	}
	for row := lo; row < hi; row++ {
		n += t.w(row)
	}
	return n
}

// slopes adds scale·Σ over the blocks to dlogvar.
func (t *likelihoods[T]) slopes(dlogvar []T) {
	for c := range dlogvar {
		dlogvar[c] += T(t.scale * t.column(c))
	}
}

// column returns the sum of a column of dlogvar over the blocks.
func (t *likelihoods[T]) column(c int) float64 { return sumEvery(t.dlogvar, c, t.c) }

// GaussianLogLik computes Σ log N(y; h, σ²_c), and its gradients in the same pass.
func (d *Device[T]) GaussianLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	g.Variance, a.Variance = nil, nil
	d.evaluateMoments("GaussianLogLik", expected, ell, g, a, scale)
}

// evaluate runs the blocks of a likelihood. It writes the value, and adds the slopes in the parameters of the columns,
// if there are some. The blocks add the term −½ log 2πσ² of every element.
func (d *Device[T]) evaluate(of task, work int, ell, columns *device.Tensor) {
	if d.dry() {
		return
	}
	t := &d.likelihoods
	d.do(of, len(t.ell), work)
	double(ell)[0] = t.scale * sum(t.ell)
	t.slopes(d.real(columns))
}

func sum(x []float64) float64 { return sumEvery(x, 0, 1) }

// normals returns Σ −½(log 2πσ² + (y−h)²/σ²) over rows that count as n, from the columns' Σ (y−h)², which become the
// slopes in log σ².
func (t *likelihoods[T]) normals(squares []float64, n float64) (value float64) {
	for c, v := range squares {
		misfit := t.precision[c] * v
		value -= 0.5 * (n*math.Log(2*math.Pi/t.precision[c]) + misfit)
		squares[c] = 0.5 * (misfit - n)
	}
	return value
}

// SoftmaxLogLik computes Σ log softmax(h[s,b,:])[y[b]], and its gradients in the same pass.
func (d *Device[T]) SoftmaxLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	t := d.begin("SoftmaxLogLik", ell, g, a, scale)
	d.evaluate((*softmax[T])(t), len(t.h)*16, ell, nil)
}

type softmax[T Float] likelihoods[T]

func (t *softmax[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	total := 0.0
	w := (*likelihoods[T])(t).w
	dh := t.dh[lo*t.c : hi*t.c]
	for row := lo; row < hi; row++ {
		h, d := t.h[row*t.c:][:t.c], t.dh[row*t.c:][:t.c]
		top := h[0]
		for _, v := range h {
			top = max(top, v)
		}
		for i, v := range h {
			d[i] = v - top
		}
		total += w(row) * float64(d[t.labels[row%t.b]])
	}
	t.math.exp(dh, dh)
	for row := lo; row < hi; row++ {
		d := t.dh[row*t.c:][:t.c]
		sum := 0.0
		for _, v := range d {
			sum += float64(v)
		}
		total -= w(row) * math.Log(sum)
		scale := T(-t.scale * w(row) / sum)
		for i := range d {
			d[i] *= scale
		}
		d[t.labels[row%t.b]] += T(t.scale * w(row))
	}
	t.ell[block] = total
}

// BernoulliLogLik computes Σ log σ(±h), and its gradients in the same pass.
func (d *Device[T]) BernoulliLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	t := d.begin("BernoulliLogLik", ell, g, a, scale)
	d.evaluate((*bernoulli[T])(t), len(t.h)*32, ell, nil)
}

type bernoulli[T Float] likelihoods[T]

func (t *bernoulli[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	total := 0.0
	for row := lo; row < hi; row++ {
		sign := float64(2*t.labels[row%t.b] - 1)
		with := sign * float64(t.h[row])
		// log σ(u) = min(u, 0) − log(1 + exp −|u|), and 1 − σ(u) from the same exponential.
		e := math.Exp(-math.Abs(with))
		w := (*likelihoods[T])(t).w(row)
		total += w * (min(with, 0) - math.Log1p(e))
		wrong := e / (1 + e)
		if with < 0 {
			wrong = 1 / (1 + e)
		}
		t.dh[row] = T(t.scale * w * sign * wrong)
	}
	t.ell[block] = total
}

// StudentLogLik computes Σ log t_ν((y−h)/σ) − log σ, and its gradients in the same pass. With z = (y−h)²/νσ², all of it
// follows from two sums that the blocks compute: Σ log(1+z) in ell, and Σ z/(1+z) in dlogvar.
func (d *Device[T]) StudentLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	t := d.begin("StudentLogLik", ell, g, a, scale)
	if d.dry() {
		return
	}
	excess := math.Exp(float64(d.real(a.Tail)[0]))
	nu := 2 + excess
	t.tail = nu
	d.do((*student[T])(t), len(t.ell), len(t.h)*16)

	rows := float64(t.rows/t.b) * t.count(0, t.b)
	logs := sum(t.ell)
	shares, noise := 0.0, 0.0
	n := rows * float64(t.c)
	for i, to := 0, d.real(g.LogVar); i < t.c; i++ {
		share := t.column(i)
		to[i] += T(scale * 0.5 * ((nu+1)*share - rows))
		shares += share
		noise += rows * t.noise[i]
	}
	upper, _ := math.Lgamma((nu + 1) / 2)
	lower, _ := math.Lgamma(nu / 2)
	double(ell)[0] = scale * (n*(upper-lower-0.5*math.Log(math.Pi*nu)) - 0.5*noise - (nu+1)/2*logs)
	dnu := 0.5 * (n*(digamma((nu+1)/2)-digamma(nu/2)-1/nu) - logs + (nu+1)/nu*shares)
	d.real(g.Tail)[0] += T(scale * dnu * excess)
}

type student[T Float] likelihoods[T]

func (t *student[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	logs := 0.0
	shares := t.dlogvar[block*t.c:][:t.c]
	clear(shares)
	for row := lo; row < hi; row++ {
		w := (*likelihoods[T])(t).w(row)
		y := t.y[row%t.b*t.c:][:t.c]
		dh := t.dh[row*t.c:][:t.c]
		for i, v := range t.h[row*t.c:][:t.c] {
			miss := float64(y[i]) - float64(v)
			perSquare := t.precision[i] / t.tail
			z := miss * miss * perSquare
			logs += w * math.Log1p(z)
			shares[i] += w * (z / (1 + z))
			dh[i] = T(t.scale * w * (t.tail + 1) * perSquare * miss / (1 + z))
		}
	}
	t.ell[block] = logs
}

// digamma returns ψ(x) = d log Γ/dx for x > 0: up to 10 by ψ(x) = ψ(x+1) − 1/x, from there by its asymptotic series.
func digamma(x float64) float64 {
	below := 0.0
	for ; x < 10; x++ {
		below -= 1 / x
	}
	v := 1 / (x * x)
	return below + math.Log(x) - 0.5/x - v*(1./12-v*(1./120-v*(1./252-v*(1./240-v/132))))
}

// HeteroscedasticLogLik computes Σ log N(y; h, v), v = max(VarFloor, σ²_c exp h'), and its gradients in the same pass.
func (d *Device[T]) HeteroscedasticLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	t := d.begin("HeteroscedasticLogLik", ell, g, a, scale)
	d.evaluate((*heteroscedastic[T])(t), len(t.h)*16, ell, g.LogVar)
}

type heteroscedastic[T Float] likelihoods[T]

func (t *heteroscedastic[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	total := 0.0
	slopes := t.dlogvar[block*t.c:][:t.c]
	clear(slopes)
	for row := lo; row < hi; row++ {
		w := (*likelihoods[T])(t).w(row)
		grad := t.scale * w
		y := t.y[row%t.b*t.c:][:t.c]
		h, dh := t.h[row*2*t.c:][:2*t.c], t.dh[row*2*t.c:][:2*t.c]
		for i, v := range y {
			miss := float64(v) - float64(h[i])
			logV := t.noise[i] + float64(h[t.c+i])
			floored := logV < logVarFloor
			if floored {
				logV = logVarFloor
			}
			precision := math.Exp(-logV)
			misfit := precision * miss * miss
			total -= 0.5 * w * (math.Log(2*math.Pi) + logV + misfit)
			dh[i] = T(grad * precision * miss)
			along := 0.5 * (misfit - 1)
			if floored {
				along = 0
			}
			slopes[i] += w * along
			dh[t.c+i] = T(grad * along)
		}
	}
	t.ell[block] = total
}

var logVarFloor = math.Log(device.VarFloor)

// AddBias adds bias[c] to h[s,b,c].
func (d *Device[T]) AddBias(h, bias *device.Tensor) {
	rows, c := device.CheckBias("AddBias", h, bias)
	if d.dry() {
		return
	}
	to, from := d.real(h), d.real(bias)
	for row := range rows {
		add(to[row*c:][:c], from)
	}
}

// AddBiasBackward adds Σ dh[s,b,c] to dbias[c].
func (d *Device[T]) AddBiasBackward(dbias, dh *device.Tensor) {
	rows, c := device.CheckBias("AddBiasBackward", dh, dbias)
	t := d.beginSums(1, rows, c, 1)
	t.dlogvar = grow(d.pool, &t.dlogvar, blocksOf(rows, likRows)*c)
	t.dh = d.real(dh)
	if d.dry() {
		return
	}
	d.do((*biasBackward[T])(t), len(t.ell), len(t.dh))
	t.slopes(d.real(dbias))
}

type biasBackward[T Float] likelihoods[T]

func (t *biasBackward[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	sums := t.dlogvar[block*t.c:][:t.c]
	clear(sums)
	for row := lo; row < hi; row++ {
		for c, v := range t.dh[row*t.c:][:t.c] {
			sums[c] += float64(v)
		}
	}
}
