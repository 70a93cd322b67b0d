package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// ardTerm is kernel_ard between vectors, or another kernel of the same distance.
type ardTerm struct {
	form        device.Correlation
	lengths     *block
	logL, dlogL *device.Tensor // [K,D] or [K,1]
}

// newARDTerm reserves the length-scales of term i.
func newARDTerm(p *Params, c *Config, form device.Correlation, i int) *ardTerm {
	width, name := c.Inputs, GPLogLength(i)
	if c.Lengthscales == Isotropic || c.Lengthscales == Common {
		width = 1
	}
	lengths := p.add(Kernel, name, shape(c.kernels(), width), func(s blockStart) {
		fill(s.dst, math.Log(math.Sqrt(float64(c.Inputs))*s.init.GPLengthscaleFactor))
		if s.init.LengthScales != nil {
			setLengthScales(s.dst, s.init.LengthScales, width)
		}
		for k := range s.dst {
			s.dst[k] += float64(i) * math.Log(initSecond)
		}
		spreadOver(s.dst, c.kernels(), s.normal)
	})
	return &ardTerm{form: form, lengths: lengths}
}

func (t *ardTerm) bind(p *Params) { t.logL, t.dlogL = p.double(t.lengths) }

// setLengthScales starts log ℓ [K,width] at lengths [D], or at their geometric mean if all columns share a
// length-scale.
func setLengthScales(dst, lengths []float64, width int) {
	mean := 0.0
	for _, l := range lengths {
		mean += math.Log(l) / float64(len(lengths))
	}
	fill(dst, mean)
	for k := 0; width == len(lengths) && k < len(dst); k++ {
		dst[k] = math.Log(lengths[k%width])
	}
}

func (t *ardTerm) needsSlope() bool { return t.form != device.RBF }

func (t *ardTerm) fixed() bool { return false }

func (t *ardTerm) correlate(g *gpLayer, p *termCorrelations, rows *inputs) {
	g.dev.ARD(t.args(g, p, rows))
}

func (t *ardTerm) backward(g *gpLayer, p *termCorrelations, rows *inputs) {
	g.dev.ARDBackward(device.ARDArgs{C: p.dc, Z: g.dxbar, LogLength: t.dlogL}, t.args(g, p, rows))
}

func (t *ardTerm) args(g *gpLayer, p *termCorrelations, rows *inputs) device.ARDArgs {
	return device.ARDArgs{C: p.c, Slope: p.slope, Z: g.xbar.x, X: rows.x, LogLength: t.logL, Form: t.form}
}
