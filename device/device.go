package device

// Device runs the operations of the model. One operation is one equation of the paper or one BLAS routine, so that a
// backend may fuse its steps. Calls are made from one goroutine at a time and may be asynchronous: Download waits for
// them.
type Device interface {
	// Name returns the name by which users open this device: "cpu:f32".
	Name() string
	// About describes the machine for people. Once a GPU has loaded its kernels, the text names them.
	About() string
	// New makes a tensor of zeros.
	New(dtype DType, shape ...int) *Tensor
	// Upload fills a Real or Double tensor from float64 values.
	Upload(dst *Tensor, src []float64)
	// UploadInts fills an Int tensor.
	UploadInts(dst *Tensor, src []int32)
	// Download reads a Real or Double tensor; it waits for all work before it.
	Download(dst []float64, src *Tensor)
	// Zero writes zeros.
	Zero(t *Tensor)
	// Copy copies between tensors of one type and size.
	Copy(dst, src *Tensor)
	// Free returns the bytes that can still be taken, and false if they are not known.
	Free() (bytes int64, known bool)
	// Taken returns the bytes that tensors and the device's own scratch hold.
	Taken() int64
	// Dry returns a device of the same kind that takes no memory and computes nothing: its tensors have shapes alone,
	// and downloads are zeros. The Ledger lists the memory that this device would take for the same calls.
	Dry() (Device, *Ledger)
	// Close frees the device; its tensors must not be used again.
	Close() error

	Movement
	GP
	Sequences
	Features
	Likelihoods
	Divergences
	Optimiser
}

// Movement holds the operations that only move numbers.
type Movement interface {
	// Gather copies rows by number: dst[b,:] = src[rows[b],:]. dst [B,D] may be Real or Double, src [N,D] is Real; or
	// both are Int, [B] and [N].
	Gather(dst, src, rows *Tensor)
	// DrawRows draws row numbers below n, uniformly and with replacement: rows[i] = ⌊n·w_i/2³²⌋, where w_i is word i of
	// row 0 of the key's stream; rows Int [B].
	DrawRows(rows *Tensor, n int, key Key)
	// Widen copies Real to Double; NarrowAdd adds Double into Real, as for gradients.
	Widen(dst, src *Tensor)
	NarrowAdd(dst, src *Tensor)
	// Concat joins columns: dst[s,b,:] = [parts[0][s,b,:], parts[1][s,b,:], …]. A part of shape [B,w] is the same for
	// every s.
	Concat(dst *Tensor, parts []*Tensor)
	// ConcatBackward ADDS the columns of ddst into dparts; a nil part has no gradient. A part of shape [B,w] is not
	// allowed to have one.
	ConcatBackward(dparts []*Tensor, widths []int, ddst *Tensor)
	// AddColumns adds the first columns: dst[s,b,c] += src[s,b,c] for every c that both tensors have.
	AddColumns(dst, src *Tensor)
}

