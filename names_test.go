package gpdrf_test

import (
	"slices"
	"testing"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// The constants are all values of the options.
func TestConstants(t *testing.T) {
	checkNames(t, options.Find("model").Values, gpdrf.ModelGPDRF, gpdrf.ModelGP, gpdrf.ModelDRF)
	checkNames(t, options.Find("preset").Values, gpdrf.PresetDefault, gpdrf.PresetBest, gpdrf.PresetPaper)
	checkNames(t, options.Find("likelihood").Values, "auto", gpdrf.LikelihoodGaussian, gpdrf.LikelihoodStudentT,
		gpdrf.LikelihoodHeteroscedastic, gpdrf.LikelihoodPoisson, gpdrf.LikelihoodNegativeBinomial,
		gpdrf.LikelihoodLogNormal, gpdrf.LikelihoodSoftmax, gpdrf.LikelihoodBernoulli, gpdrf.LikelihoodOrdinal)
	checkNames(t, options.Find("objective").Values, gpdrf.ObjectiveAuto, gpdrf.ObjectiveELBO,
		gpdrf.ObjectivePredictive)
	checkNames(t, predict.Acquisitions(), gpdrf.AcquisitionEI, gpdrf.AcquisitionUCB, gpdrf.AcquisitionThompson,
		gpdrf.AcquisitionVariance, gpdrf.AcquisitionBALD)
}

func checkNames[T ~string](t *testing.T, want []string, names ...T) {
	if !slices.EqualFunc(names, want, func(name T, value string) bool { return string(name) == value }) {
		t.Errorf("%q, expected %q", names, want)
	}
}
