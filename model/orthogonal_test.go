package model

import (
	"math"
	"testing"
)

// Columns of one block are orthogonal, and each is a vector of standard normals: its numbers have
// mean 0, variance 1 and fourth moment 3. Features of orthogonal frequencies are nearer to the
// kernel than those of independent ones.
func TestOrthogonal(t *testing.T) {
	const matrices, rows, columns = 400, 5, 12
	m, z := make([]float64, matrices*rows*columns), make([]float64, matrices*rows*columns)
	orthogonal(m, rows, columns, func(dst []float64) { normals(dst, 7, 0) })
	normals(z, 7, 1)
	x := [rows]float64{0.5, -0.5, 0.5, 0.5, -0.5}
	kernel := math.Exp(-0.5 * rows / 4)
	var moments [5]float64
	var own, other float64 // squared errors of the features
	for at := 0; at < len(m); at += rows * columns {
		var sums [2]float64
		for c := range columns {
			for o := c / rows * rows; o < c; o++ {
				inner := 0.0
				for r := range rows {
					inner += m[at+r*columns+c] * m[at+r*columns+o]
				}
				if math.Abs(inner) > 1e-12 {
					t.Fatalf("columns %d and %d: %g", c, o, inner)
				}
			}
			var phases [2]float64
			for r := range rows {
				v := m[at+r*columns+c]
				for p := range moments {
					moments[p] += math.Pow(v, float64(p)) / float64(len(m))
				}
				phases[0] += v * x[r]
				phases[1] += z[at+r*columns+c] * x[r]
			}
			sums[0] += math.Cos(phases[0]) / columns
			sums[1] += math.Cos(phases[1]) / columns
		}
		own, other = own+(sums[0]-kernel)*(sums[0]-kernel), other+(sums[1]-kernel)*(sums[1]-kernel)
	}
	if math.Abs(moments[1]) > 0.03 || math.Abs(moments[2]-1) > 0.04 || math.Abs(moments[4]-3) > 0.25 {
		t.Errorf("moments %v", moments)
	}
	if own > 0.9*other {
		t.Errorf("squared error %g, of independent frequencies %g", own, other)
	}
}

// VAR-FIXED starts with orthogonal η, PRIOR-FIXED has them as its noise.
func TestOrthogonalStart(t *testing.T) {
	for spectra, name := range map[string]string{VarFixed: "drf.1.mean_omega", PriorFixed: "drf.1.tau"} {
		c := gpdrfConfig()
		c.Orthogonal, c.Spectra = true, spectra
		m, err := New(openDevice(t, "cpu:f64"), c)
		if err != nil {
			t.Fatal(err)
		}
		m.Init(Init{Seed: 3, PseudoInputs: make([]float64, c.Inducing*c.Inputs), GPLengthscaleFactor: 1, DRFLengthscaleFactor: 1, NoiseVariance: 1})
		b := m.find(name)
		rows, columns := b.Shape[len(b.Shape)-2], b.Shape[len(b.Shape)-1]
		for _, n := range m.Export() {
			inner, norm := 0.0, 0.0
			for r := range rows {
				if n.Name == name {
					inner += n.Data[r*columns] * n.Data[r*columns+1]
					norm += n.Data[r*columns] * n.Data[r*columns]
				}
			}
			if n.Name == name && (norm == 0 || math.Abs(inner) > 1e-12*norm) {
				t.Errorf("%s: %g of %g", name, inner, norm)
			}
		}
	}
}
