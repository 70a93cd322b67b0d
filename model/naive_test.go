package model

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// naive evaluates elbo in scalar loops written from the paper: explicit inverses, the paper's coordinates of q(F̄), one
// sample after the other. It shares only the parameter names and the addresses of the noise with the model.
type naive struct {
	cfg    Config
	params map[string][]float64
	n      int         // N
	x      [][]float64 // [N,Width]
	own    []float64   // distances among X̄ [M,I·M]
	y      []float64
	labels []int32
	weight []float64 // [N]; nil: none
	offset []float64 // [N]; nil: none
	rows   []int32
	step   GradientArgs
}

func (v *naive) elbo() (ell, kl float64) {
	c := &v.cfg
	d := draw{seed: v.step.Seed, step: v.step.Step}
	b := len(v.rows)
	var mean, variance [][]float64
	if c.hasGP() {
		mean, variance, kl = v.gpLayer()
	}
	for l := range c.Layers {
		kl += v.klLayer(l)
	}
	total := 0.0
	for s := range c.Samples {
		for i := range b {
			row := v.rows[i]
			var f []float64
			if c.hasGP() {
				for j := range c.Latents {
					f = append(f, mean[i][j]+math.Sqrt(variance[i][j])*normalAt(c.latents(d), s, int(row), j))
				}
			}
			h, spread := v.drfLayers(d, s, int(row), f, v.x[row][:c.Inputs])
			if c.Model == GP { // the likelihood takes moments
				h, spread = moved(h, mean[i], c.takesMoments()), variance[i]
			}
			p := v.logLik(h, spread, int(row))
			if v.weight != nil {
				p *= v.weight[row]
			}
			total += p
		}
	}
	return total * float64(v.n) / float64(b*c.Samples), kl
}

// moved returns mean where the likelihood takes moments, and otherwise a draw h.
func moved(h, mean []float64, moments bool) []float64 {
	if moments {
		return mean
	}
	return h
}

// logLik computes log p of a row given its outputs h or, where the likelihood takes moments, given their means h and
// variances.
func (v *naive) logLik(h, variance []float64, row int) (total float64) {
	c := &v.cfg
	if c.ClassOffsets {
		for i, b := range v.params["likelihood.offset"] {
			h[i] += b
		}
	}
	switch {
	case c.Likelihood == OrdinalLikelihood:
		return v.ordinal(h[0], int(v.labels[row]))
	case c.Likelihood == BernoulliLikelihood:
		p := 1 / (1 + math.Exp(-h[0]))
		if v.labels[row] == 0 {
			p = 1 - p
		}
		return math.Log(p)
	case c.Likelihood == SoftmaxLikelihood:
		sum := 0.0
		for _, u := range h {
			sum += math.Exp(u)
		}
		return h[v.labels[row]] - math.Log(sum)
	}
	for t := range c.targets() {
		y := v.y[row*c.targets()+t]
		if IsCountLikelihood(c.Likelihood) {
			total += v.count(y, h[t]+v.params["likelihood.log_rate"][t]+v.offset[row], variance, t)
			continue
		}
		noise := math.Exp(v.params["likelihood.log_variance"][t])
		switch c.Likelihood {
		case StudentLikelihood:
			nu := 2 + math.Exp(v.params["likelihood.log_tail"][0])
			total += distuv.StudentsT{Mu: h[t], Sigma: math.Sqrt(noise), Nu: nu}.LogProb(y)
		case HeteroscedasticLikelihood:
			total += logNormal(y, h[t], math.Max(device.VarFloor, noise*math.Exp(h[c.targets()+t])))
		default:
			total += v.ofMoments(y, h[t], variance[t], noise)
		}
	}
	return total
}

func logNormal(y, mean, variance float64) float64 {
	return -0.5*math.Log(2*math.Pi*variance) - (y-mean)*(y-mean)/(2*variance)
}

func normalAt(key device.Key, sample, row, column int) float64 {
	k, c1, c2, c3 := key.Words(sample, row)
	if key.Strata > 0 {
		return philox.Latin(k, uint32(column/4), c1, c2, c3, key.Strata)[column%4]
	}
	return philox.Normal(k, c1, c2, c3, column)
}

