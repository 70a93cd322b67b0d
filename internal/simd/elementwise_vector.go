//go:build amd64 || arm64

package simd

import "math"

// chunk is how many elements one call of assembly handles: the scheduler cannot stop a
// goroutine there, so a call is kept to some tens of microseconds.
const chunk = 1 << 14

func exp32(dst, x []float32) {
	if active == scalar {
		expScalar(dst, x)
		return
	}
	for i := 0; i < len(x); i += chunk {
		end := min(i+chunk, len(x))
		exp32Kernel(dst[i:end], x[i:end])
	}
}

func exp64(dst, x []float64) {
	if active == scalar {
		expScalar(dst, x)
		return
	}
	for i := 0; i < len(x); i += chunk {
		end := min(i+chunk, len(x))
		exp64Kernel(dst[i:end], x[i:end])
	}
}

func rbf64(dst, x, half []float64, own, scale float64) {
	if active == scalar {
		rbfScalar(dst, x, half, own, scale)
		return
	}
	for i := 0; i < len(x); i += chunk {
		end := min(i+chunk, len(x))
		rbf64Kernel(dst[i:end], x[i:end], half[i:end], own, scale)
	}
}

func matern64(dst, slope, x, half []float64, own, scale, near float64, twiceNu int) (isNear bool) {
	if active == scalar {
		return maternScalar(dst, slope, x, half, own, scale, near, twiceNu)
	}
	for i := 0; i < len(x); i += chunk {
		end := min(i+chunk, len(x))
		isNear = matern64Kernel(dst[i:end], slope[i:end], x[i:end], half[i:end], own, scale, near, twiceNu) || isNear
	}
	return isNear
}

func rotate32(dst, cos, sin, a, b []float32) {
	if active == scalar {
		rotateScalar(dst, cos, sin, a, b)
		return
	}
	for i := 0; i < len(dst); i += chunk {
		end := min(i+chunk, len(dst))
		rotate32Kernel(dst[i:end], cos[i:end], sin[i:end], a[i:end], b[i:end])
	}
}

func rectify32(phi, slope, p []float32, co *[5]float32) {
	if active == scalar {
		rectifyScalar(phi, slope, p, co)
		return
	}
	for i := 0; i < len(p); i += chunk {
		end := min(i+chunk, len(p))
		rectify32Kernel(phi[i:end], slope[i:end], p[i:end], co)
	}
}

func sinCos32(sin, cos, x []float32) {
	if active == scalar {
		sinCosScalar(sin, cos, x)
		return
	}
	for i := 0; i < len(x); {
		end := min(i+chunk, len(x))
		left := sinCos32Kernel(sin[i:end], cos[i:end], x[i:end])
		i = end - left
		if left > 0 {
			n := min(16, left)
			sinCosLarge(sin[i:i+n], cos[i:i+n], x[i:i+n])
			i += n
		}
	}
}

// sinCosLarge handles up to 16 elements, the kernel those that it can: the result for
// an element must not depend on its neighbours.
func sinCosLarge(sin, cos, x []float32) {
	const limit = 5000
	var all, some [16]float32
	n := copy(all[:], x)
	for i, v := range x {
		if math.Abs(float64(v)) <= limit {
			some[i] = v
		}
	}
	sinCos32Kernel(sin, cos, some[:n])
	for i, v := range all[:n] {
		if !(math.Abs(float64(v)) <= limit) {
			s, c := math.Sincos(float64(v))
			sin[i], cos[i] = float32(s), float32(c)
		}
	}
}

func integrate32(m *Integrals[float32]) {
	if active == scalar {
		integrateScalar(m)
		return
	}
	for i := 0; i < len(m.Cos); i += chunk {
		part := m.span(i, min(i+chunk, len(m.Cos)))
		integrate32Kernel(&part)
	}
}

func integrateSlopes32(dt, dv []float32, m, d *Integrals[float32]) {
	if active == scalar {
		slopesScalar(dt, dv, m, d)
		return
	}
	for i := 0; i < len(dt); i += chunk {
		end := min(i+chunk, len(dt))
		of := Integrals[float32]{Cos: m.Cos[i:end], Sin: m.Sin[i:end], Shrink: m.Shrink[i:end]}
		by := Integrals[float32]{
			MeanCos: d.MeanCos[i:end], MeanSin: d.MeanSin[i:end], Wave: d.Wave[i:end], Lost: d.Lost[i:end],
			CrossCos: d.CrossCos[i:end], CrossSin: d.CrossSin[i:end],
		}
		integrateSlopes32Kernel(dt[i:end], dv[i:end], &of, &by)
	}
}
