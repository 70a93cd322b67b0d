package conformance

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// scale is no power of two, and not 1, so that one that is left out or applied twice fails.
const scale = 0.3

func likelihoodRows() []row {
	rows := []row{{ops: []string{"AddBias", "AddBiasBackward"},
		sizes: [][]int{{1, 1, 1}, {3, 31, 10}, {2, 700, 3}}, build: addBias,
		nmse: 1e-12, reason: "the gradient of a float32 parameter"}}
	add := func(reason string, build func(*random, []int) likelihood, op, variant string, sizes ...[]int) {
		rows = append(rows, row{ops: []string{op}, variant: variant, sizes: sizes, nmse: 1e-12, reason: reason,
			build: func(r *random, size []int) *problem { return build(r, size).problem(nil) }})
		rows = append(rows, row{ops: []string{op}, variant: variant + "weighted", sizes: sizes[1:], nmse: 1e-12,
			reason: reason, build: func(r *random, size []int) *problem {
				return build(r, size).problem(r.weights(size[1]))
			}})
	}
	const moments, parameter = "moments of float32", "the gradient of a float32 parameter"
	add("residuals of float32 numbers", gaussian, "GaussianLogLik", "",
		[]int{1, 1, 1}, []int{3, 31, 2}, []int{2, 257, 1}, []int{2, 700, 3}, []int{3, 1501, 1})
	add(parameter, expected(device.Double), "GaussianExpected", "",
		[]int{1, 1, 1}, []int{1, 31, 2}, []int{1, 257, 1}, []int{1, 1300, 3})
	add(moments, expected(device.Real), "GaussianExpected", "samples ",
		[]int{1, 1, 1}, []int{3, 31, 2}, []int{2, 257, 1}, []int{2, 700, 3})
	add(parameter, predictive(device.Double), "GaussianPredictive", "",
		[]int{1, 1, 1}, []int{1, 31, 2}, []int{1, 1300, 3})
	add(moments, predictive(device.Real), "GaussianPredictive", "samples ",
		[]int{1, 1, 1}, []int{3, 31, 2}, []int{2, 700, 3})
	add("float32 exponentials", softmax, "SoftmaxLogLik", "",
		[]int{1, 1, 2}, []int{3, 31, 10}, []int{2, 257, 3}, []int{2, 5, 40})
	add("the gradient of a float32 activation", bernoulli, "BernoulliLogLik", "",
		[]int{1, 1}, []int{3, 31}, []int{2, 2049})
	add("gradients of float32 parameters", student, "StudentLogLik", "",
		[]int{1, 1, 1}, []int{3, 31, 2}, []int{2, 1025, 1}, []int{1, 1300, 3})
	add("gradients of float32 parameters", heteroscedastic, "HeteroscedasticLogLik", "",
		[]int{1, 1, 1}, []int{3, 31, 2}, []int{2, 1025, 1}, []int{1, 1300, 3})
	add("rates of float32 numbers", poisson, "PoissonLogLik", "",
		[]int{1, 1, 1}, []int{3, 31, 2}, []int{2, 1025, 1}, []int{1, 1300, 3})
	add(parameter, poissonExpected(device.Double), "PoissonExpected", "",
		[]int{1, 1, 1}, []int{1, 31, 2}, []int{1, 1300, 3})
	add(moments, poissonExpected(device.Real), "PoissonExpected", "samples ",
		[]int{1, 1, 1}, []int{3, 31, 2}, []int{2, 700, 3})
	add("gradients of float32 parameters", negativeBinomial, "NegativeBinomialLogLik", "",
		[]int{1, 1, 1}, []int{3, 31, 2}, []int{2, 1025, 1}, []int{1, 1300, 3})
	add("gradients of float32 parameters", ordinal, "OrdinalLogLik", "",
		[]int{1, 1, 2}, []int{3, 31, 5}, []int{2, 1025, 3})
	return rows
}

// likelihood is a sum over rows that a device computes with its gradients.
type likelihood struct {
	in []*array
	// term is log p of row s·B+b
	term func(in [][]float64, row int) float64
	op   func(dev device.Device, ell *device.Tensor, g, a device.LikelihoodArgs, scale float64)
}