// gpLayer computes qF_anj, qF_Bnj and KL(q(F̄) ‖ P(F̄)) in the paper's coordinates.
func (v *naive) gpLayer() (mean, variance [][]float64, kl float64) {
	c := &v.cfg
	m, dim := c.Inducing, c.Inputs
	correlation := func(name, suffix string, j int, a, b []float64) float64 {
		lengths := v.params["gp.log_lengthscale"+suffix]
		sum := 0.0
		for i := range dim {
			var logL float64
			switch c.Lengthscales {
			case ARD:
				logL = lengths[j*dim+i]
			case Isotropic:
				logL = lengths[j]
			case Shared:
				logL = lengths[i]
			}
			sum += (a[i] - b[i]) * (a[i] - b[i]) / math.Exp(2*logL)
		}
		r := math.Sqrt(sum)
		switch name {
		case "matern12":
			return math.Exp(-r)
		case "matern32":
			return (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r)
		case "matern52":
			return (1 + math.Sqrt(5)*r + 5*sum/3) * math.Exp(-math.Sqrt(5)*r)
		}
		return math.Exp(-sum / 2)
	}
	// paper: Σ_i α_i exp(−‖φ_i − φ_i'‖²/2σ_i²)
	sequences := func(j int, d []float64, b int) (k float64) {
		logits, total := v.params["gp.map_logit"][j*len(c.Maps):][:len(c.Maps)], 0.0
		for _, l := range logits {
			total += math.Exp(l)
		}
		for i, kind := range c.Maps {
			d2, sigma := d[i*m+b], math.Exp(v.params["gp.log_sigma"][j*len(c.Maps)+i])
			f := math.Exp(-d2 / (2 * sigma * sigma))
			if kind == MapLinear {
				f = 1 - d2/2
			}
			k += math.Exp(logits[i]) / total * f
		}
		return k
	}
	z := func(i int) []float64 {
		row := append([]float64(nil), v.params["gp.pseudo_inputs"][i*dim:(i+1)*dim]...)
		return append(row, v.own[i*c.distances():(i+1)*c.distances()]...)
	}
	kernel := func(j int, a []float64, number int) float64 { // between a row and X̄[number]
		alpha, b := math.Exp(v.params["gp.log_alpha"][j]), z(number)
		k := j % c.kernels()
		switch {
		case dim == 0:
			return alpha * sequences(k, a, number)
		case c.Maps != nil:
			logit := v.params["gp.mix_logit"][k]
			return alpha/(1+math.Exp(-logit))*correlation(c.Kernel, "", j, a,
				b) + alpha/(1+math.Exp(logit))*sequences(k, a[dim:], number)
		}
		first, second, isSum := strings.Cut(c.Kernel, "+")
		if !isSum {
			return alpha * correlation(first, "", j, a, b)
		}
		logit := v.params["gp.mix_logit"][j%len(v.params["gp.mix_logit"])]
		alpha1, alpha2 := alpha/(1+math.Exp(-logit)), alpha/(1+math.Exp(logit))
		return alpha1*correlation(first, "", j, a, b) + alpha2*correlation(second, "_2", j, a, b)
	}
	for range v.rows {
		mean, variance = append(mean, make([]float64, c.Latents)), append(variance, make([]float64, c.Latents))
	}
	for j := range c.Latents {
		alpha := math.Exp(v.params["gp.log_alpha"][j])
		kuu := mat.NewSymDense(m, nil)
		for a := range m {
			for b := range m {
				kuu.SetSym(a, b, kernel(j, z(a), b))
			}
			kuu.SetSym(a, a, alpha*(1+device.JitterLadder[0]))
		}
		var chol mat.Cholesky
		if !chol.Factorize(kuu) {
			panic("naive: kernel matrix not positive definite")
		}
		var inv mat.SymDense
		if err := chol.InverseTo(&inv); err != nil {
			panic(err)
		}
		mu := mat.NewVecDense(m, append([]float64(nil), v.params["gp.q_mu"][j*m:(j+1)*m]...))
		s := mat.NewDense(m, m, nil)
		for a := range m {
			for b := range a + 1 {
				if c.QCov == Full {
					s.Set(a, b, v.params["gp.q_sqrt"][(j*m+a)*m+b])
				} else if a == b {
					s.Set(a, a, v.params["gp.q_sqrt"][j*m+a])
				}
			}
		}
		if c.Whiten { // F̄ = L_K v with L_K L_Kᵀ = Kuu
			var l mat.TriDense
			chol.LTo(&l)
			mu.MulVec(&l, mu)
			s.Mul(&l, s)
		}
		var sigma mat.Dense
		sigma.Mul(s, s.T())

		var sigmaChol mat.Cholesky
		if !sigmaChol.Factorize(symmetric(&sigma)) {
			panic("naive: Σ not positive definite")
		}
		var kInvSigma mat.Dense
		kInvSigma.Mul(&inv, &sigma)
		kl += 0.5 * (mat.Trace(&kInvSigma) + mat.Inner(mu, &inv, mu) - float64(m) + chol.LogDet() - sigmaChol.LogDet())

		for i, row := range v.rows {
			k := mat.NewVecDense(m, nil)
			for a := range m {
				k.SetVec(a, kernel(j, v.x[row], a))
			}
			var w mat.VecDense // K̄⁻¹ k̄
			w.MulVec(&inv, k)
			mean[i][j] = mat.Dot(&w, mu)
			variance[i][j] = alpha - mat.Dot(k, &w) + mat.Inner(&w, &sigma, &w)
		}
	}
	return mean, variance, kl
}

