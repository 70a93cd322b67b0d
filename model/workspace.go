package model

import "github.com/gpdrf/gpdrf-gpu/device"

// Workspace is the memory of one forward and backward pass of S samples and B rows. It is made once and used for every
// step. A batch that is too large for the device goes through in chunks, whose gradients add up: noise belongs to rows
// of the data set, so the whole batch has the same result.
type Workspace struct {
	S, B int

	*activations                // activations of the longest chunk
	chunks       []chunk        // chunks in the order of the batch
	shards       [][]chunk      // the chunks of each shard
	rows         *device.Tensor // row numbers in the data set, Int [B]
	ells         *device.Tensor // shares of ell of the chunks, Double [chunks]; nil for a single chunk
	host         []float64      // memory of ells on the host [chunks]
}

// chunk is a number of rows of a batch.
type chunk struct {
	*activations
	first int            // place of the chunk's first row in the batch
	rows  *device.Tensor // view of the batch's row numbers, Int [b]
	ell   *device.Tensor // the chunk's share of ell, Double [1]
}

// activations are a chunk's tensors between forward and backward.
type activations struct {
	b       int
	x       *device.Tensor // Real [b,D]; nil where only the GP layer reads x, or D is 0
	y       Targets
	gp      *gpActivations
	f, df   *device.Tensor // F⁽ˢ⁾ [S,b,J]
	drf     []*drfActivations
	out, dh *device.Tensor // H of the likelihood and its gradient [S,b,C]
}

// Rows returns the numbers of the data set's rows that make the batch, Int [B]. The caller of Gradient fills them.
func (w *Workspace) Rows() *device.Tensor { return w.rows }

// NewWorkspace makes the workspace of a pass of the given size, for a whole batch at once.
func (m *Model) NewWorkspace(samples, batch int) *Workspace {
	return m.NewChunkedWorkspace(samples, batch, 1)
}

// NewChunkedWorkspace makes the workspace of a pass that goes through some shards of the batch, whose lengths differ by
// a row at most. Other passes have the other shards. Without shards it goes through the whole batch. Each shard goes in
// n chunks, which differ by a row at most.
func (m *Model) NewChunkedWorkspace(samples, batch, n int, shards ...Shard) *Workspace {
	if m.predictsOneGaussian() {
		samples = 1 // nothing is drawn, so that all samples would be the same
	}
	if len(shards) == 0 {
		shards = []Shard{{0, batch}}
	}
	rows := 0 // number of rows of the longest shard
	for _, s := range shards {
		rows = max(rows, s.Hi-s.Lo)
	}
	longest := (rows + n - 1) / n
	w := &Workspace{S: samples, B: batch, rows: m.dev.New(device.Int, batch)}
	memory := &arena{dev: m.dev}
	w.activations = m.newActivations(memory, samples, longest)
	var shorter *activations // activations for one row less, as views of the same memory
	if n*len(shards) > 1 {
		w.ells, w.host = m.dev.New(device.Double, n*len(shards)), make([]float64, n*len(shards))
	}
	for _, s := range shards {
		first := len(w.chunks)
		for i := range n {
			lo, hi := s.Lo+i*(s.Hi-s.Lo)/n, s.Lo+(i+1)*(s.Hi-s.Lo)/n
			q := chunk{activations: w.activations, first: lo, rows: w.rows.View(lo, hi-lo), ell: m.slots[slotEll]}
			if hi-lo < longest {
				if shorter == nil {
					shorter = m.newActivations(&arena{from: memory}, samples, longest-1)
				}
				q.activations = shorter
			}
			if w.ells != nil {
				q.ell = w.ells.View(len(w.chunks), 1)
			}
			w.chunks = append(w.chunks, q)
		}
		w.shards = append(w.shards, w.chunks[first:])
	}
	return w
}

// arena makes the tensors of activations: new tensors, or views of the tensors that another arena has made, in the same
// order.
type arena struct {
	dev     device.Device
	from    *arena
	tensors []*device.Tensor
	scratch []device.Scratch
}

func (a *arena) tensor(dtype device.DType, shape ...int) (t *device.Tensor) {
	if a.from != nil {
		t = a.from.tensors[len(a.tensors)].View(0, shape...)
	} else {
		t = a.dev.New(dtype, shape...)
	}
	a.tensors = append(a.tensors, t)
	return t
}

func (a *arena) features(samples, batch, d, features, dOut int) (k device.Scratch) {
	if a.from != nil {
		k = a.from.scratch[len(a.scratch)]
	} else {
		k = a.dev.FeatureScratch(samples, batch, d, features, dOut)
	}
	a.scratch = append(a.scratch, k)
	return k
}

// newActivations makes the activations of b rows.
func (m *Model) newActivations(s *arena, samples, b int) *activations {
	c := &m.cfg
	p := &activations{b: b}
	if c.classifies() {
		p.y.Labels = s.tensor(device.Int, b)
	} else {
		p.y.Numbers = s.tensor(device.Real, b, c.targets())
	}
	if m.rowsHave.weight {
		p.y.Weight = s.tensor(device.Real, b, 1)
	}
	if m.rowsHave.offset {
		p.y.Offset = s.tensor(device.Real, b, 1)
	}
	if c.Inputs > 0 && (c.Model == DRF || c.FeedForward) {
		p.x = s.tensor(device.Real, b, c.Inputs)
	}
	if m.gp != nil {
		p.gp = m.gp.newActivations(s, b)
		p.f, p.df = s.tensor(device.Real, samples, b, c.Latents), s.tensor(device.Real, samples, b, c.Latents)
		p.out, p.dh = p.f, p.df
	}
	for l, layer := range m.drf {
		var parts, dparts []*device.Tensor
		join := func(part, dpart *device.Tensor) { parts, dparts = append(parts, part), append(dparts, dpart) }
		if l > 0 {
			join(p.drf[l-1].out, p.drf[l-1].dout)
		}
		if m.gp != nil && (l == 0 || c.FeedForward) {
			join(p.f, p.df)
		}
		if p.x != nil && (c.FeedForward || l == 0) {
			join(p.x, nil)
		}
		p.drf = append(p.drf, layer.newActivations(s, samples, b, parts, dparts, c.FeedForward && c.Layers > 1))
		p.out, p.dh = p.drf[l].out, p.drf[l].dout
	}
	if n := len(p.drf); n > 0 {
		p.drf[n-1].moments = m.cfg.takesMoments()
	}
	return p
}
