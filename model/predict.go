package model

import (
	"errors"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Prediction is the predictive mixture pred_ys_mc, (1/S) Σ_s p(y | G(F⁽ˢ⁾), θ_l), for N rows. The
// mixture of several models has weights.
type Prediction struct {
	S, N, C int
	H       []float64 // means in training-sd units, or logits [S,N,C]
	// for a regression, variance of the components of a row [N,C], or of each component [S,N,C];
	// σ² of Student's t
	Var    []float64
	Weight []float64 // weights of the components [S], with sum 1; nil: equal weights
	DoF    []float64 // ν of components of Student's t, 0 of normal components [S]; nil: all are normal
	// δ of components that are counts with log rate H [S]: Poisson for 0, otherwise negative binomial with
	// variance λ + δλ². nil: no counts. Var is nil for counts.
	Dispersion []float64
	Noise      []float64 // part of the components' variance that is noise [N,C]; nil: all of it
}

// PerRow returns the fields of p with numbers of each row, [blocks,N,C]. Var and Noise may be nil.
func (p *Prediction) PerRow() []*[]float64 { return []*[]float64{&p.H, &p.Var, &p.Noise} }

// Slice returns the prediction of the rows lo … hi−1. It copies neighbouring rows at once, since a server asks for it
// with each answer.
func (p *Prediction) Slice(lo, hi int) *Prediction {
	return p.choose(hi-lo, func(to, block []float64) []float64 { return append(to, block[lo*p.C:hi*p.C]...) })
}

// choose returns the prediction of n rows. rows appends them to a vector, from a block [N,C] of all.
func (p *Prediction) choose(n int, rows func(to, block []float64) []float64) *Prediction {
	chosen := *p
	chosen.N = n
	for _, x := range chosen.PerRow() {
		all := *x
		*x = slices.Grow([]float64(nil), len(all)/max(1, p.N)*n) // the copy of a nil slice is nil
		for at := 0; at < len(all); at += p.N * p.C {
			*x = rows(*x, all[at:at+p.N*p.C])
		}
	}
	return &chosen
}

// Pick returns the prediction of some of its rows, and itself if these are all rows in their order.
func (p *Prediction) Pick(rows []int) *Prediction {
	all := len(rows) == p.N
	for i, r := range rows {
		all = all && r == i
	}
	if all {
		return p
	}
	return p.choose(len(rows), func(to, block []float64) []float64 {
		for _, r := range rows {
			to = append(to, block[r*p.C:(r+1)*p.C]...)
		}
		return to
	})
}

// AddOffset adds the offset of each row [N] to its log rates; nil adds nothing. Predictions of other
// likelihoods have no offsets.
func (p *Prediction) AddOffset(offset []float64) {
	for i := range p.H {
		if offset != nil {
			p.H[i] += offset[i/p.C%p.N]
		}
	}
}

// add adds a constant to each output; nil adds nothing.
func (p *Prediction) add(constants []float64) {
	for i := 0; i < len(p.H) && constants != nil; i++ {
		p.H[i] += constants[i%len(constants)]
	}
}

// hermite replaces normal components of [S,N,C] by several at the nodes of Gauss–Hermite, with their weights.
func (p *Prediction) hermite() {
	nodes, weights := hermite(hermiteNodes(p.S))
	h := make([]float64, 0, len(p.H)*len(nodes))
	size := p.N * p.C
	p.Weight = nil
	for s := range p.S {
		for q, x := range nodes {
			p.Weight = append(p.Weight, weights[q]/float64(p.S))
			for i := s * size; i < (s+1)*size; i++ {
				h = append(h, p.H[i]+x*math.Sqrt(p.Var[i]))
			}
		}
	}
	p.S, p.H, p.Var = p.S*len(nodes), h, nil
}

// hermiteNodes returns the number of nodes of each normal in a mixture of samples: fewer if there are several
// normals.
func hermiteNodes(samples int) int {
	if samples == 1 {
		return 20
	}
	return 3
}

// Tempered returns the prediction with the temperature t: logits become h/t, and the variances of numbers t²
// times as large. Counts stay as they are.
func (p *Prediction) Tempered(t float64) *Prediction {
	other := *p
	if p.Var == nil {
		other.H = slices.Clone(p.H)
	} else {
		other.Var, other.Noise = slices.Clone(p.Var), slices.Clone(p.Noise)
	}
	other.temper(t)
	return &other
}

// temper changes the prediction in place as Tempered does.
func (p *Prediction) temper(t float64) {
	switch {
	case p.Dispersion != nil:
	case p.Var == nil:
		scale(p.H, 1/t)
	default:
		scale(p.Var, t*t)
		scale(p.Noise, t*t)
	}
}

// scale multiplies numbers by a factor.
func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

// The size of a prediction's pass, where the device has the memory.
const (
	predictRows    = 256
	predictAtOnce  = 8192 // largest number of samples times rows
	predictReserve = 16   // 1/16 of the free memory is left alone
)

// Predict draws S samples of (W, Ω, F_*) for the rows of data, the same noise for every row: a
// row's prediction does not depend on other rows. A GP with a Gaussian likelihood, and a single
// layer with W and Ω integrated, need no draws: their prediction is one Gaussian, with S = 1.
func (m *Model) Predict(data *Data, samples int, seed uint64) (*Prediction, error) {
	return m.NewPredictor(data, samples).Predict(seed)
}

// Predictor predicts one data set any number of times. Its memory on the device is made once.
type Predictor struct {
	m       *Model
	data    *Data
	samples int
	pass    *Pass
	host    []float64
	rows    []int32

	first     uint32  // number of the first sample
	noiseRows []int32 // number of the row whose noise each row has [N]; nil: row 0 for all

	// Abandon, where it is not nil, is asked between parts of a prediction: a true answer ends it
	// with ErrAbandoned.
	Abandon func() bool
}

// ErrAbandoned is the error of a prediction that Abandon has ended.
var ErrAbandoned = errors.New("model: the prediction was abandoned")

// NewPredictor makes the memory that predictions of data with S samples need.
func (m *Model) NewPredictor(data *Data, samples int) *Predictor {
	if m.exact() {
		samples = 1
	}
	chunk, batch := m.predictSize(samples, data)
	return &Predictor{m: m, data: m.windowed(data, batch), samples: samples, pass: m.NewPass(chunk, batch),
		host: make([]float64, chunk*batch*m.cfg.Outputs), rows: make([]int32, batch)}
}

// Project calls Model.Project with the predictor's data.
func (r *Predictor) Project(going func(done int) bool) { r.m.Project(r.pass, r.data, going) }

// Samples returns S of the predictions. A Poisson likelihood in closed form has several nodes
// of Gauss–Hermite for each sample.
func (r *Predictor) Samples() int {
	if r.m.cfg.takesMoments() && r.m.cfg.Likelihood == PoissonLikelihood {
		return r.samples * hermiteNodes(r.samples)
	}
	return r.samples
}

// exact reports whether a prediction is one Gaussian.
func (m *Model) exact() bool { return m.cfg.takesMoments() && m.cfg.deterministic() }

// moments returns the tensors of the last layer's means and variances, for likelihoods that take them.
func (p *activations) moments() (mean, variance *device.Tensor) {
	if n := len(p.drf); n > 0 {
		return p.out, p.drf[n-1].variance
	}
	return p.gp.mean, p.gp.variance
}

// Predict predicts with the present parameters of the model.
func (r *Predictor) Predict(seed uint64) (*Prediction, error) {
	if err := r.m.Settle(); err != nil {
		return nil, err
	}
	return r.predict(r.data, seed)
}

// PredictRows predicts n rows x [n,Width] of the host, as Predict does, through the memory of a Window.
// Settle must have been called.
func (r *Predictor) PredictRows(n int, x []float64, seed uint64) (*Prediction, error) {
	width := r.data.width()
	rows := r.data.Head(n)
	rows.from = func(lo, hi int) []float64 { return x[lo*width : hi*width] }
	return r.predict(rows, seed)
}

// predict predicts data that has its memory, with parameters that have settled.
func (r *Predictor) predict(data *Data, seed uint64) (*Prediction, error) {
	m, samples, p, host, rows := r.m, r.samples, r.pass, r.host, r.rows
	chunk, batch := p.S, p.B
	c := m.cfg.Outputs
	out := &Prediction{S: samples, N: data.N, C: c, H: make([]float64, samples*data.N*c)}
	mean, variance := p.out, (*device.Tensor)(nil)
	if m.cfg.takesMoments() {
		mean, variance = p.moments()
		out.Var = make([]float64, samples*data.N*c)
	}
	// read copies a tensor [S,B,C] to its place in [S,N,C], from sample s and from row first on.
	read := func(to []float64, t *device.Tensor, s, first, n int) {
		m.dev.Download(host, t)
		for i := range min(chunk, samples-s) {
			copy(to[((s+i)*data.N+first)*c:][:n*c], host[i*batch*c:])
		}
	}
	// send begins to bring the rows of a Stream from row first on.
	send := func(first int) {
		if n := min(batch, data.N-first); n > 0 && data.from != nil {
			uploadPiece(data.feed, data, data.from(first, first+n), 0, n)
		}
	}
	send(0)
	for first := 0; first < data.N; first += batch {
		n, at := min(batch, data.N-first), first
		if data.from != nil {
			data.feed.Next()
			at = 0
		}
		for i := range rows {
			rows[i] = int32(at + min(i, n-1)) // the last batch is filled up with its last row
		}
		m.dev.UploadInts(p.rows, rows)
		m.gather(&p.parts[0], data)
		r.uploadNoiseRows(first, n)
		for s := 0; s < samples; s += chunk {
			if r.Abandon != nil && r.Abandon() {
				return nil, ErrAbandoned
			}
			m.propagate(&p.parts[0], draw{seed: seed, step: device.Count{N: predictStep}, sample: r.first + uint32(s)})
			if s == 0 {
				send(first + batch) // the upload runs while the device computes
			}
			read(out.H, mean, s, first, n)
			if variance != nil {
				read(out.Var, variance, s, first, n)
			}
		}
	}
	m.lik.predict(m.lik, out)
	if t := m.cfg.Temperature; t > 0 {
		out.temper(t)
	}
	return out, nil
}

// uploadNoiseRows sets whose noise the n rows from first on have. All rows have the noise of row 0,
// so that only their inputs make them differ, unless noiseRows says otherwise.
func (r *Predictor) uploadNoiseRows(first, n int) {
	if r.noiseRows == nil {
		r.m.dev.Zero(r.pass.rows)
		return
	}
	for i := range r.rows {
		r.rows[i] = r.noiseRows[first+min(i, n-1)]
	}
	r.m.dev.UploadInts(r.pass.rows, r.rows)
}

// predictSize returns the samples and rows of a pass, at least one each: fewer than usual if the device
// has no memory for more.
func (m *Model) predictSize(samples int, data *Data) (chunk, batch int) {
	batch = min(data.N, predictRows)
	chunk = min(samples, max(1, predictAtOnce/max(1, batch)))
	free, known := m.dev.Free()
	for known && m.predictBytes(data, chunk, batch) > free-free/predictReserve {
		switch {
		case chunk > 1:
			chunk = (chunk + 1) / 2
		case batch > 1:
			batch = (batch + 1) / 2
		default:
			return 1, 1
		}
	}
	return chunk, batch
}

// predictBytes measures the device memory of a pass of a prediction, in bytes.
func (m *Model) predictBytes(data *Data, samples, batch int) int64 {
	dev, ledger := m.dev.Dry()
	dry, err := New(dev, m.cfg)
	if err != nil {
		panic("model: a model's own configuration is not valid: " + err.Error())
	}
	if m.gp != nil {
		dry.gp.vectors = m.gp.vectors // only whether there are vectors counts
	}
	before := ledger.Total()
	dry.windowed(data, batch)
	p := dry.NewPass(samples, batch)
	if dry.gp != nil {
		dry.gp.factorise()
	}
	dry.spectra()
	dry.propagate(&p.parts[0], draw{step: device.Count{N: predictStep}})
	return ledger.Total() - before
}
