package main

import (
	"fmt"
	"math"
	"testing"
)

// lanes returns the first result of each lane.
func lanes(o outcome) []uint64 {
	var all []uint64
	for i := 0; i < len(o.out); i += 8 {
		all = append(all, o.out[i])
	}
	return all
}

// Every kind of shuffle against the ISA's own loop, with segments and distances at their edges; and memory, branches
// and mma.
func TestWarp(t *testing.T) {
	type shuffle struct {
		kind  string
		by, c int
	}
	var shuffles []shuffle
	for _, kind := range []string{"up", "down", "bfly", "idx"} {
		for _, by := range []int{0, 1, 5, 16, 31, 33} {
			for _, c := range []int{31, 0, 0x1807, 0x181f} {
				shuffles = append(shuffles, shuffle{kind, by, c})
			}
		}
	}
	var kernels []kernel
	for i, s := range shuffles {
		kernels = append(kernels, kernel{name: fmt.Sprintf("shuffle_%d", i), threads: 32, body: fmt.Sprintf(`
	add.s32 %%r1, %%r50, 100;
	shfl.sync.%s.b32 %%r2, %%r1, %d, %d, -1;
	cvt.u64.u32 %%rd11, %%r2;
	st.global.u64 [%%rd4], %%rd11;`, s.kind, s.by, s.c)})
	}
	a, b, c := matrix(16, 8), matrix(8, 8), matrix(16, 8)
	kernels = append(kernels,
		kernel{name: "mma_f64", threads: 32, in: fragments64(a, b, c), body: `
	ld.global.f64 %fd1, [%rd3]; ld.global.f64 %fd2, [%rd3+8]; ld.global.f64 %fd3, [%rd3+16];
	ld.global.f64 %fd4, [%rd3+24];
	mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd5, %fd6}, {%fd1}, {%fd2}, {%fd3, %fd4};
	st.global.f64 [%rd4], %fd5; st.global.f64 [%rd4+8], %fd6;`},
		kernel{name: "mma_f64x2", threads: 32, in: fragments64x2(a, b, c), body: `
	ld.global.f64 %fd1, [%rd3]; ld.global.f64 %fd2, [%rd3+8]; ld.global.f64 %fd3, [%rd3+16];
	ld.global.f64 %fd4, [%rd3+24];
	ld.global.f64 %fd5, [%rd3+32]; ld.global.f64 %fd6, [%rd3+40]; ld.global.f64 %fd7, [%rd3+48];
	mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%fd8, %fd9, %fd10, %fd11},
		{%fd1, %fd2}, {%fd3}, {%fd4, %fd5, %fd6, %fd7};
	st.global.f64 [%rd4], %fd8; st.global.f64 [%rd4+8], %fd9;
	st.global.f64 [%rd4+16], %fd10; st.global.f64 [%rd4+24], %fd11;`},
		kernel{name: "mma_tf32", threads: 32, in: fragments32(a, b, c), body: `
	ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd3]; ld.global.v2.b32 {%r5, %r6}, [%rd3+16];
	ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3+32];
	mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f5, %f6, %f7, %f8},
		{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
	st.global.v4.f32 [%rd4], {%f5, %f6, %f7, %f8};`},
		kernel{name: "words", threads: 32, in: []uint64{0x1122334455667788}, body: `
	ld.global.b64 %rd7, [%rd1];
	{ .reg .b32 tmp; mov.b64 {tmp, %r1}, %rd7; }
	mov.b64 {%r2, %r3}, %rd7;
	mov.b64 %rd8, {%r3, %r2};
	cvt.u64.u32 %rd9, %r1;
	st.global.u64 [%rd4], %rd9; st.global.u64 [%rd4+8], %rd8;
	st.global.u8 [%rd4+16], %r2; st.global.u16 [%rd4+18], %r2;
	ld.global.s8 %r4, [%rd4+16]; ld.global.u8 %r5, [%rd4+16]; ld.global.s16 %rd10, [%rd4+18];
	st.global.v2.u32 [%rd4+24], {%r4, %r5}; st.global.u64 [%rd4+32], %rd10;`},
		kernel{name: "memory", threads: 64, shared: 512, body: `
	mov.u64 %rd7, dynamic; mul.wide.u32 %rd8, %r50, 8; add.s64 %rd9, %rd7, %rd8;
	cvt.u64.u32 %rd10, %r50;
	st.shared.u64 [%rd9], %rd10;
	mov.u64 %rd11, fixed; mul.wide.u32 %rd12, %r50, 4; add.s64 %rd13, %rd11, %rd12;
	st.shared.u32 [%rd13], %r50;
	bar.sync 0;
	xor.b32 %r1, %r50, 63; mul.wide.u32 %rd14, %r1, 8; add.s64 %rd14, %rd7, %rd14;
	ld.shared.u64 %rd15, [%rd14];
	st.global.u64 [%rd4], %rd15;
	ld.u32 %r2, [%rd13];
	mov.u64 %rd16, depot;
	st.local.u32 [%rd16+12], %r2;
	ld.u32 %r3, [depot+12];
	cvt.u64.u32 %rd17, %r3;
	st.global.u64 [%rd4+8], %rd17;`},
		kernel{name: "branches", threads: 32, body: `
	mov.u32 %r1, %r50;
	setp.lt.s32 %p1, %r50, 5;
	@%p1 bra $L_small;
	mov.u32 %r1, 0;
	@!%p1 bra.uni $L_end;
$L_small:
	add.s32 %r1, %r1, 1000;
$L_end:
	cvt.u64.u32 %rd11, %r1;
	st.global.u64 [%rd4], %rd11;`},
	)
	all := execute(t, kernels)
	for i, o := range all {
		if o.fault != "" {
			t.Errorf("%s: %s", kernels[i].name, o.fault)
		}
	}
	for i, s := range shuffles {
		for lane, got := range lanes(all[i]) {
			if want := 100 + source(s.kind, lane, s.by&31, s.c); got != uint64(want) {
				t.Errorf("shfl.%s of distance %d, c %#x: lane %d gets %d, not %d", s.kind, s.by, s.c, lane, got, want)
			}
		}
	}
	at := len(shuffles)
	double := func(o outcome) func(lane, q int) float64 {
		return func(lane, q int) float64 { return math.Float64frombits(o.out[8*lane+q]) }
	}
	checkProducts(t, "m8n8k4", 2, a, b, c, double(all[at]))
	checkProducts(t, "m16n8k4", 4, a, b, c, double(all[at+1]))
	checkProducts(t, "m16n8k8", 4, a, b, c, func(lane, q int) float64 {
		return float64(math.Float32frombits(uint32(all[at+2].out[8*lane+q/2] >> (32 * (q % 2)))))
	})
	at++
	want := []uint64{0x11223344, 0x5566778811223344, 0x77880088, 0x88_ffffff88, 0x7788}
	for i, w := range want {
		if got := all[at+2].out[i]; got != w {
			t.Errorf("words: number %d is %#x, not %#x", i, got, w)
		}
	}
	for thread := range 64 {
		if o := all[at+3].out[8*thread:]; o[0] != uint64(63-thread) || o[1] != uint64(thread) {
			t.Errorf("memory: thread %d has %d", thread, o[:2])
		}
	}
	for lane, got := range lanes(all[at+4]) {
		if want := max(0, (lane+1000)*min(1, max(0, 5-lane))); got != uint64(want) {
			t.Errorf("branches: lane %d has %d, not %d", lane, got, want)
		}
	}
}

