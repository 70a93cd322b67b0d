package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// work makes the function of a request:
//
//	step SHAPE THREADS              one training step
//	gemm TYPE TA TB M N K REPS      a product of matrices
//	sincos N REPS                   sine and cosine of N float32
//	normals N REPS                  N standard normals, and the same by math/rand/v2
//	randv2 N REPS
func work(words []string) (func(), error) {
	numbers := make([]int, len(words))
	for i, w := range words {
		numbers[i], _ = strconv.Atoi(w)
	}
	switch words[0] {
	case "step":
		n, err := workload.Preset(words[1])
		if err != nil {
			return nil, err
		}
		s, err := workload.NewStep(cpu.New[float32](numbers[2]), n)
		if err != nil {
			return nil, err
		}
		return s.Run, nil
	case "gemm":
		tA, tB, m, n, k := words[2] == "T", words[3] == "T", numbers[4], numbers[5], numbers[6]
		lda, ldb := k, n
		if tA {
			lda = m
		}
		if tB {
			ldb = k
		}
		if words[1] == "float64" {
			p := simd.NewPack[float64]()
			a, b := normal[float64](m*k), normal[float64](k*n)
			c := make([]float64, m*n)
			return func() { simd.Gemm64(p, tA, tB, m, n, k, 1, a, lda, b, ldb, 0, c, n) }, nil
		}
		p := simd.NewPack[float32]()
		a, b := normal[float32](m*k), normal[float32](k*n)
		c := make([]float32, m*n)
		return func() { simd.Gemm32(p, tA, tB, m, n, k, 1, a, lda, b, ldb, 0, c, n) }, nil
	case "sincos":
		x := normal[float32](numbers[1])
		for i := range x {
			x[i] *= 10
		}
		sin, cos := make([]float32, len(x)), make([]float32, len(x))
		return func() { simd.SinCos32(sin, cos, x) }, nil
	case "normals":
		x := make([]float32, numbers[1])
		return func() { simd.Normals32(x, [2]uint32{1, 2}, 3, 4, 5) }, nil
	case "randv2":
		x := make([]float32, numbers[1])
		r := rand.New(rand.NewPCG(1, 2))
		return func() {
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
		}, nil
	}
	return nil, fmt.Errorf("no such work")
}

func normal[T simd.Float](n int) []T {
	r := rand.New(rand.NewPCG(3, 4))
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64())
	}
	return x
}

// timed times work. The work must not allocate, so that no garbage collection falls into it.
func timed(f func(), reps int) cost {
	wall, processor := time.Now(), processorTime()
	for range reps {
		f()
	}
	return cost{wall: milliseconds(time.Since(wall)), processor: milliseconds(processorTime() - processor)}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
