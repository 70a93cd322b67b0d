package model

import "github.com/gpdrf/gpdrf-gpu/device"

// Model is one GP-DRF, GP or DRF on a device. A GP has no DRF layers, and a DRF has no
// GP layer; everything else is the same code.
type Model struct {
	cfg    Config
	dev    device.Device
	params Params
	gp     *GPLayer // nil for DRF
	drf    []*DRFLayer
	lik    Likelihood
	closed closedForm     // nil where the likelihood is estimated from samples
	report *device.Tensor // Double: ell, KL(F̄), then KL(W), KL(Ω) by layer, then jitter [K]
	slots  []*device.Tensor
	host   []float64
	last   *Pass // of the last Gradient
}

// Places in the report.
const (
	slotEll = iota
	slotInducing
	slotLayers // two for each layer
)

// New lays out a model's parameters on a device; all are zero until Init or Import.
func New(dev device.Device, c Config) (*Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	m := &Model{cfg: c, dev: dev}
	var bindGP func(device.Device) *GPLayer
	if c.hasGP() {
		bindGP = gpBlocks(&m.params, &c)
	}
	var bindDRF []func(device.Device) *DRFLayer
	if c.hasDRF() {
		for l := range c.Layers {
			bindDRF = append(bindDRF, drfBlocks(&m.params, &c, l, c.layerInputs(l), c.layerOutputs(l)))
		}
	}
	bindLik := likelihoodBlocks(&m.params, &c)

	m.params.allocate(dev)
	scalars := slotLayers + 2*len(bindDRF)
	kernels := 0
	if c.hasGP() {
		kernels = c.kernels()
	}
	m.report = dev.New(device.Double, scalars+kernels)
	m.host = make([]float64, scalars+kernels)
	for i := range scalars {
		m.slots = append(m.slots, m.report.View(i, 1))
	}
	if bindGP != nil {
		m.gp = bindGP(dev)
		m.gp.jitter = m.report.View(scalars, kernels)
	}
	for _, bind := range bindDRF {
		m.drf = append(m.drf, bind(dev))
	}
	m.lik = bindLik(dev)
	if c.Model == GP {
		m.closed, _ = m.lik.(closedForm)
	}
	return m, nil
}

// Config is the model's architecture.
func (m *Model) Config() Config { return m.cfg }

// Params is the flat vector of parameters.
func (m *Model) Params() *Params { return &m.params }

// layerInputs is d of layer l: what the layer below sends up and, with feed-forward, F and x again.
func (c *Config) layerInputs(l int) int {
	switch {
	case c.Model == DRF && l == 0:
		return c.Inputs
	case c.Model == DRF:
		return c.Hidden + c.fed(c.Inputs)
	case l == 0:
		return c.Latents + c.fed(c.Inputs)
	default:
		return c.Hidden + c.fed(c.Latents+c.Inputs)
	}
}

func (c *Config) fed(width int) int {
	if c.FeedForward {
		return width
	}
	return 0
}

func (c *Config) layerOutputs(l int) int {
	if l == c.Layers-1 {
		return c.Outputs
	}
	return c.Hidden
}

// Data is a data set on the device: uploaded once, then used by row number.
type Data struct {
	N int
	x *device.Tensor // Real [N,D]; nil where rows are sequences alone
	d *device.Tensor // Real [N,I·M], squared distances to X̄; nil where there are no sequences
	y Targets
}

// Upload puts N rows x [N,Width] on the device, their scaled inputs and then their distances, with targets in training-sd units [N,C] for a
// likelihood of numbers or class labels [N]; both may be nil for prediction.
func (m *Model) Upload(n int, x, y []float64, labels []int32) *Data {
	width := m.cfg.Width()
	return m.UploadRows(n, func(lo, hi int) []float64 { return x[lo*width : hi*width] }, y, labels)
}

// UploadRows is Upload with the inputs in pieces: x gives the rows from lo to hi−1.
func (m *Model) UploadRows(n int, x func(lo, hi int) []float64, y []float64, labels []int32) *Data {
	c := &m.cfg
	d := &Data{N: n}
	if c.Inputs > 0 {
		d.x = m.dev.New(device.Real, n, c.Inputs)
	}
	if c.Maps != nil {
		d.d = m.dev.New(device.Real, n, c.distances())
	}
	width := c.Width()
	step := max(1, uploadValues/width)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		rows := x(lo, hi)
		m.uploadColumns(d.x, rows, lo, hi, 0, width)
		m.uploadColumns(d.d, rows, lo, hi, c.Inputs, width)
	}
	if y != nil {
		d.y.Numbers = m.dev.New(device.Real, n, m.cfg.targets())
		m.dev.Upload(d.y.Numbers, y)
	}
	if labels != nil {
		d.y.Labels = m.dev.New(device.Int, n)
		m.dev.UploadInts(d.y.Labels, labels)
	}
	return d
}

// uploadColumns fills the rows lo … hi−1 of dst, which may be nil, from columns of rows of some width, from a first column on.
func (m *Model) uploadColumns(dst *device.Tensor, rows []float64, lo, hi, first, width int) {
	if dst == nil {
		return
	}
	columns := dst.Dim(1)
	if columns < width {
		part := make([]float64, 0, (hi-lo)*columns)
		for i := range hi - lo {
			part = append(part, rows[i*width+first:i*width+first+columns]...)
		}
		rows = part
	}
	m.dev.Upload(dst.View(lo*columns, hi-lo, columns), rows)
}

// SetInducing tells a model of sequences the squared distances among X̄ under each map [M,I·M], as rows have theirs.
func (m *Model) SetInducing(distances []float64) { m.dev.Upload(m.gp.xbar.d, distances) }

// uploadValues is how many numbers of x are uploaded at a time.
const uploadValues = 1 << 20

// Head is the first n rows, sharing their memory.
func (d *Data) Head(n int) *Data { return &Data{N: n, x: d.x, d: d.d, y: d.y} }