// GP holds the operations of the GP layer, all in double. Kernels are kept as correlations c_j = k_j/α_j with a unit
// diagonal: the jitter is then relative by construction, and α_j enters at Moments, and at Whiten.
type GP interface {
	// ARD computes kernel_ard without its α, or another kernel of the same distance: C[k,m,b] = f(r²) with r² = Σ_d
	// (Z[m,d] − X[b,d])²/ℓ[k,d]², and Slope = −2f'(r²), which is all that the gradient needs. If all dimensions share a
	// length-scale, the distances are computed once for all k. If X is Z, C is Kuu/α: symmetric, with a diagonal of
	// exactly 1.
	ARD(a ARDArgs)
	// ARDBackward overwrites g.C with G = g.C∘Slope and accumulates g.LogLength[k,d] += Σ G (z−x)²/ℓ² and g.Z[m,d] += Σ
	// G (x−z)/ℓ² (both sides where X is Z; g.C is symmetric then, as PotrfBackward leaves it).
	ARDBackward(g, a ARDArgs)

	// Mix computes the sum of two kernels: C[k] = ω_k A[k] + (1−ω_k) B[k] with ω = 1/(1 + e^−Logit). If both are
	// exactly 1, C is 1, too.
	Mix(a MixArgs)
	// MixBackward writes g.A = ω g.C and g.B = (1−ω) g.C, and accumulates g.Logit[k] += ω(1−ω) Σ g.C∘(A−B). g.A may be
	// g.C.
	MixBackward(g, a MixArgs)

	// Potrf computes L with L Lᵀ = c + jitter·I for each of the K matrices, l lower triangular with zeros above. jitter
	// [K] receives the jitters: each matrix climbs JitterLadder by itself. A matrix that fails on every rung leaves
	// −1−pivot there and NaN in l.
	Potrf(l, jitter, c *Tensor)
	// PotrfBackward computes dc = sym½(L⁻ᵀ Φ(Lᵀ dL) L⁻¹) (Murray 2016). dl is undefined afterwards.
	PotrfBackward(dc, dl, l *Tensor)

	// Trsm solves a = L⁻¹ b for each k: l [K,M,M], a and b [K,M,B].
	Trsm(a, l, b *Tensor)
	// TrsmBackward writes db = L⁻ᵀ da and accumulates dl += −tril(db aᵀ).
	TrsmBackward(db, dl, da, l, a *Tensor)

	// Whiten takes q(F̄_j) = N(Mu_j, Sqrt_j Sqrt_jᵀ), as inf_qF writes it, to the whitened QMean_j = L⁻¹ Mu_j/√α_j and
	// QSqrt_j = L⁻¹ Sqrt_j/√α_j.
	Whiten(a WhitenArgs)
	// WhitenBackward accumulates g.Mu, g.Sqrt, g.L and g.LogAlpha; g.QMean and g.QSqrt are overwritten.
	WhitenBackward(g, a WhitenArgs)

	// Moments computes qF_anj and qF_Bnj for a whitened q(F̄), with A = L⁻¹ Kuf/α:
	//	Mean[b,j]     = √α_j Σ_i A[i,b] QMean[j,i]
	//	Variance[b,j] = max(VarFloor, α_j (1 − Σ_i A[i,b]² + Σ_i P[i,b]²)),   P = QSqrt_jᵀ A
	Moments(a MomentsArgs)
	// MomentsBackward writes g.A and accumulates g.QMean, g.QSqrt and g.LogAlpha. The gradient of a floored variance is
	// 0. P is overwritten.
	MomentsBackward(g, a MomentsArgs)

	// SampleF draws F by reparam_F: f[s,b,j] = mean[b,j] + √var[b,j] ε(key; s, rows[b], j), f Real [S,B,J].
	SampleF(f, mean, variance, rows *Tensor, key Key)
	// SampleFBackward writes dmean = Σ_s df and dvariance = Σ_s df ε/(2√var).
	SampleFBackward(dmean, dvariance, df, variance, rows *Tensor, key Key)
}

// Sequences holds the operations of the GP layer for inputs that are known by feature maps φ_i, i < I, such as the maps
// of package seq.
type Sequences interface {
	// SparseDistances writes the columns of map i into d [B,I·M], Double or Real, for rows [B] of x and the M vectors
	// of z:
	//	d[b, i·M+m] of x_b and z_m by a Metric
	// x stores a list for each vector, and z one for each column; every column of x occurs in z. Sums run over
	// ascending columns, and each product is rounded before it is added: every backend gives the same bits.
	SparseDistances(d *Tensor, i int, x Sparse, rows *Tensor, z Sparse, metric Metric)
	// SparseBlock computes kernel_ard's counterpart for sequences, a sum over feature maps:
	//	C[k,m,b] = Σ_i ω_ki f_i(D[b, i·M+m]),   ω_k = softmax(Logits_k),
	//	f_i(d) = exp(−d/2σ_ki²), or 1 − d/2 where Linear[i]
	// C is exactly 1 if all I distances are 0.
	SparseBlock(a SparseBlockArgs)
	// SparseBlockBackward accumulates g.Logits[k,i] += ω_ki Σ_j ω_kj ⟨g.C_k, f_i − f_j⟩ and g.LogSigma[k,i] += ω_ki
	// ⟨g.C_k, f_i d_i⟩/σ_ki², 0 where Linear.
	SparseBlockBackward(g, a SparseBlockArgs)
}

