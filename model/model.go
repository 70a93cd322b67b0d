package model

import "github.com/gpdrf/gpdrf-gpu/device"

// Model is one GP-DRF, GP or DRF on a device. A GP has no DRF layers, and a DRF has no GP layer; everything else is the
// same code.
type Model struct {
	cfg    Config
	dev    device.Device
	params Params
	gp     *gpLayer // nil for DRF
	drf    []*drfLayer
	lik    *likelihood
	report *device.Tensor // Double: ell, KL(F̄), then KL(W) and KL(Ω) of each layer, KL of L, and jitter [K]
	slots  []*device.Tensor
	host   []float64
	last   *Workspace // that of the last Gradient

	rowsHave struct{ weight, offset bool } // what the rows to train on have
}

// Places in the report.
const (
	slotEll = iota
	slotInducing
	slotLayers // two places for each layer, and one for L of the last layer
)

// New lays out a model's parameters on a device; all are zero until Init or Import.
func New(dev device.Device, c Config) (*Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	m := &Model{cfg: c, dev: dev}
	gp, drf, lik := c.layout(&m.params)
	m.params.allocate(dev)
	scalars := slotLayers + 2*len(drf) + 1
	kernels := 0
	if c.hasGP() {
		kernels = c.kernels()
	}
	m.report = dev.New(device.Double, scalars+kernels)
	m.host = make([]float64, scalars+kernels)
	for i := range scalars {
		m.slots = append(m.slots, m.report.View(i, 1))
	}
	if gp != nil {
		m.gp = gp.bind(dev, &m.params, &c)
		m.gp.jitter = m.report.View(scalars, kernels)
	}
	for _, layer := range drf {
		m.drf = append(m.drf, layer.bind(dev, &m.params, &c))
	}
	m.lik = lik.bind(dev, &m.params, &c)
	return m, nil
}

// layout reserves the parameters of the layers and the likelihood, whose bind makes them on a device.
func (c *Config) layout(p *Params) (gp *gpBlocks, drf []*drfBlocks, lik *likelihoodBlocks) {
	if c.hasGP() {
		gp = c.addGP(p)
	}
	if c.hasDRF() {
		for l := range c.Layers {
			drf = append(drf, c.addDRF(p, l))
		}
	}
	return gp, drf, c.addLikelihood(p)
}

// Config returns the model's architecture.
func (m *Model) Config() Config { return m.cfg }

// Params returns the flat vector of parameters.
func (m *Model) Params() *Params { return &m.params }

// layerInputs returns d, the inputs of layer l: the outputs of the layer below and, with feed-forward, F and x.
func (c *Config) layerInputs(l int) int {
	switch {
	case c.Model == DRF && l == 0:
		return c.Inputs
	case c.Model == DRF:
		return c.Hidden + c.fedWidth(c.Inputs)
	case l == 0:
		return c.Latents + c.fedWidth(c.Inputs)
	default:
		return c.Hidden + c.fedWidth(c.Latents+c.Inputs)
	}
}

func (c *Config) fedWidth(width int) int {
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
