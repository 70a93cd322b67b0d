//go:build cuda && cgo

package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// products are the cases of every form of product: no size but one is a multiple of a tile.
var products = []product{
	{m: 1, n: 1, k: 1, batch: 1, alpha: 1},
	{m: 65, n: 33, k: 20, batch: 2, alpha: -0.5, beta: 2},
	{m: 64, n: 64, k: 16, batch: 1, alpha: 1, power: -0.5},
	{m: 100, n: 13, k: 40, batch: 2, alpha: 1},
	{m: 33, n: 52, k: 20, batch: 1, alpha: 1, beta: -1},
	{m: 33, n: 130, k: 17, batch: 2, terms: 3, alpha: 1, beta: 1},
	{m: 70, n: 31, k: 70, batch: 2, alpha: 1, a: matrix{lower: true}},
	{m: 31, n: 70, k: 70, batch: 1, terms: 2, alpha: 1, b: matrix{lower: true}},
	{m: 130, n: 130, k: 130, batch: 1, alpha: 1, a: matrix{lower: true}, b: matrix{lower: true}},
	{m: 70, n: 70, k: 5, batch: 2, alpha: 1, beta: 1, part: lower},
	{m: 130, n: 130, k: 9, batch: 1, alpha: 1, part: mirrored},
}

// TestGemm compares every form of product with sums from the definition. Elements that a product must not use are NaN,
// and so is C where it is not read.
func TestGemm(t *testing.T) {
	d := open(t, true)
	for _, form := range []struct {
		name string
		a, b bool // transposed
	}{{"nn", false, false}, {"nt", false, true}, {"tn", true, false}} {
		for _, p := range products {
			p.a.transposed, p.b.transposed = form.a, form.b
			t.Run(fmt.Sprintf("%s/%dx%dx%d", form.name, p.m, p.n, p.k), func(t *testing.T) {
				got, want := runProduct(d, p)
				e := relative(got, want)
				t.Logf("error %.3g", e)
				if !(e <= 1e-13) {
					t.Errorf("error %g, want at most 1e-13", e)
				}
			})
		}
	}
}

// runProduct computes C of a product of random matrices, and the expected C.
func runProduct(d *Device, p product) (got, want []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	terms := max(p.terms, 1)
	// B is one matrix for the whole batch, and C has other rows between the rows of the product.
	place := func(m *matrix, rows, columns, batch int) []float64 {
		if m.transposed {
			rows, columns = columns, rows
		}
		m.ld = columns + 3
		m.term = rows * m.ld
		if m.step = terms * m.term; batch == 1 {
			m.step = 0
		}
		x := make([]float64, batch*terms*m.term)
		for i := range x {
			if row, column := i/m.ld%rows, i%m.ld; column >= columns || m.lower && column > row {
				x[i] = math.NaN()
			} else {
				x[i] = r.NormFloat64()
			}
		}
		return x
	}
	a, b := place(&p.a, p.m, p.k, p.batch), place(&p.b, p.k, p.n, 1)
	p.c = matrix{ld: p.n + 3, step: p.m * (p.n + 3)}
	c, logs := make([]float64, p.batch*p.c.step), make([]float64, p.batch)
	for i := range c {
		if c[i] = r.NormFloat64(); p.beta == 0 && i%p.c.ld < p.n {
			c[i] = math.NaN()
		}
	}
	for i := range logs {
		logs[i] = r.NormFloat64()
	}
	upload := func(x []float64) *device.Tensor {
		tensor := d.New(device.Double, len(x))
		d.Upload(tensor, x)
		return tensor
	}
	ta, tb, tc, tl := upload(a), upload(b), upload(c), upload(logs)
	p.a.at, p.b.at, p.c.at = d.ptr(ta), d.ptr(tb), d.ptr(tc)
	if p.power != 0 {
		p.logs = d.ptr(tl)
	}
	d.gemm(p)
	all := make([]float64, len(c))
	d.Download(all, tc)
	for z := range p.batch {
		for i := range p.m {
			for j := range p.n {
				if p.part != whole && j > i && (p.part == lower || j >= p.m) {
					continue
				}
				row, column := i, j
				if p.part == mirrored && j > i {
					row, column = j, i
				}
				sum := 0.0
				for q := range terms {
					for k := range p.k {
						sum += element(p.a, a, z, q, row, k) * element(p.b, b, z, q, k, column)
					}
				}
				v := p.alpha * math.Exp(p.power*logs[z]) * sum
				at := z*p.c.step + i*p.c.ld + j
				if p.beta != 0 {
					v += p.beta * c[at]
				}
				got, want = append(got, all[at]), append(want, v)
			}
		}
	}
	for i, v := range all { // the elements between the rows, and above a lower triangle
		if column, row := i%p.c.ld, i/p.c.ld%p.m; column >= p.n || p.part == lower && column > row {
			got, want = append(got, v), append(want, c[i])
		}
	}
	return got, want
}

// element returns op(x)[i,j] of a matrix of the batch and term.
func element(m matrix, x []float64, z, q, i, j int) float64 {
	if m.transposed {
		i, j = j, i
	}
	if m.lower && j > i {
		return 0
	}
	return x[z*m.step+q*m.term+i*m.ld+j]
}

// A product is one for its whole batch where that is the same, and where a grid and an index hold it.
func TestStacked(t *testing.T) {
	const widest = math.MaxInt32 / 10000
	plain := product{m: 200, n: 784, k: 100, batch: 50, b: matrix{ld: 784},
		a: matrix{ld: 100, step: 200 * 100}, c: matrix{ld: 784, step: 200 * 784}}
	for name, c := range map[string]struct {
		change func(p *product)
		rows   int // 200 where the batch stays
	}{
		"alike":          {func(*product) {}, 10000},
		"terms":          {func(p *product) { p.terms = 3 }, 10000},
		"own B":          {func(p *product) { p.b.step = 1 }, 200},
		"rows between":   {func(p *product) { p.c.step++ }, 200},
		"transposed":     {func(p *product) { p.a.transposed = true }, 200},
		"triangle":       {func(p *product) { p.a.lower = true }, 200},
		"part of C":      {func(p *product) { p.part = lower }, 200},
		"factors":        {func(p *product) { p.logs = cuda.Pointer(8) }, 200},
		"largest index":  {func(p *product) { p.c.ld, p.c.step = widest, 200*widest }, 10000},
		"above it":       {func(p *product) { p.c.ld, p.c.step = widest+1, 200*(widest+1) }, 200},
		"largest grid":   {func(p *product) { p.column(65535) }, 64 * 65535},
		"above the grid": {func(p *product) { p.column(65536) }, 64},
	} {
		p := plain
		c.change(&p)
		if got := p.stacked(); got.m != c.rows || got.m*got.batch != p.m*p.batch {
			t.Errorf("%s: %d rows in a batch of %d, want %d rows", name, got.m, got.batch, c.rows)
		}
	}
}

// column makes A and C columns of 64 rows.
func (p *product) column(batch int) {
	column := matrix{ld: 1, step: 64}
	p.m, p.batch, p.a, p.c = 64, batch, column, column
}
