// Package workload holds training steps of known size on synthetic rows, and times them, for
// `gpdrf-gpu bench` and the comparisons with other libraries.
package workload

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/step"
)

// Size is the size of a training step. Unless it has Defaults it is the paper's model: each latent function with
// separate length-scales, full covariance, sampled weights and frequencies, and nothing fed forward.
type Size struct {
	N int `json:"N,omitempty"` // number of training rows, if more than B
	D int `json:"D"`           // number of inputs; 0 for sequences
	I int `json:"I,omitempty"` // number of feature maps of sequences; 0: rows are vectors
	J int `json:"J"`           // number of latent functions
	M int `json:"M"`           // number of inducing points
	// DRF layers; 0 is a GP alone, with a latent function for each output
	L       int  `json:"L"`
	Hidden  int  `json:"d"`                // width between two DRF layers
	R       int  `json:"R"`                // number of frequencies of a DRF layer
	B       int  `json:"B"`                // number of rows of a batch
	S       int  `json:"S"`                // number of samples
	Classes int  `json:"classes"`          // number of classes; 0: regression
	Shared  bool `json:"shared,omitempty"` // one kernel for all latent functions
	// Defaults is set for the model and the objective of a training without options on N such rows.
	Defaults bool `json:"defaults,omitempty"`
	// Integrated is set where W and Ω of the DRF layers are integrated in closed form, not drawn.
	Integrated bool `json:"integrated,omitempty"`
	// Steps is set where every step computes the distances between sequences, in place of a table.
	Steps bool `json:"steps,omitempty"`
}

// presets is the table of steps. bench/peers/steps.py has the steps of the paper's model, too. The other two steps have
// the rows of powerplant and scop; package options has their sizes.
var presets = map[string]Size{
	"mnist":       {D: 784, J: 50, M: 200, L: 2, Hidden: 50, R: 500, B: 1000, S: 10, Classes: 10},
	"mnist-small": {D: 784, J: 50, M: 200, L: 1, Hidden: 50, R: 500, B: 200, S: 10, Classes: 10},
	"protein":     {D: 9, J: 16, M: 500, L: 1, Hidden: 16, R: 500, B: 500, S: 10},
	"protein-gp":  {D: 9, J: 1, M: 500, B: 500, S: 1},
	"powerplant":  {N: 9469, D: 4, Defaults: true},
	"sequences":   {N: 2575, I: 1, Classes: 7, Defaults: true},
}

// The features of proteins under double:1,5: the number of columns, and the number of columns that a sequence has.
const (
	sequenceColumns = 2000
	sequenceEach    = 600
)

// Names lists the presets.
func Names() []string { return slices.Sorted(maps.Keys(presets)) }

// Preset returns a size by name.
func Preset(name string) (Size, error) {
	s, ok := presets[name]
	if !ok {
		return s, fmt.Errorf("preset %q is not known: use %s", name, strings.Join(Names(), ", "))
	}
	if !s.Defaults {
		return s, nil
	}
	c, m, err := s.settle()
	if err != nil {
		return s, err
	}
	s.J, s.M, s.L, s.Hidden, s.R, s.B, s.S = m.Latents, m.Inducing, m.Layers, m.Hidden, m.Features, c.Batch, m.Samples
	return s, nil
}

// largest bounds every size, so that products of sizes stay within an int.
const largest = 1 << 16

// With returns the size with some fields changed: "S=100,B=500,shared".
func (n Size) With(changes string) (Size, error) {
	sizes := map[string]*int{"D": &n.D, "J": &n.J, "M": &n.M, "L": &n.L, "d": &n.Hidden, "R": &n.R,
		"B": &n.B, "S": &n.S}
	switches := map[string]*bool{}
	write := "D, J, M, L, d, R, B or S with a number, as in S=100,B=500"
	switch {
	case n.I > 0:
		delete(sizes, "D")
		sizes["I"], switches["steps"] = &n.I, &n.Steps
		write = "I, J, M, L, d, R, B or S with a number, as in I=2,B=500, or steps"
	case !n.Defaults:
		switches["shared"], switches["integrated"] = &n.Shared, &n.Integrated
		write += ", or shared or integrated"
	}
	for change := range strings.SplitSeq(changes, ",") {
		name, value, sized := strings.Cut(strings.TrimSpace(change), "=")
		if name == "" {
			continue
		}
		if on := switches[name]; on != nil && !sized {
			*on = true
			continue
		}
		size := sizes[name]
		if size == nil || !sized {
			return n, fmt.Errorf("%q is not a size: write %s", change, write)
		}
		most := largest
		switch name {
		case "L":
			most = 255
		case "I":
			most = device.MaxMaps
		}
		v, err := strconv.Atoi(value)
		if err != nil || v < 1 || v > most {
			return n, fmt.Errorf("%s: %q is not a whole number from 1 to %d", name, value, most)
		}
		*size = v
	}
	return n, nil
}

// String formats a size for people: "D=784 J=50 …".
func (n Size) String() string {
	text := ""
	add := func(is bool, format string, args ...any) {
		if is {
			text += " " + fmt.Sprintf(format, args...)
		}
	}
	add(n.I == 0, "D=%d", n.D)
	add(n.I > 0, "I=%d", n.I)
	add(true, "J=%d M=%d B=%d S=%d", n.J, n.M, n.B, n.S)
	add(n.L > 0, "L=%d R=%d", n.L, n.R)
	add(n.L > 1, "d=%d", n.Hidden)
	add(n.Classes > 0, "classes=%d", n.Classes)
	add(n.Shared, "shared")
	add(n.Defaults, "defaults")
	add(n.Integrated, "integrated")
	add(n.Steps, "steps")
	return text[1:]
}

// Validate returns an error if the sizes make no model.
func (n Size) Validate() error {
	c, _, err := n.form()
	if err != nil {
		return err
	}
	return c.Validate()
}

// form returns the model of a size, and the options of its step.
func (n Size) form() (model.Config, step.Options, error) {
	if n.Defaults {
		return n.defaults()
	}
	c := model.Config{
		Model: model.GPDRF, Inputs: n.D, Outputs: 1, Likelihood: model.GaussianLikelihood,
		Latents: n.J, Inducing: n.M, Lengthscales: model.ARD, QCov: model.Full, Whiten: true, LearnInducing: n.I == 0,
		Layers: n.L, Features: n.R, Hidden: n.Hidden, Spectra: model.VarResampled + model.EachSample, Samples: n.S,
	}
	for range n.I {
		c.Maps = append(c.Maps, model.MapRBF)
	}
	if n.Classes > 0 {
		c.Outputs, c.Likelihood = n.Classes, model.SoftmaxLikelihood
	}
	if n.L == 0 {
		c.Model, c.Latents = model.GP, c.Outputs
	}
	if n.Shared {
		c.Lengthscales = model.Shared
	}
	if n.Integrated {
		c.Spectra = model.VarIntegrated
	}
	return c, step.Options{Seed: 1, Samples: n.S, Batch: n.B, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}, nil
}

// rows returns the number of training rows.
func (n Size) rows() int { return max(n.N, n.B) }
