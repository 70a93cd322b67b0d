package seq

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestLeaveBlockOut refits without each block.
func TestLeaveBlockOut(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const n, columns = 131, 2 // more than two panels
	targets := Targets{Columns: columns}
	k, x := make([]float64, n*n), make([]float64, n)
	for i := range x {
		x[i] = 3 * r.Float64()
		targets.Values = append(targets.Values, math.Sin(x[i])+5, r.Float64())
	}
	cv := newBlockCV(targets, r.Perm(n))
	for i := range n {
		for j := range n {
			k[i*n+j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]))
		}
		k[i*n+i] += 0.1
	}
	got := cv.predict(slices.Clone(k))
	for _, block := range [][]int{cv.blocks[0], cv.blocks[7], cv.blocks[maxBlocks-1]} {
		var rest []int
		for i := range n {
			if !slices.Contains(block, i) {
				rest = append(rest, i)
			}
		}
		among := mat.NewSymDense(len(rest), nil)
		for row, i := range rest {
			for column, j := range rest[:row+1] {
				among.SetSym(row, column, k[i*n+j])
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(among) {
			t.Fatal("the matrix of the rest has no Cholesky factor")
		}
		for _, i := range block {
			cross, weights := mat.NewVecDense(len(rest), nil), new(mat.VecDense)
			for row, j := range rest {
				cross.SetVec(row, k[i*n+j])
			}
			must.OK(t, chol.SolveVecTo(weights, cross))
			if want := k[i*n+i] - mat.Dot(weights, cross); math.Abs(got.variance[i]-want) > 1e-10 {
				t.Errorf("row %d: variance %g, want %g", i, got.variance[i], want)
			}
			for c := range columns {
				want := cv.centred[c*n+i]
				for row, j := range rest {
					want -= weights.AtVec(row) * cv.centred[c*n+j]
				}
				if math.Abs(got.residual[i*columns+c]-want) > 1e-9 {
					t.Errorf("row %d: residual %g, want %g", i, got.residual[i*columns+c], want)
				}
			}
		}
	}
}

// TestBlocks: neighbours in a file are left out together, a share of each class at a time, and every row once.
func TestBlocks(t *testing.T) {
	const n = 400
	targets, places := Targets{Columns: 2, Classes: true, Values: make([]float64, 2*n)},
		rand.New(rand.NewPCG(4, 4)).Perm(n)
	for i, p := range places {
		class := 0 // the last 100 rows of the file are of class 1
		if p >= 300 {
			class = 1
		}
		targets.Values[2*i+class] = 1
	}
	seen := 0
	for b, rows := range blocks(targets, places) {
		var at []int
		for _, i := range rows {
			at = append(at, places[i])
		}
		slices.Sort(at)
		var want []int
		for k := range 15 {
			want = append(want, 15*b+k)
		}
		for k := range 5 {
			want = append(want, 300+5*b+k)
		}
		if !slices.Equal(at, want) {
			t.Errorf("block %d: %v, want %v", b, at, want)
		}
		seen += len(rows)
	}
	if seen != n {
		t.Errorf("%d rows of %d", seen, n)
	}
	few := Targets{Columns: 1, Values: []float64{1, 2, 3}}
	if got := blocks(few, []int{9, 2, 5}); len(got) != 3 {
		t.Errorf("of three rows: %v", got)
	}
}
