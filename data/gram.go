package data

import (
	"cmp"
	"hash"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// gramArchive is a kernel that was computed elsewhere, between rows and M inducing points.
type gramArchive struct {
	archive  *npzArchive
	m        int
	inducing []float64 // k(x̄, x̄) [M,M]
	diag     []float64 // diagonal of inducing [M]
	top      float64   // largest value of diag
}

// gramTolerance is how far rounding may take a kernel from being symmetric and positive semi-definite, relative to its
// largest diagonal value.
const gramTolerance = 1e-6

// readGram reads the arrays inducing [M,M], train_inducing [N,M], train_diag [N], test_inducing [T,M] and test_diag [T]
// of an npz archive, for n training rows and t others. Those of n = 0 or t = 0 rows are not read. It is an error if
// sizes do not agree, a value is not finite, or no kernel can have these values: inducing must be symmetric and
// positive semi-definite, diagonals not negative, and k(x, x̄)² at most k(x, x)·k(x̄, x̄).
func readGram(path string, n, t int, control ReadControl) (train, test *GramRows, err error) {
	f, err := control.open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	archive, err := openNpz(path, f)
	if err != nil {
		return nil, nil, err
	}
	g := &gramArchive{archive: archive}
	if err = g.readInducing(); err == nil {
		train, err = g.rows("train", n)
	}
	if err == nil {
		test, err = g.rows("test", t)
	}
	return train, test, cmp.Or(control.stopped(path), err)
}

// errorf makes an error about one of the arrays.
func (g *gramArchive) errorf(array, format string, args ...any) error {
	return errorf(g.archive.name+"("+array+".npy)", format, args...)
}

// array reads an array of n rows of d values. A number of 0 accepts any.
func (g *gramArchive) array(array string, n, d int) (values []float64, width int, err error) {
	err = g.archive.readFirst([]string{array}, func(a *npyArray) error {
		rows, w, err := a.rows(fileLimits())
		if err != nil {
			return err
		}
		if n > 0 && (rows != n || w != d) {
			return errorf(a.name, "holds %s values, [%d, %d] are needed: a row for each row of the data, in "+
				"its order, and a value for each inducing point", sides(a.shape), n, d)
		}
		width = w
		values, err = npyValues(a, rows*w, func(v float64) float64 { return v })
		return err
	})
	return values, width, err
}

// readInducing reads and checks k(x̄, x̄).
func (g *gramArchive) readInducing() (err error) {
	const array = "inducing"
	if g.inducing, g.m, err = g.array(array, 0, 0); err != nil {
		return err
	}
	m := g.m
	if len(g.inducing) != m*m {
		return g.errorf(array, "has %d rows of %d values: k(x̄, x̄) must be square", len(g.inducing)/m, m)
	}
	for i := range m {
		k := g.inducing[i*m+i]
		if k <= 0 {
			return g.errorf(array, "[%d, %d] is %s: k(x̄, x̄) must be above 0", i, i, phrase.Number(k))
		}
		g.diag = append(g.diag, k)
		g.top = max(g.top, k)
	}
	for i := range m {
		for j := range i {
			if a, b := g.inducing[i*m+j], g.inducing[j*m+i]; math.Abs(a-b) > gramTolerance*g.top {
				return g.errorf(array, "is not symmetric: [%d, %d] is %s and [%d, %d] is %s", i, j, phrase.Number(a), j,
					i, phrase.Number(b))
			}
		}
	}
	shifted := mat.NewSymDense(m, slices.Clone(g.inducing))
	for i, k := range g.diag {
		shifted.SetSym(i, i, k+gramTolerance*g.top*float64(m))
	}
	if !new(mat.Cholesky).Factorize(shifted) {
		return g.errorf(array, "is not positive semi-definite: no kernel has these values")
	}
	return nil
}

// rows reads and checks k(x, x̄) and k(x, x) of n rows, and makes distances of them; nil if n is 0.
func (g *gramArchive) rows(part string, n int) (*GramRows, error) {
	if n == 0 {
		return nil, nil
	}
	cross, _, err := g.array(part+"_inducing", n, g.m)
	if err != nil {
		return nil, err
	}
	diag, _, err := g.array(part+"_diag", n, 1)
	if err != nil {
		return nil, err
	}
	for i, k := range diag {
		if k < 0 {
			return nil, g.errorf(part+"_diag", "[%d] is %s: k(x, x) cannot be negative", i, phrase.Number(k))
		}
		for j, c := range cross[i*g.m : (i+1)*g.m] {
			if c*c > k*g.diag[j]+gramTolerance*g.top*g.top {
				return nil, g.errorf(part+"_inducing", "[%d, %d] is %s, and k(x, x) of its row is %s: no kernel has "+
					"these values, are the rows in the order of the data?", i, j, phrase.Number(c), phrase.Number(k))
			}
		}
	}
	own := correlate(g.inducing, g.diag, g.diag)
	for m := range g.m {
		own[m*g.m+m] = 0
	}
	return &GramRows{M: g.m, InducingDistances: own, Rows: correlate(cross, diag, g.diag)}, nil
}

// GramRows are a kernel that was computed elsewhere, as squared distances 2 − 2k(x, x̄)/√(k(x, x) k(x̄, x̄)) in the
// space of its unit vectors. Only the correlations count, not the diagonal. The distances are 2 if k(x, x) is 0.
type GramRows struct {
	M                 int
	InducingDistances []float64 // distances among the inducing points [M,M]
	Rows              []float64 // distances of the rows [N,M]
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

// attachGram gives a training set, and a test set if there is one, the kernel of a file.
func attachGram(path string, train, test *Dataset, control ReadControl) error {
	if path == "" {
		return nil
	}
	rows := 0
	if test != nil {
		rows = test.N()
	}
	own, others, err := readGram(path, train.N(), rows, control)
	if err != nil {
		return err
	}
	train.setGram(own)
	if test != nil {
		test.setGram(others)
	}
	return nil
}

// AttachGram gives rows to test or predict the kernel of a file, from its test_inducing and test_diag.
func (d *Dataset) AttachGram(path string, control ReadControl) error {
	_, own, err := readGram(path, 0, d.N(), control)
	if err != nil {
		return err
	}
	d.setGram(own)
	return nil
}

func (d *Dataset) setGram(k *GramRows) {
	d.Gram = k
	d.Fingerprint = d.fingerprint()
}

func (g *GramRows) subset(rows []int) *GramRows {
	if g == nil {
		return nil
	}
	return &GramRows{M: g.M, InducingDistances: g.InducingDistances, Rows: matrix.Gather(g.Rows, g.M, rows)}
}

func (g *GramRows) hash(h hash.Hash) {
	if g == nil {
		return
	}
	row := make([]byte, 0, 8*g.M)
	for i := 0; i < len(g.Rows); i += g.M {
		row = appendValues(row[:0], g.Rows[i:i+g.M]...)
		h.Write(row)
	}
}