// args returns tensors as the arguments that their arrays are named for.
func (l likelihood) args(in []*device.Tensor) (a device.LikelihoodArgs) {
	named := map[string]**device.Tensor{"h": &a.H, "mean": &a.H, "variance": &a.Variance, "y": &a.Y,
		"logvar": &a.LogVar, "tail": &a.Tail, "lograte": &a.LogRate, "offset": &a.Offset, "cuts": &a.Cuts,
		"weight": &a.Weight}
	for i, t := range in {
		*named[l.in[i].name] = t
	}
	return a
}

// problem returns the problem of the sum times scale, with a weight [B] for each row of the batch, or nil.
func (l likelihood) problem(weight *array) *problem {
	n, shape := len(l.in), l.in[0].shape
	if weight != nil {
		l.in = append(l.in, weight)
	}
	return withValue(&problem{
		in: l.in,
		naive: func(in, out [][]float64) {
			sum := 0.0
			for row := range device.Volume(shape[:len(shape)-1]) {
				w := 1.0
				if weight != nil {
					w = in[n][row%len(in[n])]
				}
				sum += w * l.term(in, row)
			}
			out[0][0] = scale * sum
		},
	}, 1, l.args, func(dev device.Device, ell *device.Tensor, g, a device.LikelihoodArgs) {
		l.op(dev, ell, g, a, scale)
	})
}

// weights returns the weights of n rows, some of which are 0.
func (r *random) weights(n int) *array {
	w := r.normal("weight", device.Real, none, 1.5, 0.3, n)
	for i := 4; i < n; i += 5 {
		w.data[i] = 0
	}
	return w
}

// counts returns an array of counts of about e^mean.
func (r *random) counts(mean float64, shape ...int) *array {
	y := r.normal("y", device.Real, none, mean, 1, shape...)
	for i, v := range y.data {
		y.data[i] = math.Floor(math.Exp(v))
	}
	return y
}

// columns returns the sum of a term over the columns of a row, of batch row b.
func columns(row, batch, c int, term func(i, y, col int) float64) (sum float64) {
	for col := range c {
		sum += term(row*c+col, row%batch*c+col, col)
	}
	return sum
}

// Size: S, B, C.
func gaussian(r *random, size []int) likelihood {
	s, b, c := size[0], size[1], size[2]
	return likelihood{
		in: []*array{
			r.normal("h", device.Real, writes, 0, 1, s, b, c), r.normal("y", device.Real, none, 0, 1, b, c),
			r.normal("logvar", device.Real, adds, -1, 0.5, c),
		},
		term: func(in [][]float64, row int) float64 {
			return columns(row, b, c, func(i, y, col int) float64 {
				miss := in[1][y] - in[0][i]
				return -(math.Log(2*math.Pi) + in[2][col] + miss*miss/math.Exp(in[2][col])) / 2
			})
		}, op: device.Device.GaussianLogLik}
}

func expected(dtype device.DType) func(r *random, size []int) likelihood {
	return func(r *random, size []int) likelihood {
		return gaussianMoments(r, size, dtype, func(miss, noise, variance float64) float64 {
			return -(math.Log(2*math.Pi*noise) + miss*miss/noise + variance/noise) / 2
		}, device.Device.GaussianExpected)
	}
}

func predictive(dtype device.DType) func(r *random, size []int) likelihood {
	return func(r *random, size []int) likelihood {
		return gaussianMoments(r, size, dtype, func(miss, noise, variance float64) float64 {
			const bound = device.BoundShare
			density := math.Log(2*math.Pi*(noise+variance)) + miss*miss/(noise+variance)
			return -((1-bound)*density + bound*(math.Log(2*math.Pi*noise)+(miss*miss+variance)/noise)) / 2
		}, device.Device.GaussianPredictive)
	}
}

// moments returns means and variances. Size: S, B, C; moments in double have no S.
func (r *random) moments(dtype device.DType, size []int) (mean, variance *array) {
	if dtype == device.Double {
		size = size[1:]
	}
	mean, variance = r.normal("mean", dtype, writes, 0, 1, size...),
		r.normal("variance", dtype, writes, 0, 0.5, size...)
	for i, v := range variance.data {
		variance.data[i] = float64(float32(math.Exp(v)))
	}
	return mean, variance
}

