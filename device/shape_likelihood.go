package device

// checkLik checks the arguments that all likelihoods of draws share, and returns the lengths of H.
func checkLik(op string, ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	a.H.wantRank(op, "H", Real, 3)
	s, b, c = a.H.shape[0], a.H.shape[1], a.H.shape[2]
	ell.want(op, "ell", Double, 1)
	g.H.want(op, "the gradient of H", Real, s, b, c)
	return s, b, c
}

// checkNumbers checks the targets of b rows, and the noise of each of their c numbers.
func checkNumbers(op string, g, a LikelihoodArgs, b, c int) {
	a.Y.want(op, "Y", Real, b, c)
	a.LogVar.want(op, "LogVar", Real, c)
	g.LogVar.want(op, "the gradient of LogVar", Real, c)
	checkWeight(op, a, b)
}

// checkWeight checks the weights of b rows of a likelihood that has no Offset.
func checkWeight(op string, a LikelihoodArgs, b int) {
	checkRows(op, "Weight", a.Weight, b)
	if a.Offset != nil {
		wrong(op, "Offset is of counts")
	}
}

// checkCounts checks the targets of b rows of c counts, and their constants.
func checkCounts(op string, g, a LikelihoodArgs, b, c int) {
	a.Y.want(op, "Y", Real, b, c)
	a.LogRate.want(op, "LogRate", Real, c)
	g.LogRate.want(op, "the gradient of LogRate", Real, c)
	checkRows(op, "Weight", a.Weight, b)
	checkRows(op, "Offset", a.Offset, b)
}

// checkRows checks a number for each of b rows; nil is fine.
func checkRows(op, name string, t *Tensor, b int) {
	if t != nil {
		t.wantSize(op, name, Real, b)
	}
}

// CheckGaussian checks GaussianLogLik and returns the lengths of H.
func CheckGaussian(op string, ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	s, b, c = checkLik(op, ell, g, a)
	checkNumbers(op, g, a, b, c)
	return s, b, c
}

// CheckGaussianMoments checks GaussianExpected and GaussianPredictive and returns the lengths of H, s = 1
// of one without samples.
func CheckGaussianMoments(op string, ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	s, b, c = checkMoments(op, ell, g, a)
	checkNumbers(op, g, a, b, c)
	return s, b, c
}

// checkMoments checks the moments of a likelihood and their gradients, and returns the lengths of H.
func checkMoments(op string, ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	mean := a.H
	if s = 1; mean.dtype == Double {
		mean.wantRank(op, "H", Double, 2)
	} else {
		mean.wantRank(op, "H", Real, 3)
		s = mean.shape[0]
	}
	rank := len(mean.shape)
	b, c = mean.shape[rank-2], mean.shape[rank-1]
	ell.want(op, "ell", Double, 1)
	for _, t := range [...]*Tensor{a.Variance, g.H, g.Variance} {
		t.wantSize(op, "a moment or its gradient", mean.dtype, mean.size)
	}
	return s, b, c
}

// CheckPoisson checks PoissonLogLik and returns the lengths of H.
func CheckPoisson(op string, ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	s, b, c = checkLik(op, ell, g, a)
	checkCounts(op, g, a, b, c)
	return s, b, c
}

// CheckPoissonMoments checks PoissonExpected and returns the lengths of H, s = 1 of one without samples.
func CheckPoissonMoments(ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	const op = "PoissonExpected"
	s, b, c = checkMoments(op, ell, g, a)
	checkCounts(op, g, a, b, c)
	return s, b, c
}

// CheckNegativeBinomial checks NegativeBinomialLogLik and returns the lengths of H.
func CheckNegativeBinomial(ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	const op = "NegativeBinomialLogLik"
	a.Tail.want(op, "Tail", Real, 1)
	g.Tail.want(op, "the gradient of Tail", Real, 1)
	return CheckPoisson(op, ell, g, a)
}

// CheckSoftmax checks SoftmaxLogLik and returns the lengths of H.
func CheckSoftmax(op string, ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	s, b, c = checkLik(op, ell, g, a)
	a.Y.want(op, "Y", Int, b)
	checkWeight(op, a, b)
	return s, b, c
}

// CheckOrdinal checks OrdinalLogLik and returns the lengths of H, and the number of cut points.
func CheckOrdinal(ell *Tensor, g, a LikelihoodArgs) (s, b, cuts int) {
	const op = "OrdinalLogLik"
	s, b, _ = CheckSoftmax(op, ell, g, a)
	a.H.want(op, "H", Real, s, b, 1)
	a.Cuts.wantRank(op, "Cuts", Real, 1)
	g.Cuts.wantSize(op, "the gradient of Cuts", Real, a.Cuts.size)
	return s, b, a.Cuts.size
}

// CheckBernoulli checks BernoulliLogLik and returns the lengths of H.
func CheckBernoulli(ell *Tensor, g, a LikelihoodArgs) (s, b int) {
	const op = "BernoulliLogLik"
	s, b, _ = CheckSoftmax(op, ell, g, a)
	a.H.want(op, "H", Real, s, b, 1)
	return s, b
}

// CheckStudent checks StudentLogLik and returns the lengths of H.
func CheckStudent(ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	const op = "StudentLogLik"
	a.Tail.want(op, "Tail", Real, 1)
	g.Tail.want(op, "the gradient of Tail", Real, 1)
	return CheckGaussian(op, ell, g, a)
}

// CheckHeteroscedastic checks HeteroscedasticLogLik and returns the lengths of H, with c of Y.
func CheckHeteroscedastic(ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	const op = "HeteroscedasticLogLik"
	s, b, c = checkLik(op, ell, g, a)
	a.H.want(op, "H", Real, s, b, c/2*2)
	checkNumbers(op, g, a, b, c/2)
	return s, b, c / 2
}
