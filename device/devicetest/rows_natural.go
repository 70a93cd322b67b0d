package devicetest

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// naturalSizes returns the sizes J, M of the cases.
func naturalSizes() [][]int { return [][]int{{1, 1}, {3, 31}, {2, 33}, {1, 100}, {2, 130}} }

// naturalSize is the size of the step.
const naturalSize = 0.3

// Size: J, M. A step of full covariances by explicit inverses: S⁻¹ − 2·size·dS, of which the new s
// is the Cholesky factor. spread is how large ds is: beyond some number the whole step is too long.
// The last of three latents has a gradient that is no number.
func naturalStep(r *random, size []int, spread float64) *problem {
	latents, m := size[0], size[1]
	ds := r.normal("ds", device.Double, none, 0, spread/math.Sqrt(float64(m)), latents, m, m)
	if latents == 3 {
		ds.data[2*m*m] = math.NaN()
	}
	return &problem{
		in: []*array{r.normal("m", device.Double, none, 0, 1, latents, m), r.factor("s", false, latents, m),
			r.normal("dm", device.Double, none, 0, 1, latents, m), ds},
		out: []*array{zeros("m", device.Double, latents, m), zeros("s", device.Double, latents, m, m)},
		naive: func(in, out [][]float64) {
			copy(out[0], in[0])
			copy(out[1], in[1])
			for j := range latents {
				at := j * m * m
				for _, rung := range device.NaturalLadder {
					if shorter := naturalSize / (1 + 2*rung); naturalNaive(out[0][j*m:][:m], out[1][at:][:m*m],
						in[2][j*m:], in[3][at:], m, shorter) {
						break
					}
				}
			}
		},
		forward: forwardNatural,
	}
}

func forwardNatural(dev device.Device, in, out []*device.Tensor) {
	dev.Copy(out[0], in[0])
	dev.Copy(out[1], in[1])
	dev.NaturalStep(out[0], out[1], in[2], in[3], device.Scalar{Value: naturalSize})
}

// naturalNaive moves one latent, unless S would grow to more than 2/(1−size) times itself in some
// direction.
func naturalNaive(mu, s, dm, ds []float64, m int, size float64) bool {
	at := func(a []float64, i, j int) float64 { return a[i*m+j] }
	low := make([]float64, m*m)
	for i := range m {
		copy(low[i*m:][:i+1], s[i*m:])
	}
	inverse := inverted(low, m)
	half := make([]float64, m*m) // ½ of the lower triangle of sᵀds, on both sides: sᵀdS s
	for i := range m {
		for j := range i + 1 {
			v := 0.0
			for k := i; k < m; k++ {
				v += at(low, k, i) * at(ds, k, j)
			}
			half[i*m+j], half[j*m+i] = v/2, v/2
		}
	}
	right, precision := make([]float64, m*m), make([]float64, m*m) // sᵀdS, and S⁻¹ − 2·size·dS
	judged := make([]float64, m*m)                                 // less ½(1−size)·S⁻¹
	for k := range m {
		for j := range m {
			for l := range m {
				right[k*m+j] += at(half, k, l) * at(inverse, l, j)
			}
		}
	}
	for i := range m {
		for j := range m {
			for k := range m {
				precision[i*m+j] += at(inverse, k, i) * (at(inverse, k, j) - 2*size*at(right, k, j))
				judged[i*m+j] += at(inverse, k, i) * ((1+size)/2*at(inverse, k, j) - 2*size*at(right, k, j))
			}
		}
	}
	factor := make([]float64, m*m)
	cholesky(factor, judged, m)
	for i := range m {
		if !(factor[i*m+i] > 0) {
			return false
		}
	}
	cholesky(factor, precision, m)
	root := inverted(factor, m)
	covariance := make([]float64, m*m)
	for i := range m {
		for j := range m {
			for k := range m {
				covariance[i*m+j] += at(root, k, i) * at(root, k, j)
			}
		}
	}
	cholesky(s, covariance, m)
	for i := range m {
		for j := range m {
			mu[i] += size * at(covariance, i, j) * dm[j]
		}
	}
	return true
}

// inverted returns the inverse of a lower triangle.
func inverted(l []float64, m int) []float64 {
	one, x := make([]float64, m*m), make([]float64, m*m)
	for i := range m {
		one[i*m+i] = 1
	}
	for c := range m {
		solve(x, l, one, m, c, m)
	}
	return x
}

// Size: J, M. A step of diagonals: 1/s² − 2·size·ds/(2s) for each, some of which are too long.
func naturalDiagonal(r *random, size []int) *problem {
	latents, m := size[0], size[1]
	return &problem{
		in: []*array{r.normal("m", device.Double, none, 0, 1, latents, m), r.factor("s", true, latents, m),
			r.normal("dm", device.Double, none, 0, 1, latents, m),
			r.normal("ds", device.Double, none, 0, 4, latents, m)},
		out: []*array{zeros("m", device.Double, latents, m), zeros("s", device.Double, latents, m)},
		naive: func(in, out [][]float64) {
			for i, s := range in[1] {
				for _, rung := range device.NaturalLadder {
					shorter := naturalSize / (1 + 2*rung)
					if precision := 1/(s*s) - shorter*in[3][i]/s; precision > (1-shorter)/2/(s*s) {
						out[0][i] = in[0][i] + shorter/precision*in[2][i]
						out[1][i] = 1 / math.Sqrt(precision)
						break
					}
				}
			}
		},
		forward: forwardNatural,
	}
}
