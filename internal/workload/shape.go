// Package workload holds training steps of known size on synthetic rows, and times them and each of
// their operations, for `gpdrf-gpu bench` and the comparisons with other libraries.
package workload

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Size is the size of a training step. Unless it is Light it is the paper's model: each latent
// function with its own length-scales, full covariance, sampled weights and frequencies, and
// nothing fed forward.
type Size struct {
	D int `json:"D"`           // inputs; 0 of sequences
	I int `json:"I,omitempty"` // feature maps of sequences; 0: rows are vectors
	J int `json:"J"`           // latent functions
	M int `json:"M"`           // inducing points
	// DRF layers; 0 is a GP alone, with a latent function for each output
	L       int  `json:"L"`
	Hidden  int  `json:"d"`                // width between two of them
	R       int  `json:"R"`                // frequencies of each
	B       int  `json:"B"`                // rows
	S       int  `json:"S"`                // samples
	Classes int  `json:"classes"`          // 0: regression
	Shared  bool `json:"shared,omitempty"` // one kernel for all latent functions
	// Light is the form that `gpdrf-gpu train` has without options: one kernel, diagonal
	// covariance, frozen spectra, local reparameterisation, fed forward.
	Light bool `json:"light,omitempty"`
	// Integrated is set where W and Ω of the DRF layers are integrated in closed form, not drawn.
	Integrated bool `json:"integrated,omitempty"`
	// Steps is set where every step computes the distances between sequences, in place of a table.
	Steps bool `json:"steps,omitempty"`
}

// presets is the table of steps. bench/peers/steps.py has those of vectors, too.
var presets = map[string]Size{
	"mnist":       {D: 784, J: 50, M: 200, L: 2, Hidden: 50, R: 500, B: 1000, S: 10, Classes: 10},
	"mnist-small": {D: 784, J: 50, M: 200, L: 1, Hidden: 50, R: 500, B: 200, S: 10, Classes: 10},
	"protein":     {D: 9, J: 16, M: 500, L: 1, Hidden: 16, R: 500, B: 500, S: 10},
	"protein-gp":  {D: 9, J: 1, M: 500, B: 500, S: 1},
	"powerplant":  {D: 4, J: 8, M: 200, L: 1, Hidden: 8, R: 200, B: 256, S: 1, Light: true},
	"sequences":   {I: 1, J: 8, M: 500, L: 1, Hidden: 8, R: 200, B: 256, S: 1, Classes: 7, Light: true},
}

// The features of proteins under double:1,5: the number of columns, and of those in a sequence.
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
	return s, nil
}

// largest is the largest of every size: products of them stay within an int.
const largest = 1 << 16

// With returns the size with some fields changed: "S=100,B=500,shared".
func (n Size) With(changes string) (Size, error) {
	sizes := map[string]*int{"D": &n.D, "J": &n.J, "M": &n.M, "L": &n.L, "d": &n.Hidden, "R": &n.R,
		"B": &n.B, "S": &n.S}
	switches := map[string]*bool{"shared": &n.Shared, "integrated": &n.Integrated}
	write := "D, J, M, L, d, R, B or S with a number, as in S=100,B=500, or shared or integrated"
	if n.I > 0 {
		delete(sizes, "D")
		sizes["I"], switches["steps"] = &n.I, &n.Steps
		write = "I, J, M, L, d, R, B or S with a number, as in I=2,B=500, or shared, integrated or steps"
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
	add(n.Light, "light")
	add(n.Integrated, "integrated")
	add(n.Steps, "steps")
	return text[1:]
}

// Validate returns an error if the sizes make no model.
func (n Size) Validate() error {
	c := n.config()
	return c.Validate()
}

// config returns the configuration of the model of a size.
func (n Size) config() model.Config {
	c := model.Config{
		Model: model.GPDRF, Inputs: n.D, Outputs: 1, Likelihood: model.GaussianLikelihood,
		Latents: n.J, Inducing: n.M, Lengthscales: model.ARD, QCov: model.Full, Whiten: true, LearnInducing: true,
		Layers: n.L, Features: n.R, Hidden: n.Hidden, Spectra: model.VarResampled + model.EachSample, Samples: n.S,
	}
	for range n.I {
		c.Maps, c.LearnInducing = append(c.Maps, model.MapRBF), false
	}
	if n.Classes > 0 {
		c.Outputs, c.Likelihood = n.Classes, model.SoftmaxLikelihood
	}
	if n.L == 0 {
		c.Model, c.Latents = model.GP, c.Outputs
	}
	if n.Shared || n.Light {
		c.Lengthscales = model.Shared
	}
	if n.Light {
		c.QCov, c.FeedForward = model.Diagonal, true
		c.Spectra, c.LocalReparam = model.VarFixed, true
	}
	if n.Integrated {
		c.Spectra, c.LocalReparam = model.VarIntegrated, false
	}
	return c
}
