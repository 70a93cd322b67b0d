package metrics

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

// Every row is called once, however many there are, and scores have the same bits on any number of threads.
func TestScoresOnThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n, s = 1000, 7
	r := rand.New(rand.NewPCG(1, 2))
	m := Mixture{S: s, N: n, Mean: make([]float64, s*n), Var: make([]float64, n)}
	y := make([]float64, n)
	for i := range m.Mean {
		m.Mean[i] = r.NormFloat64()
	}
	for i := range n {
		m.Var[i], y[i] = 0.1+r.Float64(), r.NormFloat64()
	}
	var want Regression
	for _, threads := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(threads)
		for _, rows := range []int{0, 1, 63, 64, 65, n} {
			calls := make([]int, rows)
			EachRow(rows, func(i int) { calls[i]++ })
			for i, c := range calls {
				if c != 1 {
					t.Fatalf("%d threads: row %d of %d is called %d times", threads, i, rows, c)
				}
			}
		}
		got := ScoreRegression(m, y, nil)
		if threads == 1 {
			want = got
		}
		if got != want {
			t.Errorf("%d threads: %+v, and %+v on one", threads, got, want)
		}
	}
}
