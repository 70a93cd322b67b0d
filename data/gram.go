package data

import (
	"cmp"
	"hash"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Gram is a kernel that was computed elsewhere, between rows and M inducing points.
type Gram struct {
	M             int
	Inducing      []float64 // k(x̄, x̄) [M,M]
	TrainInducing []float64 // k(x, x̄) [N,M]
	TrainDiag     []float64 // k(x, x) [N]
	TestInducing  []float64 // of the rows to test or predict [T,M]
	TestDiag      []float64 // [T]
}

// The arrays of an npz archive that holds a Gram.
const (
	gramInducing      = "inducing"
	gramTrainInducing = "train_inducing"
	gramTrainDiag     = "train_diag"
	gramTestInducing  = "test_inducing"
	gramTestDiag      = "test_diag"
)

// gramTolerance is how far rounding may take a kernel from symmetric and from positive
// semi-definite, relative to its largest diagonal value.
const gramTolerance = 1e-6

// readGram reads the arrays inducing [M,M], train_inducing [N,M], train_diag [N], test_inducing
// [T,M] and test_diag [T] of an npz archive, for n training rows and t others. Those of n = 0 or t
// = 0 rows are not read. It is an error if sizes do not agree, a value is not finite, or no kernel
// can have these values: inducing must be symmetric and positive semi-definite, diagonals not
// negative, and k(x, x̄)² at most k(x, x)·k(x̄, x̄).
func readGram(path string, n, t int, w Watch) (*Gram, error) {
	f, err := w.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	archive, err := openNpz(path, f)
	if err != nil {
		return nil, err
	}
	r := &gramReader{archive: archive}
	g := &Gram{}
	g.Inducing, g.M = r.array(gramInducing, 0, 0)
	if r.err == nil && len(g.Inducing) != g.M*g.M {
		return nil, errorf(r.name(gramInducing), "has %d rows of %d values: k(x̄, x̄) must be square",
			len(g.Inducing)/g.M, g.M)
	}
	if n > 0 {
		g.TrainInducing, _ = r.array(gramTrainInducing, n, g.M)
		g.TrainDiag, _ = r.array(gramTrainDiag, n, 1)
	}
	if t > 0 {
		g.TestInducing, _ = r.array(gramTestInducing, t, g.M)
		g.TestDiag, _ = r.array(gramTestDiag, t, 1)
	}
	if err := cmp.Or(w.stopped(path), r.err); err != nil {
		return nil, err
	}
	if err := g.check(r); err != nil {
		return nil, err
	}
	return g, nil
}

// gramReader reads arrays until the first error.
type gramReader struct {
	archive *npz
	err     error
}

func (r *gramReader) name(array string) string { return r.archive.name + "(" + array + ".npy)" }

// array reads one of n rows of d values; 0 is any number.
func (r *gramReader) array(array string, n, d int) (values []float64, width int) {
	if r.err != nil {
		return nil, 0
	}
	if r.archive.find([]string{array}) == nil {
		r.err = errorf(r.archive.name,
			"has no array %s: a kernel is inducing, train_inducing, train_diag, test_inducing and test_diag", array)
		return nil, 0
	}
	r.err = r.archive.with([]string{array}, func(name string, src io.Reader) error {
		a, err := openNpy(name, src)
		if err != nil {
			return err
		}
		rows, w, err := a.rows(fileLimits())
		if err != nil {
			return err
		}
		if n > 0 && (rows != n || w != d) {
			return errorf(name, "holds %s values, [%d, %d] are needed: a row for each row of the data, in "+
				"its order, and a value for each inducing point", sides(a.shape), n, d)
		}
		width = w
		values, err = npyValues(a, rows*w, func(v float64) float64 { return v })
		return err
	})
	return values, width
}

// check refuses a matrix that is no kernel.
func (g *Gram) check(r *gramReader) error {
	m := g.M
	diag, top := make([]float64, m), 0.0
	for i := range m {
		diag[i] = g.Inducing[i*m+i]
		if diag[i] <= 0 {
			return errorf(r.name(gramInducing), "[%d, %d] is %s: k(x̄, x̄) must be above 0", i, i, number(diag[i]))
		}
		top = max(top, diag[i])
	}
	for i := range m {
		for j := range i {
			if a, b := g.Inducing[i*m+j], g.Inducing[j*m+i]; math.Abs(a-b) > gramTolerance*top {
				return errorf(r.name(gramInducing), "is not symmetric: [%d, %d] is %s and [%d, %d] is %s", i, j,
					number(a), j, i, number(b))
			}
		}
	}
	if low := leastEigenvalue(g.Inducing, m, gramTolerance*top*float64(m)); low < 0 {
		return errorf(r.name(gramInducing),
			"is not positive semi-definite: its smallest eigenvalue is %.3g; no kernel has these values", low)
	}
	for _, part := range []struct {
		array, diagArray string
		cross, diag      []float64
	}{{gramTrainInducing, gramTrainDiag, g.TrainInducing, g.TrainDiag},
		{gramTestInducing, gramTestDiag, g.TestInducing, g.TestDiag}} {
		for i, k := range part.diag {
			if k < 0 {
				return errorf(r.name(part.diagArray), "[%d] is %s: k(x, x) cannot be negative", i, number(k))
			}
			for j, c := range part.cross[i*m : (i+1)*m] {
				if c*c > k*diag[j]+gramTolerance*top*top {
					return errorf(r.name(part.array),
						"[%d, %d] is %s, and k(x, x) of its row is %s: no kernel has these values, are the rows in "+
							"the order of the data?", i, j, number(c), number(k))
				}
			}
		}
	}
	return nil
}

// leastEigenvalue is the smallest eigenvalue of k where it is below −slack, else 0. A Cholesky
// factor of k + slack·I shows that it is not, for a fraction of the work.
func leastEigenvalue(k []float64, m int, slack float64) float64 {
	shifted := mat.NewSymDense(m, append([]float64(nil), k...))
	for i := range m {
		shifted.SetSym(i, i, k[i*m+i]+slack)
	}
	var c mat.Cholesky
	if c.Factorize(shifted) {
		return 0
	}
	var e mat.EigenSym
	e.Factorize(mat.NewSymDense(m, append([]float64(nil), k...)), false)
	return min(e.Values(nil)[0], -slack)
}

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
