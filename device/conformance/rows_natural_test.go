package conformance

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// naturalSizes returns the sizes J, M of the cases.
func naturalSizes() [][]int { return [][]int{{1, 1}, {3, 31}, {2, 33}, {1, 100}, {2, 130}} }

// naturalSize is the size of the step.
const naturalSize = 0.3

// Size: J, M. A step of full covariances by explicit inverses: S⁻¹ − 2·size·dS, of which the new s is the Cholesky
// factor. spread is how large ds is: beyond some number the whole step is too long. The last of three latents has a
// gradient that is no number.
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

// naturalNaive moves one latent, unless S would grow to more than 2/(1−size) times itself in some direction.
func naturalNaive(mu, s, dm, ds []float64, m int, size float64) bool {
	root := mat.NewTriDense(m, mat.Lower, s)
	var inverse, slope mat.Dense // s⁻¹ and sᵀds, of whose lower triangle a half on both sides is sᵀdS s
	orPanic(inverse.Inverse(root))
	slope.Mul(root.T(), mat.NewDense(m, m, ds[:m*m]))
	// moved factors part·S⁻¹ − 2·size·dS.
	moved := func(part float64) (c mat.Cholesky, ok bool) {
		inner, product := mat.NewSymDense(m, nil), mat.Dense{}
		for i := range m {
			inner.SetSym(i, i, part-size*slope.At(i, i))
			for j := range i {
				inner.SetSym(i, j, -size*slope.At(i, j))
			}
		}
		product.Product(inverse.T(), inner, &inverse)
		ok = c.Factorize(mat.NewSymDense(m, product.RawMatrix().Data))
		return c, ok
	}
	if _, ok := moved((1 + size) / 2); !ok {
		return false
	}
	precision, _ := moved(1)
	var covariance mat.SymDense
	orPanic(precision.InverseTo(&covariance))
	cholesky(s, covariance.RawSymmetric().Data, m)
	var step mat.VecDense
	step.MulVec(&covariance, mat.NewVecDense(m, dm[:m]))
	for i := range m {
		mu[i] += size * step.AtVec(i)
	}
	return true
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
