package simd

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A product with packed panels has the bits of Gemm64, for all columns and for some.
func TestPanels(t *testing.T) {
	const m, lead = 37, 5
	eachTier(t, func(t *testing.T) {
		var panels Panels64
		pack := NewPack[float64]()
		for form := range 4 {
			tA, tB := form&1 != 0, form&2 != 0
			// smaller ones after larger
			for _, size := range [][2]int{{1, 1}, {70, 300}, {PanelColumns64 + 31, kBlock + 3}} {
				n, k := size[0], size[1]
				p := newProduct[float64](tA, tB, m, n, k, lead)
				panels.Pack(tB, k, n, p.b, p.ldb)
				for _, columns := range [][2]int{{0, n}, {0, n - n/3}, {PanelColumns64, n}} {
					from, to := columns[0], columns[1]
					if from >= to {
						continue
					}
					want, got := make([]float64, m*n), make([]float64, m*n)
					b := p.b[from:]
					if tB {
						b = p.b[from*p.ldb:]
					}
					Gemm64(pack, tA, tB, m, to-from, k, 0.7, p.a, p.lda, b, p.ldb, 0, want, n)
					GemmPanels64(pack, tA, m, to-from, 0.7, p.a, p.lda, &panels, from, 0, got, n)
					for i := range want {
						if got[i] != want[i] {
							t.Fatalf("tA %v tB %v %d×%d, columns %d to %d: element %d is %g, want %g", tA, tB, n, k,
								from, to, i, got[i], want[i])
						}
					}
				}
			}
		}
	})
}

func TestPanelsPanic(t *testing.T) {
	var q Panels64
	x := make([]float64, 600)
	q.Pack(false, 1, 300, x, 300)
	for name, f := range map[string]func(){
		"columns": func() { GemmPanels64(NewPack[float64](), false, 1, 301, 1, x, 1, &q, 0, 0, x, 600) },
		"from":    func() { GemmPanels64(NewPack[float64](), false, 1, 5, 1, x, 1, &q, 8, 0, x, 600) },
		"stored":  func() { q.Pack(false, 3, 300, x, 300) },
	} {
		t.Run(name, func(t *testing.T) {
			if must.PanicOf(f) == nil {
				t.Error("no panic")
			}
		})
	}
}
