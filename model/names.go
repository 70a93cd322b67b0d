package model

import "fmt"

// Names of parameters of the GP layer that are looked up: those of kernels by readers of a model.
const (
	GPLogAlpha = "gp.log_alpha" // log α_j
	GPMixLogit = "gp.mix_logit" // logits of the weights of two kernels
	GPMapLogit = "gp.map_logit" // logits of ω, the weights of feature maps
	GPLogSigma = "gp.log_sigma" // log σ of feature maps
	gpMeans    = "gp.q_mu"      // μ_j
	gpFactors  = "gp.q_sqrt"    // S_j
)

// Names of the parameters of q of a DRF layer, after drfName's prefix.
const (
	drfMeanOmega   = "mean_omega"
	drfLogVarOmega = "logvar_omega"
	drfMeanW       = "mean_w"
	drfLogVarW     = "logvar_w"
	drfLowerW      = "lower_w"
)

func drfName(layer int, name string) string { return fmt.Sprintf("drf.%d.%s", layer, name) }

// GPLogLength returns the name of the length-scales of a kernel of vectors, 0 or 1, of the GP layer.
func GPLogLength(kernel int) string {
	if kernel > 0 {
		return fmt.Sprintf("gp.log_lengthscale_%d", kernel+1)
	}
	return "gp.log_lengthscale"
}

// DRFLogLength returns the name of the length-scales of a DRF layer.
func DRFLogLength(layer int) string { return drfName(layer, "log_lengthscale") }
