package simd

import (
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns a copy of x whose last element is the last of readable memory: a kernel that reads or writes past it
// crashes.
func guarded[T Float](t *testing.T, x []T) []T {
	t.Helper()
	page := syscall.Getpagesize()
	bytes := len(x) * int(unsafe.Sizeof(T(0)))
	size := (bytes+page-1)/page*page + page
	mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("no memory to guard: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(mem[size-page:], syscall.PROT_NONE); err != nil {
		t.Fatalf("no guard page: %v", err)
	}
	if len(x) == 0 {
		return nil
	}
	y := unsafe.Slice((*T)(unsafe.Pointer(&mem[size-page-bytes])), len(x))
	copy(y, x)
	return y
}

func testGuardedGemm[T Float](t *testing.T) {
	for form := range 4 {
		for _, m := range []int{1, 5, 13, 24} {
			for _, n := range []int{1, 7, 9, 33} {
				for _, k := range []int{1, 3, 12, 260} {
					p := newProduct[T](form&1 != 0, form&2 != 0, m, n, k, 0)
					p.a, p.b, p.c = guarded(t, p.a), guarded(t, p.b), guarded(t, p.c)
					eachTierQuietly(func() {
						p.check(t, 1, 0)
						p.check(t, 1, 1)
					})
				}
			}
		}
	}
}

func TestGuardedGemm(t *testing.T) {
	t.Run("float32", testGuardedGemm[float32])
	t.Run("float64", testGuardedGemm[float64])
}

func TestGuardedElements(t *testing.T) {
	for n := range 36 {
		a, b, c := guarded(t, random[float32](1, n)), guarded(t, random[float32](2, n)),
			guarded(t, random[float32](3, n))
		m, v := guarded(t, make([]float32, n)), guarded(t, make([]float32, n))
		d, e := guarded(t, random[float64](1, n)), guarded(t, random[float64](2, n))
		f, g, h := guarded(t, make([]float64, n)), guarded(t, make([]float64, n)), guarded(t, make([]float64, n))
		eachTierQuietly(func() {
			Exp32(a, b)
			SinCos32(a, b, c)
			Rotate32(a, b, c, m, v)
			Rectify32(a, b, c, 1)
			Normals32(a, [2]uint32{}, 1, 2, 3)
			Axpy32(Dot32(a, b), a, b)
			Adam32(a, b, m, v, c, AdamCoeffs{Eps: 1})
			Exp64(d, e)
			Axpy64(Dot64(d, e), d, e)
			RBF64(f, d, e, 1, 1)
			Matern64(f, g, d, e, 1, 1, 1, 0.1)
			Matern64(f, g, d, e, 1, 1, 5, 0.1)
			Mul64(f, d, e)
			MulAdd64(f, d, e)
			Adam64(d, e, f, g, h, AdamCoeffs{Eps: 1})
		})
	}
}
