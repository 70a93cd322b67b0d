package model

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// ardTerm is kernel_ard, or another kernel of the same distance, between vectors.
type ardTerm struct {
	form        device.Correlation
	logL, dlogL *device.Tensor // [K,D] or [K,1]
}

// ardBlocks reserves the length-scales of term i.
func ardBlocks(p *Params, c *Config, form device.Correlation, i int) (bind func() term) {
	width, name := c.Inputs, "gp.log_lengthscale"
	if c.Lengthscales == Isotropic {
		width = 1
	}
	if i > 0 {
		name = fmt.Sprintf("%s_%d", name, i+1)
	}
	at := p.add(Kernel, name, shape(c.kernels(), width), func(dst []float64, v *Init, normal func([]float64)) {
		length := math.Log(math.Sqrt(float64(c.Inputs)) * v.GPLengthscaleFactor)
		if i > 0 {
			length += math.Log(initSecond)
		}
		fill(dst, length)
		spreadOver(dst, c.kernels(), normal)
	})
	return func() term {
		t := &ardTerm{form: form}
		t.logL, t.dlogL = p.double(at)
		return t
	}
}

func (t *ardTerm) slopes() bool { return t.form != device.RBF }

func (t *ardTerm) fixed() bool { return false }

func (t *ardTerm) correlate(g *GPLayer, p *termCorrelations, rows *inputs) {
	g.dev.ARD(p.c, p.slope, g.xbar.x, rows.x, t.logL, t.form)
}

func (t *ardTerm) backward(g *GPLayer, p *termCorrelations, rows *inputs) {
	g.dev.ARDBackward(g.dxbar, t.dlogL, p.dc, p.slope, g.xbar.x, rows.x, t.logL)
}
