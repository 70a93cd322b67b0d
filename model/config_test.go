package model

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// A configuration may come from a file: whatever contradicts itself is refused before a tensor is made.
func TestValidate(t *testing.T) {
	for _, c := range configs() {
		if err := c.Validate(); err != nil {
			t.Fatalf("%s: %v", c.testName(), err)
		}
	}
	gp := func(c *Config) {
		*c = Config{Model: GP, Inputs: 3, Outputs: 1, Likelihood: GaussianLikelihood, Samples: 1,
			Latents: 1, Inducing: 5, Lengthscales: ARD, QCov: Full}
	}
	for want, damage := range map[string]func(*Config){
		"model is":              func(c *Config) { c.Model = "cnn" },
		"temperature is 1e-200": func(c *Config) { c.Temperature = 1e-200 },
		"temperature is 1e+200": func(c *Config) { c.Temperature = 1e200 },
		"temperature is NaN":    func(c *Config) { c.Temperature = math.NaN() },
		"expected at most 32": func(c *Config) {
			c.Maps, c.LearnInducing = slices.Repeat([]string{MapRBF}, device.MaxMaps+1), false
		},
		"likelihood is":        func(c *Config) { c.Likelihood = "" },
		"inputs is 0":          func(c *Config) { c.Inputs = 0 },
		"outputs is -1":        func(c *Config) { c.Outputs = -1 },
		"samples is 0":         func(c *Config) { c.Samples = 0 },
		"offsets of classes":   func(c *Config) { c.ClassOffsets = true },
		"kernel is \"matern\"": func(c *Config) { c.Kernel = "matern" },
		"kernel is \"rbf+\"":   func(c *Config) { c.Kernel = "rbf+" },
		"or two with a +":      func(c *Config) { c.Kernel = "rbf+matern12+matern32" },
		"lengthscales is":      func(c *Config) { c.Lengthscales = "long" },
		"q_cov is":             func(c *Config) { c.QCov = "banded" },
		"latents is 0":         func(c *Config) { c.Latents = 0 },
		"inducing is 16777217": func(c *Config) { c.Inducing = 1<<24 + 1 },
		"2 latent functions":   func(c *Config) { gp(c); c.Latents = 2 },
		"spectra is":           func(c *Config) { c.Spectra = "fixed" },
		"is \"prior-fixed-all": func(c *Config) { c.Spectra = PriorFixed + AllNoise },
		"layers is 0":          func(c *Config) { c.Layers = 0 },
		"expected 1 to 255":    func(c *Config) { c.Layers = 256 },
		"features is 0":        func(c *Config) { c.Features = 0 },
		"hidden is 0":          func(c *Config) { c.Hidden = 0 },
		"latents (4) as":       func(c *Config) { c.Skip, c.Outputs = true, 5 },
		"in a model drf":       func(c *Config) { c.Model, c.Maps = DRF, []string{MapRBF} },
		"sequences cannot":     func(c *Config) { c.Maps, c.LearnInducing = []string{MapRBF}, true },
		"is \"cosine\"":        func(c *Config) { c.Maps, c.LearnInducing = []string{"cosine"}, false },
		"beside sequences": func(c *Config) {
			c.Maps, c.Kernel, c.LearnInducing = []string{MapRBF}, "rbf+rbf", false
		},
		"latents (1) as": func(c *Config) { gp(c); c.Skip = true },
	} {
		c := gpdrfConfig()
		damage(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected an error with %q", err, want)
		}
	}
}

// The configurations of these tests have each option of each model.
func TestConfigsHaveEachOption(t *testing.T) {
	seen := map[string]bool{}
	of := func(model, field string, value any) string { return fmt.Sprintf("%s: %s %v", model, field, value) }
	for _, c := range configs() {
		v := reflect.ValueOf(c)
		for i := range v.NumField() {
			seen[of(c.Model, v.Type().Field(i).Name, v.Field(i))] = true
		}
	}
	expect := func(field string, values []string, models ...string) {
		for _, model := range models {
			for _, value := range values {
				if !seen[of(model, field, value)] {
					t.Errorf("no test has %s", of(model, field, value))
				}
			}
		}
	}
	either := []string{"false", "true"}
	for _, l := range likelihoods {
		expect("Likelihood", []string{l.name}, GP, GPDRF, DRF)
	}
	expect("ClassOffsets", either, GP, GPDRF, DRF)
	for _, field := range []string{"Whiten", "LearnInducing"} {
		expect(field, either, GP, GPDRF)
	}
	expect("QCov", []string{Full, Diagonal}, GP, GPDRF)
	expect("Lengthscales", []string{ARD, Isotropic, Shared}, GP, GPDRF)
	expect("Kernel", append(Kernels()[1:], "", "matern32+rbf"), GP)
	expect("Kernel", append(Kernels(), "", "rbf+matern12"), GPDRF)
	expect("FeatureKernel", append(FeatureKernels(), ""), GPDRF, DRF)
	expect("Spectra", SpectraTreatments(), GPDRF, DRF)
	expect("WCov", []string{"", Full}, GPDRF, DRF)
	expect("Layers", []string{"1", "2"}, GPDRF, DRF)
	expect("LocalReparam", either, GPDRF, DRF)
	expect("FeedForward", either, GPDRF, DRF)
	expect("Skip", either, GPDRF)
}

// The text of each treatment says all of it.
func TestParseTreatment(t *testing.T) {
	for _, text := range SpectraTreatments() {
		got := ParseSpectraTreatment(text)
		again := got.Name
		if got.AllNoise {
			again += AllNoise
		}
		if got.EachSample {
			again += EachSample
		}
		if again != text || strings.HasSuffix(got.Name, AllNoise) || strings.HasSuffix(got.Name, EachSample) {
			t.Errorf("%s is read as %+v", text, got)
		}
	}
}
