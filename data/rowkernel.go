package data

import (
	"hash"
	"math"
)

// RowKernel is a kernel that was computed elsewhere, as squared distances 2 − 2k(x, x̄)/√(k(x, x)
// k(x̄, x̄)) in the space of its unit vectors: only its correlations count, not its diagonal. Where
// k(x, x) is 0, they are 2.
type RowKernel struct {
	M    int
	Own  []float64 // among the inducing points [M,M]
	Rows []float64 // of the rows [N,M]
}

// rowKernel makes the distances of rows.
func (g *Gram) rowKernel(cross, diag []float64) *RowKernel {
	own := make([]float64, g.M)
	for m := range own {
		own[m] = g.Inducing[m*g.M+m]
	}
	k := &RowKernel{M: g.M, Own: correlate(g.Inducing, own, own), Rows: correlate(cross, diag, own)}
	for m := range g.M {
		k.Own[m*g.M+m] = 0
	}
	return k
}

// correlate turns k(a, b) [N,M] with the diagonals k(a, a) and k(b, b) into distances.
func correlate(cross, a, b []float64) []float64 {
	d2 := make([]float64, len(cross))
	for i, k := range cross {
		c := 0.0
		if norm := math.Sqrt(a[i/len(b)] * b[i%len(b)]); norm > 0 {
			c = min(1, max(-1, k/norm))
		}
		d2[i] = 2 - 2*c
	}
	return d2
}

// attachGram gives a training set, and a test set where there is one, the kernel of a file.
func attachGram(path string, train, test *Dataset, w Watch) error {
	if path == "" {
		return nil
	}
	rows := 0
	if test != nil {
		rows = test.N()
	}
	g, err := readGram(path, train.N(), rows, w)
	if err != nil {
		return err
	}
	train.setKernel(g.rowKernel(g.TrainInducing, g.TrainDiag))
	if test != nil {
		test.setKernel(g.rowKernel(g.TestInducing, g.TestDiag))
	}
	return nil
}

// AttachGram gives rows to test or predict the kernel of a file: its test_inducing and test_diag.
func (d *Dataset) AttachGram(path string, w Watch) error {
	g, err := readGram(path, 0, d.N(), w)
	if err != nil {
		return err
	}
	d.setKernel(g.rowKernel(g.TestInducing, g.TestDiag))
	return nil
}

func (d *Dataset) setKernel(k *RowKernel) {
	d.Kernel = k
	d.Fingerprint = d.fingerprint()
}

// subset is the kernel of the given rows.
func (k *RowKernel) subset(rows []int) *RowKernel {
	if k == nil {
		return nil
	}
	return &RowKernel{M: k.M, Own: k.Own, Rows: gather(k.Rows, k.M, rows)}
}

// hash adds the distances to a fingerprint.
func (k *RowKernel) hash(h hash.Hash) {
	if k == nil {
		return
	}
	row := make([]byte, 0, 8*k.M)
	for i := 0; i < len(k.Rows); i += k.M {
		row = row[:0]
		for _, v := range k.Rows[i : i+k.M] {
			row = appendValue(row, v)
		}
		h.Write(row)
	}
}
