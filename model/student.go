package model

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Student is p(y | h) = t_ν((y − h)/σ)/σ, Student's t around h with learned σ² and ν = 2 + exp tail
// degrees of freedom: above 2, so that there is a variance, σ² ν/(ν − 2).
type Student struct {
	observationNoise
	tail, dtail *device.Tensor // [1]
}

// LogLik computes (1/S) Σ_s log t_ν((y − h⁽ˢ⁾)/σ) − log σ.
func (t *Student) LogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	t.add(&g, &a)
	g.Tail, a.Tail = t.dtail, t.tail
	t.dev.StudentLogLik(ell, g, a, scale)
}

// Predictive makes components of Student's t.
func (t *Student) Predictive(p *Prediction) {
	dof := t.degrees()
	p.DoF = slices.Repeat([]float64{dof}, p.S)
	p.Noise = t.variances()
	p.Var = make([]float64, p.N*p.C)
	for i := range p.Var {
		p.Var[i] = p.Noise[i%p.C]
	}
	for c := range p.Noise {
		p.Noise[c] *= dof / (dof - 2)
	}
}

// degrees returns ν, read from the device.
func (t *Student) degrees() float64 { return 2 + exponentials(t.dev, t.tail)[0] }

// tailOf returns the parameter of ν degrees of freedom.
func tailOf(dof float64) float64 { return math.Log(dof - 2) }
