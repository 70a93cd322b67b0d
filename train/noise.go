package train

import "math"

// NoiseVariance is σ² of the Gaussian likelihood, in training-sd units squared: the aleatoric part of
// every predictive variance. The rest is epistemic, also where a GP's prediction is a single
// normal whose variance holds both.
func (t *Trained) NoiseVariance() float64 {
	for _, n := range t.Named {
		if n.Name == "likelihood.log_variance" {
			return math.Exp(n.Data[0])
		}
	}
	panic("train: a classification has no noise variance")
}
