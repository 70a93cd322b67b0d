// Package model is the paper: GP-DRF, a first layer of sparse variational Gaussian processes followed by deep
// random-feature layers, and its two halves as baselines, GP and DRF.
//
// The joint (our_full_lik) is P(F|θ_k) P(W) P(Ω|Λ) Π_n P(y_n | G(F_n; W, Ω, θ_o), θ_l), where each layer of G replaces
// a Gaussian process (deepgp_lth) by a linear function of random features. The variational density (inf_q) factorises
// into q(W), q(Ω) and ∫ P(F|F̄) q(F̄) dF̄. Training maximises elbo:
//
//	ELBO = Σ_n E_q log P(y_n | G(F_n)) − KL(q(W,Ω,F̄) ‖ P(W,Ω,F̄))
//
// A step is read from top to bottom in elbo.go: (*Model).Gradient calls the layers' forward, the likelihood, the KL
// terms and the layers' backward. The model holds no numbers except one flat parameter vector (params.go) and knows no
// backend: everything runs through device.Device.
package model