// gaussianMoments returns a likelihood of moments; logLik is the term of an element.
func gaussianMoments(r *random, size []int, dtype device.DType, logLik func(miss, noise, variance float64) float64,
	op func(device.Device, *device.Tensor, device.LikelihoodArgs, device.LikelihoodArgs, float64)) likelihood {
	b, c := size[1], size[2]
	mean, variance := r.moments(dtype, size)
	return likelihood{
		in: []*array{mean, variance,
			r.normal("y", device.Real, none, 0, 1, b, c), r.normal("logvar", device.Real, adds, -1, 0.5, c)},
		term: func(in [][]float64, row int) float64 {
			return columns(row, b, c, func(i, y, col int) float64 {
				return logLik(in[2][y]-in[0][i], math.Exp(in[3][col]), in[1][i])
			})
		}, op: op}
}

// Size: S, B, C.
func softmax(r *random, size []int) likelihood {
	s, b, c := size[0], size[1], size[2]
	return likelihood{
		in: []*array{r.normal("h", device.Real, writes, 5, 3, s, b, c), r.below("y", c, b)},
		term: func(in [][]float64, row int) float64 {
			total := 0.0
			for _, h := range in[0][row*c:][:c] {
				total += math.Exp(h)
			}
			return in[0][row*c+int(in[1][row%b])] - math.Log(total)
		}, op: device.Device.SoftmaxLogLik}
}

// Size: S, B. Logits far from 0 too, where the logistic function is flat.
func bernoulli(r *random, size []int) likelihood {
	s, b := size[0], size[1]
	return likelihood{
		in: []*array{r.normal("h", device.Real, writes, 0, 6, s, b, 1), r.below("y", 2, b)},
		term: func(in [][]float64, row int) float64 {
			h := in[0][row]
			if in[1][row%b] == 1 {
				h = -h
			}
			return -math.Log1p(math.Exp(h))
		}, op: device.Device.BernoulliLogLik}
}

// Size: S, B, C. About 3.6 degrees of freedom, and residuals of some standard deviations.
func student(r *random, size []int) likelihood {
	s, b, c := size[0], size[1], size[2]
	return likelihood{
		in: []*array{
			r.normal("h", device.Real, writes, 0, 1, s, b, c), r.normal("y", device.Real, none, 0, 3, b, c),
			r.normal("logvar", device.Real, adds, -1, 0.5, c), r.normal("tail", device.Real, adds, 0.5, 0.1, 1),
		},
		term: func(in [][]float64, row int) float64 {
			nu := 2 + math.Exp(in[3][0])
			norm := logGamma((nu+1)/2) - logGamma(nu/2)
			return columns(row, b, c, func(i, y, col int) float64 {
				miss, v := in[1][y]-in[0][i], math.Exp(in[2][col])
				return norm - math.Log(math.Pi*nu*v)/2 - (nu+1)/2*math.Log(1+miss*miss/(nu*v))
			})
		}, op: device.Device.StudentLogLik}
}

func logGamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// Size: S, B, C. Every seventh variance is below the floor.
func heteroscedastic(r *random, size []int) likelihood {
	s, b, c := size[0], size[1], size[2]
	h := r.normal("h", device.Real, writes, 0, 1, s, b, 2*c)
	y := r.normal("y", device.Real, none, 0, 1, b, c)
	// and the mean is right there, so that the density is no huge number
	for row := 6; row < s*b; row += 7 {
		h.data[(2*row+1)*c] = -40
		h.data[2*row*c] = y.data[row%b*c]
	}
	return likelihood{
		in: []*array{h, y, r.normal("logvar", device.Real, adds, -1, 0.5, c)},
		term: func(in [][]float64, row int) float64 {
			return columns(row, b, c, func(_, y, col int) float64 {
				miss := in[1][y] - in[0][2*row*c+col]
				v := math.Max(device.VarFloor, math.Exp(in[2][col]+in[0][(2*row+1)*c+col]))
				return -(math.Log(2*math.Pi*v) + miss*miss/v) / 2
			})
		}, op: device.Device.HeteroscedasticLogLik}
}

// Size: S, B, C. h gives its gradient on as it is.
func addBias(r *random, size []int) *problem {
	s, b, c := size[0], size[1], size[2]
	return &problem{
		in: []*array{r.normal("h", device.Real, writes, 0, 1, s, b, c),
			r.normal("bias", device.Real, adds, 0, 1, c)},
		out: []*array{zeros("sum", device.Real, s, b, c)},
		naive: func(in, out [][]float64) {
			for i, h := range in[0] {
				out[0][i] = h + in[1][i%c]
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dev.Copy(out[0], in[0])
			dev.AddBias(out[0], in[1])
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.Copy(din[0], dout[0])
			dev.AddBiasBackward(din[1], dout[0])
		},
	}
}
