package device

// The arguments of operations with many tensors. A Backward takes the arguments of its operation again, and their
// gradients in a struct of the same type. There, tensors without a gradient are nil.

// ARDArgs are the tensors of ARD, all Double.
type ARDArgs struct {
	C         *Tensor // [K,M,B]
	Slope     *Tensor // [K,M,B]: −2f'(r²); C itself for RBF, and another tensor otherwise; no gradient
	Z         *Tensor // [M,D]; its gradient is nil for fixed inducing points
	X         *Tensor // [B,D]: Z itself in Kuu; no gradient
	LogLength *Tensor // [K,D]; or [K,1], one length-scale for all dimensions

	Form Correlation // f
}

// MixArgs are the tensors of Mix, all Double.
type MixArgs struct {
	C, A, B *Tensor // [K,M,B]
	Logit   *Tensor // [K]
}

// WhitenArgs are the tensors of Whiten, all Double.
type WhitenArgs struct {
	QMean, QSqrt *Tensor // [J,M] and [J,M,M]: whitened
	L            *Tensor // [K,M,M]
	LogAlpha     *Tensor // [J]
	Mu, Sqrt     *Tensor // [J,M] and [J,M,M] lower, or [J,M], a diagonal
}

// MomentsArgs are the tensors of Moments, all Double.
type MomentsArgs struct {
	Mean, Variance *Tensor // [B,J]
	P              *Tensor // [J,M,B]: kept for MomentsBackward; nil where QSqrt is diagonal; no gradient
	A              *Tensor // [K,M,B]
	QMean, QSqrt   *Tensor // [J,M] and [J,M,M] lower, or [J,M], a diagonal
	LogAlpha       *Tensor // [J]
}

// Sparse holds the nonzero elements of vectors φ on the device. A list is a vector, or a column.
type Sparse struct {
	Start *Tensor // Int [lists+1]: list l is elements Start[l] … Start[l+1]−1 of Index and Value
	Index *Tensor // Int [nnz]: columns, or vectors; ascending in a list
	Value *Tensor // Double [nnz]
	// Double [vectors]: ‖φ‖² = 1, or 0 of an empty vector; it includes columns that are not kept
	Square *Tensor
}

// SparseBlockArgs are the tensors of SparseBlock, all Double.
type SparseBlockArgs struct {
	C                *Tensor // [K,M,B]
	D                *Tensor // [B,I·M]: squared distances; no gradient
	Logits, LogSigma *Tensor // [K,I]

	Linear []bool // [I], at most MaxMaps
}

// FeatureParams are the parameters, or their gradients, of one DRF layer, all Real.
type FeatureParams struct {
	LogAlpha    *Tensor // [1]      log α
	LogLength   *Tensor // [d]      log ℓ: the prior of Ω is N(0, ℓ_d⁻²)
	MeanOmega   *Tensor // [d,R]    η; nil in PRIOR-FIXED
	LogVarOmega *Tensor // [d,R]    log β²; nil in PRIOR-FIXED
	// [2R,d'] m, cosines first, then sines; [R,d'] if a frequency has one column of Φ
	MeanW   *Tensor
	LogVarW *Tensor // [2R,d']  log s², as MeanW
	// [d',2R,2R] V, for FeatureMoments alone: the covariance of column c of W is L_c L_cᵀ, where L_c is V_c below its
	// diagonal, and s on it. No other elements are read. nil: 0
	LowerW *Tensor
	// [R] a fixed factor of each column of Ω, which has no gradient; nil: 1
	Mixing *Tensor

	Activation Activation // φ; Fourier, rf_ard's, is the zero value. Not used in gradients
}

// FeatureNoise is the randomness of a DRF layer.
type FeatureNoise struct {
	Weights        Key  // e, or the output noise under local reparameterisation
	Frequencies    Key  // τ
	FrequencyDraws int  // sample s uses draw (Frequencies.Sample + s) mod FrequencyDraws of τ; 0: a draw for each s
	WeightDraws    int  // the same for draws of e of sampled weights
	Local          bool // local reparameterisation instead of sampled weights
}

// Distinct returns the number of draws of Ω and of W that samples use, and the number of groups of rows that share
// both: 1, or one for each sample.
func (f FeatureNoise) Distinct(samples int) (omegas, weights, groups int) {
	distinct := func(draws int) int {
		if draws == 0 {
			return samples
		}
		return min(draws, samples)
	}
	omegas, weights = distinct(f.FrequencyDraws), distinct(f.WeightDraws)
	if f.Local {
		weights = 1
	}
	if omegas == 1 && weights == 1 {
		return omegas, weights, 1
	}
	return omegas, weights, samples
}

// Scratch is a backend's memory of one layer between forward and backward.
type Scratch any

// FeatureArgs are the arguments of RandomFeatures and FeatureMoments, whose tensors are Real. Gradients have Out,
// Variance, H and Params.
type FeatureArgs struct {
	Out      *Tensor // [S,B,d']: outputs, or their means
	Variance *Tensor // [S,B,d'], for FeatureMoments alone
	H        *Tensor // [S,B,d]; its gradient may be nil
	Params   FeatureParams
	Scratch  Scratch

	// arguments of RandomFeatures alone
	Rows  *Tensor // numbers of the rows in the data set, Int [B]
	Noise FeatureNoise
}

// FrequencyArgs are the tensors of Frequencies, all Real.
type FrequencyArgs struct {
	MeanOmega, LogVarOmega *Tensor // [d,R]: η and log β²
	Tau                    *Tensor // [d,R]; no gradient
	Mean, LogVar           *Tensor // [d,R]: m and log s²
	LogRho                 *Tensor // [1]
	LogLength              *Tensor // [d]
}

// LikelihoodArgs are the tensors of a likelihood, Real except labels. There are gradients of H, Variance, LogVar,
// LogRate, Tail and Cuts.
type LikelihoodArgs struct {
	// [S,B,C]: outputs; [S,B,2C] for HeteroscedasticLogLik, [S,B,1] for BernoulliLogLik and OrdinalLogLik. For
	// GaussianExpected, GaussianPredictive and PoissonExpected H has means and Variance variances: Double [B,C], or
	// Real [S,B,C] and summed over s
	H, Variance *Tensor
	Y           *Tensor // [B,C]: targets; or Int [B], labels
	LogVar      *Tensor // [C]: log σ², for numbers
	LogRate     *Tensor // [C]: a constant of the log rates of counts
	Tail        *Tensor // [1], for StudentLogLik and NegativeBinomialLogLik
	Cuts        *Tensor // [K−1], for OrdinalLogLik
	Weight      *Tensor // [B] or [B,1]: factor of a row's terms; nil: 1
	Offset      *Tensor // [B] or [B,1]: added to the log rates of a row of counts; nil: nothing
}

// DiagArgs are the parameters of fully factorised Gaussians, all Real.
type DiagArgs struct {
	Mean      *Tensor // [d,R]; of any shape without LogLength
	LogVar    *Tensor // shape of Mean; nil: the elements of a Cholesky factor below its diagonal
	LogLength *Tensor // [d]: the prior's variance is ℓ_d⁻²; nil: 1
}

// AdamStep is one step's numbers of Adam (Kingma & Ba) on an objective whose gradient is Scale·g + L2·p. Step counts
// from 1.
type AdamStep struct {
	LR                Scalar
	Step              StepNumber
	Beta1, Beta2, Eps float64
	L2                float64 // λ of the penalty, coupled: its gradient is part of the gradient
	Scale             float64 // factor of the gradient; −1/N makes the ELBO's gradient the gradient of −ELBO/N
}
