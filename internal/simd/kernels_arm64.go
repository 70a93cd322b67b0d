package simd

// gemm32NEON computes rows × cols elements of C from one block of k. lda and ldc are in bytes; rows
// must be one of the heights of the kernel.
//
//go:noescape
func gemm32NEON(rows, cols, k int, alpha float32, a *float32, lda int, b, c *float32, ldc int, first int)

// gemm64NEON does in double what gemm32NEON does.
//
//go:noescape
func gemm64NEON(rows, cols, k int, alpha float64, a *float64, lda int, b, c *float64, ldc int, first int)

// packRowsNEON copies 32 bytes of each of k rows into a panel.
//
//go:noescape
func packRowsNEON(k int, src *byte, stride int, dst *byte)

// transposeBand32NEON transposes four rows. ldd is in bytes, cols at least 4.
//
//go:noescape
func transposeBand32NEON(cols int, r0, r1, r2, r3, dst *float32, ldd int)

// transposeBand64NEON transposes two rows. ldd is in bytes, cols at least 2.
//
//go:noescape
func transposeBand64NEON(cols int, r0, r1, dst *float64, ldd int)

// exp32NEON writes dst = eˣ.
//
//go:noescape
func exp32NEON(n int, x, dst *float32)

// exp64NEON writes dst = eˣ.
//
//go:noescape
func exp64NEON(n int, x, dst *float64)

// rbf64NEON writes dst = exp(scale·min(0, x − (own + half))).
//
//go:noescape
func rbf64NEON(n int, dst, x, half *float64, own, scale float64)

// sinCos32NEON writes sin x and cos x and returns how many elements are left; it stops before a
// register with an |x| over 5000.
//
//go:noescape
func sinCos32NEON(n int, x, sin, cos *float32) (left int)

// dot32NEON returns Σ x y, with one register more of elements in restX and restY.
//
//go:noescape
func dot32NEON(n int, x, y, restX, restY *float32) (sum float32)

// dot64NEON does in double what dot32NEON does.
//
//go:noescape
func dot64NEON(n int, x, y, restX, restY *float64) (sum float64)

// axpy32NEON computes y += αx.
//
//go:noescape
func axpy32NEON(n int, alpha float32, x, y *float32)

// axpy64NEON computes y += αx.
//
//go:noescape
func axpy64NEON(n int, alpha float64, x, y *float64)

// mul64NEON computes dst = xy.
//
//go:noescape
func mul64NEON(n int, dst, x, y *float64)

// mulAdd64NEON computes dst += xy.
//
//go:noescape
func mulAdd64NEON(n int, dst, x, y *float64)

// rotate32NEON computes dst = cos∘b − sin∘a.
//
//go:noescape
func rotate32NEON(n int, dst, cos, sin, a, b *float32)

// adam32NEON updates p, m and v.
//
//go:noescape
func adam32NEON(n int, p, grad, m, v, rate *float32, co *[9]float32)

// adam64NEON updates p, m and v.
//
//go:noescape
func adam64NEON(n int, p, grad, m, v, rate *float64, co *[9]float64)

// normals32NEON writes four normals for each of four lanes of c0 and c1, for blocks registers of
// counters; c0 advances by the lanes.
//
//go:noescape
func normals32NEON(blocks int, dst *float32, keys *[20]uint32, c0, c1 *[16]uint32, c2, c3 uint32)