// source returns the lane that a shuffle reads, by the ISA.
func source(kind string, lane, by, c int) int {
	segment := c >> 8 & 31
	last, first := lane&segment|c&31&^segment, lane&segment
	j, inside := lane, false
	switch kind {
	case "up":
		j = lane - by
		inside = j >= last
	case "down":
		j = lane + by
		inside = j <= last
	case "bfly":
		j = lane ^ by
		inside = j <= last
	case "idx":
		j = first | by&^segment
		inside = j <= last
	}
	if !inside {
		return lane
	}
	return j
}

// matrix returns small numbers whose products and sums are exact in every type.
func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		for j := range columns {
			m[i] = append(m[i], float64((i*7+j*13)%11-5))
		}
	}
	return m
}

// fragments64 returns a lane's a, b and two of c, for m8n8k4: a(i,p), b(p,i), c(i,2p), c(i,2p+1) in lane 4i+p.
func fragments64(a, b, c [][]float64) []uint64 {
	return doubles(func(i, p int) []float64 { return []float64{a[i][p], b[p][i], c[i][2*p], c[i][2*p+1]} })
}

// fragments64x2 returns a lane's two of a, one of b and four of c, for m16n8k4: rows i and i+8 of a and c.
func fragments64x2(a, b, c [][]float64) []uint64 {
	return doubles(func(i, p int) []float64 {
		return []float64{a[i][p], a[i+8][p], b[p][i], c[i][2*p], c[i][2*p+1], c[i+8][2*p], c[i+8][2*p+1]}
	})
}

// doubles returns in, with the numbers of lane 4i+p.
func doubles(of func(i, p int) []float64) []uint64 {
	in := make([]uint64, 32*8)
	for lane := range 32 {
		for j, v := range of(lane/4, lane%4) {
			in[8*lane+j] = math.Float64bits(v)
		}
	}
	return in
}

// fragments32 returns a lane's four of a, two of b and four of c, for m16n8k8 of TF32: rows i and i+8, columns p and
// p+4 of a.
func fragments32(a, b, c [][]float64) []uint64 {
	in := make([]uint64, 32*8)
	for lane := range 32 {
		i, p := lane/4, lane%4
		for q, v := range []float64{a[i][p], a[i+8][p], a[i][p+4], a[i+8][p+4],
			b[p][i], b[p+4][i], 0, 0, c[i][2*p], c[i][2*p+1], c[i+8][2*p], c[i+8][2*p+1]} {
			in[8*lane+q/2] |= uint64(math.Float32bits(float32(v))) << (32 * (q % 2))
		}
	}
	return in
}

// checkProducts compares a number of results of each lane, which read gives, with c + ab. Results 2 and 3 are 8 rows
// below 0 and 1.
func checkProducts(t *testing.T, name string, results int, a, b, c [][]float64, read func(lane, q int) float64) {
	t.Helper()
	depth := map[string]int{"m8n8k4": 4, "m16n8k4": 4, "m16n8k8": 8}[name]
	for lane := range 32 {
		for q := range results {
			i, j := lane/4+q/2*8, lane%4*2+q%2
			want := c[i][j]
			for p := range depth {
				want += a[i][p] * b[p][j]
			}
			if got := read(lane, q); got != want {
				t.Errorf("%s: d(%d,%d) is %g, not %g", name, i, j, got, want)
			}
		}
	}
}