func symmetric(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}

func (v *naive) layer(l int, field string) []float64 {
	return v.params["drf."+string(rune('0'+l))+"."+field]
}

// drfLayers computes rfdnn_fwd for one sample of one row: h, or the mean of h and its variance where a Gaussian
// likelihood takes both.
func (v *naive) drfLayers(d draw, s, row int, f, x []float64) (h, spread []float64) {
	c := &v.cfg
	h, spread = append([]float64(nil), f...), make([]float64, c.Outputs)
	for l := range c.Layers {
		in := append([]float64(nil), h...)
		switch {
		case c.Model == DRF && l == 0:
			in = append([]float64(nil), x...)
		case c.FeedForward && l == 0:
			in = append(in, x...)
		case c.FeedForward && c.Model == DRF:
			in = append(in, x...)
		case c.FeedForward:
			in = append(append(in, f...), x...)
		}
		if c.Spectra == VarIntegrated {
			mean, variance := v.featureMoments(l, in)
			h = mean
			if c.takesMoments() && l == c.Layers-1 {
				spread = variance
			} else {
				for j := range h {
					h[j] += math.Sqrt(variance[j]) * normalAt(c.features(d, l).Weights, s, row, j)
				}
			}
		} else {
			h = v.features(d, l, s, row, in)
		}
	}
	if c.Skip {
		for i := range h {
			h[i] += f[i]
		}
	}
	return h, spread
}

// features computes rfdnn_lth_vec for one sample of one row.
func (v *naive) features(d draw, l, s, row int, in []float64) []float64 {
	c := &v.cfg
	r, out := c.Features, c.layerOutputs(l)
	noise := c.features(d, l)
	arccos := strings.HasPrefix(c.FeatureKernel, "arccos")
	phi := make([]float64, 2*r)
	if arccos {
		phi = phi[:r]
	}
	sTau := s
	if noise.FrequencyDraws > 0 {
		sTau = s % noise.FrequencyDraws
	}
	for k := range r {
		p := 0.0
		for i, h := range in {
			tau := normalAt(noise.Frequencies, sTau, i, k)
			omega := tau * math.Exp(-v.layer(l, "log_lengthscale")[i])
			if c.treatment().Name != PriorFixed {
				omega = v.layer(l, "mean_omega")[i*r+k] + math.Exp(v.layer(l, "logvar_omega")[i*r+k]/2)*tau
			}
			if kernel, _ := kernelOf(c.FeatureKernel); kernel != device.RBF {
				omega *= v.layer(l, "mixing")[k]
			}
			p += h * omega
		}
		root := math.Sqrt(math.Exp(v.layer(l, "log_alpha")[0]) / float64(r))
		switch {
		case !arccos:
			phi[k], phi[r+k] = root*math.Cos(p), root*math.Sin(p)
		case p > 0:
			phi[k] = root * math.Sqrt2 * math.Pow(p, float64(c.FeatureKernel[len("arccos")]-'0'))
		}
	}
	mean, logVar := v.layer(l, "mean_w"), v.layer(l, "logvar_w")
	h := make([]float64, out)
	for j := range out {
		if c.LocalReparam {
			sum := 0.0
			for i, f := range phi {
				h[j] += f * mean[i*out+j]
				sum += f * f * math.Exp(logVar[i*out+j])
			}
			// arc-cosine features may all be 0
			h[j] += math.Sqrt(max(device.VarFloor, sum)) * normalAt(noise.Weights, s, row, j)
			continue
		}
		for i, f := range phi {
			h[j] += f * (mean[i*out+j] + math.Exp(logVar[i*out+j]/2)*normalAt(noise.Weights, s, i, j))
		}
	}
	return h
}

// klLayer computes KL(q(W)‖P(W)) + KL(q(Ω)‖P(Ω|Λ)).
func (v *naive) klLayer(l int) (kl float64) {
	gauss := func(mean, logVar, prior float64) float64 {
		return 0.5 * (math.Log(prior) - logVar + (math.Exp(logVar)+mean*mean)/prior - 1)
	}
	for i, m := range v.layer(l, "mean_w") {
		kl += gauss(m, v.layer(l, "logvar_w")[i], 1)
	}
	if v.cfg.WCov == Full && l == v.cfg.Layers-1 {
		for _, m := range v.layer(l, "lower_w") {
			kl += m * m / 2
		}
	}
	for i, m := range v.layer(l, "mean_omega") {
		prior := math.Exp(-2 * v.layer(l, "log_lengthscale")[i/v.cfg.Features])
		if v.cfg.Spectra == VarIntegrated {
			prior = 1 // prior variance of ζ
		}
		kl += gauss(m, v.layer(l, "logvar_omega")[i], prior)
	}
	return kl
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