// Features holds the random-feature layer: one operation, so that a backend need never write Φ to memory.
type Features interface {
	// FeatureScratch plans the memory of a layer for up to S·B rows.
	FeatureScratch(samples, batch, d, features, dOut int) Scratch
	// RandomFeatures computes rfdnn_lth_vec with rf_ard, reparam_Omega and reparam_W:
	//	Ω⁽ˢ⁾ = η + β∘τ⁽ˢ⁾, or τ⁽ˢ⁾/ℓ in PRIOR-FIXED           τ indexed (row d, column r); times Mixing
	//	Φ    = √(α/R) [cos HΩ, sin HΩ], or √(α/R) φ(HΩ) of another Activation
	//	Out  = Φ (m + s∘e⁽ˢ⁾)                                  e indexed (row of W, column of W)
	//	     | Φ m + √v∘ε, v = max(VarFloor, Φ² s²), if Local  ε indexed (Rows[b], column)
	RandomFeatures(a FeatureArgs)
	// RandomFeaturesBackward follows RandomFeatures. It writes g.H and accumulates g.Params.
	RandomFeaturesBackward(g, a FeatureArgs)
	// Frequencies computes q(Ω) = N(η, β²) of frequencies around a fixed draw τ: ω = (τ + ρζ)/ℓ with ζ ~ N(0, 1) a
	// priori and q(ζ) = N(m, s²),
	//	η[d,r] = (τ[d,r] + ρ m[d,r])/ℓ[d],   log β²[d,r] = log s²[d,r] + 2 log ρ/ℓ[d]
	Frequencies(a FrequencyArgs)
	// FrequenciesBackward accumulates g.Mean, g.LogVar, g.LogRho and g.LogLength.
	FrequenciesBackward(g, a FrequencyArgs)
	// FeatureMoments integrates W and Ω: the mean and the variance over q(W) q(Ω) of each output of rfdnn_lth_vec,
	// given h. With t = hη, v = h²β² the moments of the phases θ = hω, u = e^−v, and a = √(α/R), r over the
	// frequencies,
	//	Out      = a Σ_r √u (m_cos cos t + m_sin sin t)
	//	Variance = max(VarFloor, a² Σ_r ½(1 + u² cos 2t) s²_cos + ½(1 − u² cos 2t) s²_sin
	//	                        + ½(1 − u)[m²_cos + m²_sin − u((m²_cos − m²_sin) cos 2t + 2 m_cos m_sin sin 2t)])
	// which is all that the bound needs under a Gaussian likelihood. η and β are multiplied by Mixing. The Activation
	// must be Fourier, and there must be a q(Ω). With LowerW, the covariance of W is full, C = L Lᵀ. Then μ = E φ = [√u
	// cos t, √u sin t], and the elements of C for a frequency's cosine and sine are added to the products of m:
	//	Variance = max(VarFloor, a² (‖Lᵀμ‖² + Σ_r ½(1 − u)[p + q − u((p − q) cos 2t + 2o sin 2t)])),
	//	p = m²_cos + C_cos,   q = m²_sin + C_sin,   o = m_cos m_sin + C_cos,sin
	FeatureMoments(a FeatureArgs)
	// FeatureMomentsBackward follows FeatureMoments. It writes g.H and accumulates g.Params. The gradient of a floored
	// variance is 0.
	FeatureMomentsBackward(g, a FeatureArgs)
	// AddNoise draws an output from its moments: out[s,b,c] += √variance[s,b,c] ε(key; s, rows[b], c), all Real
	// [S,B,C].
	AddNoise(out, variance, rows *Tensor, key Key)
	// AddNoiseBackward writes dvariance = dout ε/(2√variance). The gradient of the mean is dout itself.
	AddNoiseBackward(dvariance, dout, variance, rows *Tensor, key Key)
}

