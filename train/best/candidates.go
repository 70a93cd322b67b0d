package best

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// manyRows is the number of rows above which a search tries more inducing points.
const manyRows = 2000

// variants returns the options to try for each kind of rows, in addition to the user's own. If there is time for few,
// the first ones are tried. The predictive objective, low weights of the KL terms and var-fixed are no bounds, and may
// memorise; the rows that are held out show that.
func variants(ds *data.Dataset) (all [][]string) {
	switch {
	case ds.Gram != nil: // such a kernel has no length-scales
		all = [][]string{{"model=gpdrf"}, {"model=gp"}, {"model=gpdrf", "features=20"}}
	case ds.Sequences != nil:
		features := "features=100" // the default is 20 for classes, and 100 for a regression
		if ds.Task == data.Regression {
			features = "features=20"
		}
		all = [][]string{
			{"model=gpdrf"}, {"model=gp"}, {"model=gpdrf", features}, {"model=gpdrf", "lengthscales=isotropic"},
		}
	case ds.Task == data.Classification:
		all = [][]string{
			{"model=gpdrf"}, {"model=gpdrf", "kl-weight=0.3"}, {"model=gpdrf", "kl-weight=0.1"},
			{"model=gpdrf", "spectra=var-fixed"}, {"model=gp"}, {"model=drf"}, {"model=gpdrf", "kernel=matern32"},
			{"model=gp", "kernel=matern12"}, {"model=gp", "kernel=rbf+matern12"},
			{"model=gpdrf", "spectra=prior-fixed"},
			{"model=drf", "spectra=var-fixed"}, {"model=drf", "features-kernel=matern32"},
			{"model=gpdrf", "kernel=matern32", "features-kernel=matern32"},
		}
		if len(ds.Classes) == 2 {
			all = append(all, []string{"model=gpdrf", "likelihood=bernoulli"})
		}
	default:
		all = [][]string{
			{"model=gpdrf"}, {"model=gp", "kernel=matern32", "likelihood=student-t"},
			{"model=gpdrf", "objective=predictive"}, {"model=gpdrf", "objective=elbo"},
			{"model=gpdrf", "objective=predictive", "kl-weight=0.3"},
			{"model=gpdrf", "spectra=var-fixed"}, {"model=gp", "objective=predictive"},
			{"model=gpdrf", "kernel=matern32", "likelihood=student-t"}, {"model=gp"},
			{"model=drf", "features-kernel=matern32"}, {"model=gpdrf", "likelihood=student-t"},
			{"model=gpdrf", "likelihood=heteroscedastic"}, {"model=gp", "kernel=matern32"},
			{"model=gpdrf", "kernel=matern32"}, {"model=gpdrf", "spectra=prior-fixed"}, {"model=drf"},
			{"model=gp", "kernel=rbf+matern12"}, {"model=gpdrf", "kernel=matern32", "features-kernel=matern32"},
		}
	}
	if ds.N() > manyRows && ds.Sequences == nil && ds.Gram == nil {
		all = append(all, []string{"model=gpdrf", "inducing=500"})
	}
	return all
}

// Candidate is one setting of the options that a search tries.
type Candidate struct {
	Name    string            `json:"name"`    // distinctive options in words
	Options []options.Setting `json:"options"` // options in addition to the user's
	Trials  []Trial           `json:"trials"`
	Weight  float64           `json:"weight,omitempty"` // weight in the ensemble
	Refit   *Trial            `json:"refit,omitempty"`  // training on all rows
}

// candidatesFor returns the candidates for the rows that agree with the user's options. An option that the user gave is
// the same in all. If no candidate agrees, the error tells which options exclude all.
func candidatesFor(ds *data.Dataset, given []options.Setting) (all []Candidate, err error) {
	for _, variant := range variants(ds) {
		c := candidate(variant, given)
		if c == nil || slices.ContainsFunc(all, func(other Candidate) bool { return other.Name == c.Name }) {
			continue
		}
		if _, wrong := c.config(given); wrong != nil {
			err = wrong
			continue
		}
		if !c.repeats(ds, given) {
			all = append(all, *c)
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	only := Candidate{Name: "as given"}
	if _, err := only.config(given); err != nil {
		return nil, err
	}
	return []Candidate{only}, nil
}

// repeats reports whether a candidate sets the objective that is the rows' default.
func (c *Candidate) repeats(ds *data.Dataset, given []options.Setting) bool {
	if !slices.ContainsFunc(c.Options, func(o options.Setting) bool { return o.Key == "objective" }) {
		return false
	}
	own, err := c.config(given)
	if err != nil {
		return false
	}
	fit, _, err := own.ResolveFor(context.Background(), ds)
	return err == nil && fit.KLWeight == 1 && fit.ObjectiveOf(ds) == own.Objective
}

// seedCandidates returns candidates with equal weights: one setting with K seeds, from the user's seed on. Each trains
// for as long as a single model.
func seedCandidates(base options.Config, given []options.Setting) (all []Candidate) {
	length := givenLengths(given)
	for k := range base.Ensemble {
		seed := strconv.FormatUint(base.Seed+uint64(k), 10)
		own := []options.Setting{
			{Key: "seed", Text: seed, From: "ensemble"}, {Key: "ensemble", Text: "1", From: "ensemble"},
		}
		all = append(all, Candidate{Name: "seed " + seed, Weight: 1 / float64(base.Ensemble),
			Options: append(own, length...)})
	}
	return all
}

// givenLengths returns the steps or epochs that the user gave.
func givenLengths(given []options.Setting) (all []options.Setting) {
	for _, g := range given {
		if options.IsLength(g.Key) && g.Key != "time-limit" {
			all = append(all, g)
		}
	}
	return all
}

// candidate combines a variant with the user's options; the result is nil if they contradict each other.
func candidate(variant []string, given []options.Setting) *Candidate {
	c := &Candidate{}
	var words []string
	for _, pair := range variant {
		key, text, _ := strings.Cut(pair, "=")
		at := slices.IndexFunc(given, func(g options.Setting) bool { return g.Key == key })
		if at >= 0 && given[at].Text != text {
			return nil
		}
		if at >= 0 && key != "model" {
			continue
		}
		c.Options = append(c.Options, chosen(key, text))
		switch key {
		case "model", "kernel", "likelihood", "spectra", "objective":
			words = append(words, text)
		case "features-kernel":
			words = append(words, "features "+text)
		default:
			words = append(words, key+" "+text)
		}
	}
	c.Name = strings.Join(words, ", ")
	return c
}

// config resolves the candidate's options with the user's options and more of the search. It leaves out options that
// the candidate's model does not have, unless the user gave this model.
func (c *Candidate) config(given []options.Setting, more ...options.Setting) (options.Config, error) {
	isModel := func(o options.Setting) bool { return o.Key == "model" }
	modelGiven := slices.ContainsFunc(given, isModel) || !slices.ContainsFunc(c.Options, isModel)
	own := slices.DeleteFunc(slices.Clone(given), func(g options.Setting) bool {
		o := options.Find(g.Key)
		foreign := !modelGiven && o != nil && (!o.Applies(c.model()) || g.Key == "kernel" && c.model() == model.DRF)
		same := slices.ContainsFunc(c.Options, func(o options.Setting) bool { return o.Key == g.Key })
		return options.IsLength(g.Key) || g.Key == "preset" && g.Text == options.Best || same || foreign
	})
	return options.Resolve(slices.Concat(own, c.Options), more)
}

// model returns the candidate's kind of model.
func (c *Candidate) model() string {
	for _, o := range c.Options {
		if o.Key == "model" {
			return o.Text
		}
	}
	return model.GPDRF
}
