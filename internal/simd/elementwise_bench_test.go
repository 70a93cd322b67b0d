package simd

import "testing"

// perElement measures f of n elements, in nanoseconds an element.
func perElement(b *testing.B, name string, n int, f func()) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
	})
}

// The elementwise kernels on 4096 elements.
func BenchmarkElementwise(b *testing.B) {
	const n = 4096
	x, y, z := random[float32](1, n), make([]float32, n), make([]float32, n)
	d, e := random[float64](1, n), make([]float64, n)
	m, v := make([]float32, n), make([]float32, n)
	for name, f := range map[string]func(){
		"Exp32":     func() { Exp32(y, x) },
		"Exp64":     func() { Exp64(e, d) },
		"SinCos32":  func() { SinCos32(y, z, x) },
		"Normals32": func() { Normals32(y, [2]uint32{1, 2}, 3, 4, 5) },
		"Adam32":    func() { Adam32(z, x, m, v, y, AdamCoeffs{0.9, 0.99, 1e-6, 1, 1e-8, 0, 1}) },
		"Dot32":     func() { Dot32(x, y) },
		"Dot64":     func() { Dot64(d, e) },
		"Axpy64":    func() { Axpy64(0.5, d, e) },
		"Normals4":  func() { Normals32(y[:4], [2]uint32{1, 2}, 3, 4, 5) },
	} {
		perElement(b, name, n, f)
	}
}
