package cpu

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device/devicetest"
)

func best(f func()) float64 {
	f()
	b := 1e18
	start := time.Now()
	for time.Since(start) < 250*time.Millisecond {
		s := time.Now()
		f()
		b = min(b, float64(time.Since(s).Nanoseconds())/1e3)
	}
	return b
}
func TestZZ(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip()
	}
	d := New[float32](1)
	ws := devicetest.Workloads()
	res := map[string][3]float64{}
	var names []string
	var tot [3]float64
	for i, w := range ws {
		for _, op := range devicetest.Operations(d, w) {
			if f := os.Getenv("OP"); f != "" && !strings.Contains(op.Name, f) {
				op.Run()
				continue
			}
			if _, ok := res[op.Name]; !ok {
				names = append(names, op.Name)
			}
			r := res[op.Name]
			r[i] = best(op.Run)
			res[op.Name] = r
			if !strings.Contains(op.Name, "Whiten") && !strings.Contains(op.Name, "sampled") {
				tot[i] += r[i]
			}
		}
	}
	for _, n := range names {
		fmt.Printf("%-34s %9.0f %9.0f %9.0f us\n", n, res[n][0], res[n][1], res[n][2])
	}
	fmt.Printf("%-34s %9.0f %9.0f %9.0f us\n", "TOTAL", tot[0], tot[1], tot[2])
	n := 32
	a := make([]float64, n*n)
	l := make([]float64, n*n)
	inv := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = 1 / (1 + float64((i-j)*(i-j)))
			if i == j {
				a[i*n+j] += 1
			}
		}
	}
	fmt.Println("chol", best(func() { copy(l, a); cholesky(l, n, n) }))
	fmt.Println("inv", best(func() { invertLower(inv, l, n, n) }))
}
