package archtest

import (
	"slices"
	"strings"
	"testing"
)

// backends are the folders that implement device.Device. Each has every operation in the file that twins names, so that
// two backends are read side by side. A new backend is added here.
var backends = []string{"device/cpu", "device/gpu"}

// twins lists the file of a backend in which an operation stands, in the order of the data.
var twins = []struct{ file, operations string }{
	{"movement.go", "Gather DrawRows Widen NarrowAdd Concat ConcatBackward AddColumns"},
	{"ard.go", "ARD ARDBackward"},
	{"mix.go", "Mix MixBackward"},
	{"sparse.go", "SparseDistances SparseBlock SparseBlockBackward"},
	{"potrf.go", "Potrf PotrfBackward"},
	{"trsm.go", "Trsm TrsmBackward"},
	{"whiten.go", "Whiten WhitenBackward"},
	{"moments.go", "Moments MomentsBackward"},
	{"samplef.go", "SampleF SampleFBackward"},
	{"features.go", "FeatureScratch RandomFeatures RandomFeaturesBackward"},
	{"frequencies.go", "Frequencies FrequenciesBackward"},
	{"features_moments.go", "FeatureMoments FeatureMomentsBackward"},
	{"outputnoise.go", "AddNoise AddNoiseBackward"},
	{"likelihood_moments.go", "GaussianExpected GaussianPredictive"},
	{"likelihood.go", "GaussianLogLik SoftmaxLogLik BernoulliLogLik StudentLogLik " +
		"HeteroscedasticLogLik AddBias AddBiasBackward"},
	{"counts.go", "PoissonLogLik PoissonExpected NegativeBinomialLogLik"},
	{"ordinal.go", "OrdinalLogLik"},
	{"kl.go", "KLDiag KLInducing"},
	{"adam.go", "Adam"},
	{"natural.go", "NaturalStep"},
}

func TestTwins(t *testing.T) {
	m := load(t)
	listed := map[string]bool{}
	for _, twin := range twins {
		for _, op := range strings.Fields(twin.operations) {
			listed[op] = true
		}
	}
	ops := operations(m)
	for _, op := range ops {
		if !listed[op] {
			t.Errorf("operation %s of device.Device is in no row of twins", op)
		}
	}
	for op := range listed {
		if !slices.Contains(ops, op) {
			t.Errorf("device.Device has no operation %s", op)
		}
	}
	for _, dir := range backends {
		for _, twin := range twins {
			var there []string
			for _, f := range m.files {
				if f.path == dir+"/"+twin.file {
					there = methods(f, listed)
				}
			}
			if want := strings.Fields(twin.operations); !slices.Equal(there, want) {
				t.Errorf("%s/%s has the operations %v, expected %v in this order", dir, twin.file, there, want)
			}
		}
	}
}