// Likelihoods hold log p(y | h) with its gradient in the same pass (ell_n_estim). ell is Double [1] and is WRITTEN; g.H
// and g.Variance are written; the other gradients accumulate. The value and every gradient are multiplied by scale,
// N/(B·S), and by nothing else before or after. With Weight, the terms of row b are also multiplied by w_b.
type Likelihoods interface {
	// GaussianLogLik computes Σ_{s,b,c} log N(y[b,c]; h[s,b,c], σ²_c).
	GaussianLogLik(ell *Tensor, g, a LikelihoodArgs, scale float64)
	// GaussianExpected computes the closed form E_q log N(y; F, σ²) = Σ log N(y; mean, σ²_c) − var/2σ²_c.
	GaussianExpected(ell *Tensor, g, a LikelihoodArgs, scale float64)
	// GaussianPredictive computes Σ (1−δ) log N(y; mean, σ²_c + var) + δ E_q log N(y; F, σ²_c), for the same moments
	// and δ = BoundShare: the log density of targets under the prediction, with as much of the bound as keeps the mean
	// at the targets.
	GaussianPredictive(ell *Tensor, g, a LikelihoodArgs, scale float64)
	// SoftmaxLogLik computes Σ_{s,b} log softmax(h[s,b,:])[y[b]].
	SoftmaxLogLik(ell *Tensor, g, a LikelihoodArgs, scale float64)
	// BernoulliLogLik computes Σ_{s,b} log σ(±h[s,b]), with + for y[b] = 1, − for y[b] = 0, and σ the logistic
	// function.
	BernoulliLogLik(ell *Tensor, g, a LikelihoodArgs, scale float64)
	// StudentLogLik computes Σ_{s,b,c} log t_ν((y[b,c] − h[s,b,c])/σ) − log σ, the density of Student's t with ν = 2 +
	// exp Tail degrees of freedom, shifted by h and scaled by σ_c.
	StudentLogLik(ell *Tensor, g, a LikelihoodArgs, scale float64)
	// HeteroscedasticLogLik computes Σ_{s,b,c} log N(y[b,c]; h[s,b,c], v) with a different variance for each element, v
	// = max(VarFloor, σ²_c exp h[s,b,C+c]).
	HeteroscedasticLogLik(ell *Tensor, g, a LikelihoodArgs, scale float64)
	// PoissonLogLik computes Σ_{s,b,c} y f − exp f − log y!, the density of a count y[b,c] with the log rate f =
	// h[s,b,c] + LogRate[c] + Offset[b]. Above LogRateMax, exp f is replaced by its tangent there, so that no step
	// overflows.
	PoissonLogLik(ell *Tensor, g, a LikelihoodArgs, scale float64)
	// PoissonExpected computes the closed form E_q log p(y | F) of the same: E exp F = exp(f + var/2), with the same
	// tangent, f from the mean.
	PoissonExpected(ell *Tensor, g, a LikelihoodArgs, scale float64)
	// NegativeBinomialLogLik computes Σ_{s,b,c} log p(y[b,c]) of counts with mean λ = exp f, f as in PoissonLogLik, and
	// variance λ + δλ². With δ = DispersionFloor + exp Tail and r = 1/δ,
	//	log p = log Γ(y+r) − log Γ(r) − log y! + r log r/(r+λ) + y log λ/(r+λ)
	NegativeBinomialLogLik(ell *Tensor, g, a LikelihoodArgs, scale float64)
	// OrdinalLogLik computes Σ_{s,b} log [Φ(κ_y+1 − h[s,b]) − Φ(κ_y − h[s,b])] for labels y[b] of K ordered levels, Φ
	// the normal distribution function. The cut points κ_0 = −∞ < κ_1 < … < κ_K = ∞ are κ_1 = Cuts[0], κ_k+1 = κ_k +
	// GapFloor + exp Cuts[k].
	OrdinalLogLik(ell *Tensor, g, a LikelihoodArgs, scale float64)

	// AddBias adds a constant to each output of all rows: h[s,b,c] += bias[c]; h [S,B,C], bias [C], both Real.
	AddBias(h, bias *Tensor)
	// AddBiasBackward accumulates dbias[c] += Σ_{s,b} dh[s,b,c]. The gradient of h before AddBias is dh itself.
	AddBiasBackward(dbias, dh *Tensor)
}

// Divergences hold the KL terms of elbo: the value, Double [1], is WRITTEN, and −weight·∂KL is accumulated into the
// gradients, in the same pass.
type Divergences interface {
	// KLDiag computes Σ ½[log p − log s² + (s²+m²)/p − 1] for fully factorised Gaussians, p = 1, or p = ℓ_d⁻² where
	// there is LogLength, whose gradient then accumulates too. Without LogVar it is Σ ½ m², for the elements m below
	// the diagonal of a full covariance's Cholesky factor.
	KLDiag(kl *Tensor, g, a DiagArgs, weight Scalar)
	// KLInducing computes the KL of the whitened q(F̄) from N(0, I), all Double:
	//	Σ_j ½(‖m_j‖² + ‖s_j‖² − M) − Σ log|diag s_j|
	// m [J,M], s [J,M,M] lower, or [J,M] diagonal.
	KLInducing(kl, dm, ds, m, s *Tensor, weight Scalar)
}

// Optimiser holds the update of the flat parameter vector.
type Optimiser interface {
	// Adam updates p, m and v, [P] Real, from g. rate [P] multiplies the learning rate of each element: 0 holds a
	// parameter while its moments change.
	Adam(p, g, m, v, rate *Tensor, step AdamStep)
	// NaturalStep moves the q(F̄_j) = N(m_j, s_j s_jᵀ) by size along their natural gradients: with the gradients dm and
	// ds of a bound, and its gradient dS for the covariance S = s sᵀ,
	//	S⁻¹ −= 2·size·dS,   m += size·S·dm with the new S
	// which is a step of the natural parameters S⁻¹m and −½S⁻¹ along the bound's gradient in m and S + m mᵀ. The same
	// formulas hold in the paper's coordinates and in whitened ones. m, dm [J,M]; s and ds [J,M,M] lower, or [J,M],
	// diagonals; elements above the diagonal of s become 0. No step multiplies S by more than 2/(1−size) in any
	// direction. If a step would, or if S⁻¹ would not stay positive definite, size is divided by 1 + 2·rung for a rung
	// of NaturalLadder. Each latent, or each element of a diagonal, has its rung. If no rung helps, as for a gradient
	// that is not finite, q does not change. The exact gradient of a log-concave likelihood never needs a rung. dm and
	// ds do not change.
	NaturalStep(m, s, dm, ds *Tensor, size Scalar)
}
