package model

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Role is the role of a block of parameters in the optimiser's schedules.
type Role uint8

const (
	Variational     Role = iota // q(W)
	InducingOutputs             // q(F̄)
	Spectra                     // q(Ω): Ψ_Ω
	Kernel                      // α, ℓ of every layer, σ² or b: Θ
	InducingPoints              // X̄
	Tail                        // ν of Student's t
	Fixed                       // drawn by Init, never learned
)

// block is one named parameter tensor inside the flat vector.
type block struct {
	Name   string
	Role   Role
	Shape  []int
	start  initializer // writes the values at the start; nil: zeros
	spread bool        // the block is of q and has variances, or a factor of the covariance
	offset int
}

// initializer writes the values at which a block starts.
type initializer func(blockStart)

// blockStart is a block before training.
type blockStart struct {
	dst    []float64 // the block's values, 0 at first
	init   *Init
	normal func([]float64) // draws standard normals for the block
}

func (b *block) size() int { return device.Volume(b.Shape) }

// Params is the flat vector of everything that is learned, with its gradient. Adam, L2, model files and finite
// differences see one vector; the layers see named views. The GP layer's blocks come first, so that one Widen makes
// their double copies and one NarrowAdd brings their gradients back.
type Params struct {
	Value, Grad *device.Tensor // Real [P]

	blocks    []*block
	total, gp int // number of parameters P, and how many of them belong to the GP layer

	// The GP layer's share, in real as Adam sees it and in double as the layer does.
	gpValue, gpGrad *device.Tensor
	wide, dwide     *device.Tensor
	// dwide and, after it, the layer's other sums, so that all are cleared at once
	sums  *device.Tensor
	extra int
}

// add reserves a block.
func (p *Params) add(role Role, name string, shape []int, at initializer) *block {
	b := &block{Name: name, Role: role, Shape: shape, start: at, offset: p.total}
	p.blocks = append(p.blocks, b)
	p.total += b.size()
	return b
}

// addSpread adds a block of spreads of q, as add does.
func (p *Params) addSpread(role Role, name string, shape []int, at initializer) *block {
	b := p.add(role, name, shape, at)
	b.spread = true
	return b
}

func shape(lengths ...int) []int { return lengths }

// addSum reserves the gradient, in double, of a tensor that is not a parameter.
func (p *Params) addSum(shape ...int) *block {
	s := &block{Shape: shape, offset: p.extra}
	p.extra += s.size()
	return s
}

func (p *Params) gradient(s *block) *device.Tensor { return p.sums.View(p.gp+s.offset, s.Shape...) }

func (p *Params) allocate(dev device.Device) {
	p.Value, p.Grad = dev.New(device.Real, p.total), dev.New(device.Real, p.total)
	if p.gp > 0 {
		p.gpValue, p.gpGrad = p.Value.View(0, p.gp), p.Grad.View(0, p.gp)
		p.wide, p.sums = dev.New(device.Double, p.gp), dev.New(device.Double, p.gp+p.extra)
		p.dwide = p.sums.View(0, p.gp)
	}
}

// real and double return a block's value and gradient for the DRF layers and for the GP layer; nil for a nil block.
func (p *Params) real(b *block) (value, grad *device.Tensor) {
	if b == nil {
		return nil, nil
	}
	return p.Value.View(b.offset, b.Shape...), p.Grad.View(b.offset, b.Shape...)
}

func (p *Params) double(b *block) (value, grad *device.Tensor) {
	if b == nil {
		return nil, nil
	}
	return p.wide.View(b.offset, b.Shape...), p.dwide.View(b.offset, b.Shape...)
}

// FittedParameters returns the number of parameters of a valid configuration that can fit targets: all parameters that
// learn, except the spreads of q, which tell how certain q is.
func (c *Config) FittedParameters() int {
	var p Params
	c.layout(&p)
	n := 0
	for _, b := range p.blocks {
		if b.Role != Fixed && !b.spread && (b.Role != InducingPoints || c.LearnInducing) {
			n += b.size()
		}
	}
	return n
}

// Len returns P, the number of parameters.
func (p *Params) Len() int { return p.total }

// Mask returns a vector with 1 for each parameter that learns, by its role, and 0 for the others.
func (p *Params) Mask(learns func(Role) bool) []float64 {
	mask := make([]float64, p.total)
	for _, b := range p.blocks {
		if learns(b.Role) {
			fill(mask[b.offset:b.offset+b.size()], 1)
		}
	}
	return mask
}

// numbers downloads the elements of a tensor; nil for a nil tensor.
func numbers(dev device.Device, t *device.Tensor) []float64 {
	if t == nil {
		return nil
	}
	host := make([]float64, t.Len())
	dev.Download(host, t)
	return host
}

// exponentials downloads a tensor x and returns exp x.
func exponentials(dev device.Device, t *device.Tensor) []float64 {
	host := numbers(dev, t)
	for i, v := range host {
		host[i] = math.Exp(v)
	}
	return host
}

// Parameter is one parameter tensor as a model file holds it.
type Parameter struct {
	Name  string
	Shape []int
	Data  []float64
}

// Len returns the number of elements.
func (p Parameter) Len() int { return device.Volume(p.Shape) }

// Export reads all parameters from the device.
func (m *Model) Export() []Parameter {
	flat := m.numbers(m.params.Value)
	out := make([]Parameter, len(m.params.blocks))
	for i, b := range m.params.blocks {
		out[i] = Parameter{Name: b.Name, Shape: append([]int(nil), b.Shape...),
			Data: flat[b.offset : b.offset+b.size()]}
	}
	return out
}

// Import sets all parameters; names and shapes must be the same as in this model.
func (m *Model) Import(named []Parameter) error {
	byName := make(map[string]*Parameter, len(named))
	for i := range named {
		byName[named[i].Name] = &named[i]
	}
	flat := make([]float64, m.params.total)
	for _, b := range m.params.blocks {
		n, ok := byName[b.Name]
		if !ok {
			return fmt.Errorf("model: tensor %q is missing", b.Name)
		}
		if fmt.Sprint(n.Shape) != fmt.Sprint(b.Shape) || len(n.Data) != b.size() {
			return fmt.Errorf("model: tensor %q has shape %v, expected %v", b.Name, n.Shape, b.Shape)
		}
		copy(flat[b.offset:], n.Data)
		delete(byName, b.Name)
	}
	for name := range byName {
		return fmt.Errorf("model: tensor %q is not part of this model", name)
	}
	m.dev.Upload(m.params.Value, flat)
	return nil
}

// Layout lists the names and shapes of a configuration's parameters, without their data and without a device: the
// contents of a model file of this configuration. The configuration must be valid.
func (c Config) Layout() []Parameter {
	var p Params
	c.layout(&p)
	out := make([]Parameter, len(p.blocks))
	for i, b := range p.blocks {
		out[i] = Parameter{Name: b.Name, Shape: b.Shape}
	}
	return out
}
