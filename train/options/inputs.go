package options

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// ResolveFor returns the Config for the training rows. It resolves what ResolveInputs resolves, and the sizes: a
// default that is too large for the rows shrinks. Epochs become steps. A user's option that does not fit is a
// *usererror.Error. The notes list the decisions, also before an error.
func (c Config) ResolveFor(ctx context.Context, ds *data.Dataset) (resolved Config, notes []string, err error) {
	if err := c.CheckRows(ds.N()); err != nil { // before the kernel, whose choice takes its time
		return c, nil, err
	}
	if resolved, notes, err = c.ResolveInputs(ctx, ds); err != nil {
		return resolved, notes, err
	}
	more, err := resolved.resolveRows(ds.N())
	notes = append(notes, more...)
	if err != nil {
		return resolved, notes, err
	}
	more, err = resolved.resolveObjective(ds)
	return resolved, append(notes, more...), err
}

// ResolveInputs returns the Config for the kind of the training rows, vectors or sequences. It resolves the kernel, the
// method that chooses X̄, and the sizes of layers that depend on the rows.
func (c Config) ResolveInputs(ctx context.Context, ds *data.Dataset) (resolved Config, notes []string, err error) {
	if notes, err = c.resolveKernel(ctx, ds); err != nil {
		return c, nil, err
	}
	notes = slices.Concat(notes, c.resolveSkip(ds), c.resolveLengths(ds), c.resolveDepth(ds), c.resolveFeatures(ds),
		c.spectraNotes(), c.resolveWeights(ds))
	return c, notes, nil
}

// resolveKernel resolves the kernel, and the method that chooses X̄.
func (c *Config) resolveKernel(ctx context.Context, ds *data.Dataset) (notes []string, err error) {
	vectorKernels, maps := c.Kernels()
	if err := c.resolveOptions(ds); err != nil {
		return nil, err
	}
	if ds.Gram != nil {
		return nil, c.resolveGram(ds.Gram.M)
	}
	if c.Explicit("codebook") && c.Codebook != Defaults().Codebook && !hasVectors(ds) {
		return nil, c.Errorf("codebook", "%s holds no sequences of vectors: leave it out", ds.Path)
	}
	if ds.Sequences == nil {
		for _, key := range []string{"tokens", "projection"} {
			if c.Explicit(key) && c.Text(key) != Find(key).Text() {
				return nil, c.Errorf(key, "%s is read without sequences: name their column by %s, or leave it out",
					ds.Path, usererror.Flag("sequence"))
			}
		}
		if maps != nil {
			return nil, c.Errorf("kernel", "%s is for sequences, and %s holds vectors: give one of %s, or "+
				"leave it out", maps, ds.Path, strings.Join(model.Kernels(), ", "))
		}
		if vectorKernels == nil && c.Model != model.DRF {
			c.KernelSpec = model.Kernels()[0]
		}
		return nil, c.resolveInducing(InducingKMeans, InducingKMedoids)
	}
	return c.resolveSequences(ctx, ds)
}

// resolveSequences resolves the kernel of sequences, and the defaults that depend on it.
func (c *Config) resolveSequences(ctx context.Context, ds *data.Dataset) (notes []string, err error) {
	vectorKernels, maps := c.Kernels()
	book, ds, err := c.FitCodebook(ctx, ds)
	if err != nil {
		return nil, err
	}
	if book != nil && book.Letters() < c.Codebook {
		notes = append(notes, fmt.Sprintf("codebook: %d → %d, the number of different vectors",
			c.Codebook, book.Letters()))
		c.Codebook = book.Letters()
	}
	switch {
	case ds.D() == 0 && vectorKernels != nil:
		return nil, c.Errorf("kernel", "%s is a kernel of vectors, and %s holds sequences: give feature "+
			"maps, for example %s, or leave it out",
			vectorKernels[0], ds.Path, seq.Candidates(ds.Sequences)[0])
	case ds.D() > 0 && vectorKernels == nil && c.Model != model.DRF:
		vectorKernels = model.Kernels()[:1]
	case len(vectorKernels) > 1:
		return nil, c.Errorf("kernel", "%s is a sum of two kernels of vectors: with sequences there is only one",
			c.KernelSpec)
	}
	err = maps.Check(ds.Sequences.Alphabet)
	if err == nil {
		err = c.checkProjection(maps)
	}
	if err != nil {
		return nil, c.Errorf("kernel", "%v", err)
	}
	if c.Explicit("learn-inducing") && c.LearnInducing {
		return nil, c.Errorf("learn-inducing", "inducing points that are sequences cannot move: leave it out")
	}
	c.LearnInducing = false
	if err := c.resolveInducing(InducingRandom, InducingKMeans); err != nil {
		return nil, err
	}
	if maps == nil {
		var scores []string
		if maps, scores, err = c.selectMaps(ctx, ds); err != nil {
			return nil, err
		}
		notes = append(notes, scores...)
	}
	c.KernelSpec = joinKernel(vectorKernels, maps)
	return append(notes, c.sequenceDefaults(ds, vectorKernels == nil && len(maps) == 1 && maps[0].Linear)...), nil
}

// The inputs that a model makes of columns, besides Auto.
const (
	Components = "components" // principal components
	AllColumns = "all"
)

// rowsPerLength is the least number of rows for each input with which inputs have their own length-scales.
const rowsPerLength = 10

// resolveLengths resolves the sharing of length-scales: each input has one of its own if there are enough rows.
func (c *Config) resolveLengths(ds *data.Dataset) (notes []string) {
	if c.Lengthscales != Auto {
		return nil
	}
	c.Lengthscales = model.Shared
	if ds.N() < rowsPerLength*ds.D() && c.Model != model.DRF && !ds.HasRidgeFeatures() {
		c.Lengthscales = model.Common
		notes = append(notes, fmt.Sprintf("lengthscales: one for all inputs, since %s are fewer than %d for "+
			"each input", phrase.Plural(ds.N(), "row"), rowsPerLength))
	}
	return notes
}

// ForComponents returns a resolved Config for principal components of the columns, which are fewer or as many.
func (c Config) ForComponents(components *data.Dataset) Config {
	c.Columns = Components
	if !c.Explicit("lengthscales") {
		c.Lengthscales = Auto
		c.resolveLengths(components)
	}
	return c
}

// outputs returns the number of values that the likelihood reads for each row.
func (c Config) outputs(ds *data.Dataset) int {
	return model.OutputsFor(c.likelihoodOf(ds.Task), max(len(ds.Outputs()), len(ds.Classes)))
}

// maxFeatureLatents is the largest number of latent functions for the features alone: each costs time.
const maxFeatureLatents = 32

// resolveSkip sets two latent functions for each output: one that the skip adds to it, and one for the features. For
// rows of sequences, the second is not worth its cost. If a user wants fewer latent functions than outputs, there is no
// default skip.
func (c *Config) resolveSkip(ds *data.Dataset) (notes []string) {
	outputs := c.outputs(ds)
	latents, words := outputs+min(outputs, maxFeatureLatents), "one for each output, and as many for the features"
	if ds.Sequences != nil {
		latents, words = outputs, "one for each output"
	}
	switch {
	case c.Model != model.GPDRF || !c.Skip:
		return nil
	case c.Explicit("latents") && c.Latents < outputs:
		c.Skip = false
		return []string{fmt.Sprintf("skip: off, since %d latent functions are fewer than %d outputs", c.Latents,
			outputs)}
	case c.Explicit("latents") || c.Latents >= latents:
		return nil
	}
	notes = []string{fmt.Sprintf("latents: %d → %d, %s", c.Latents, latents, words)}
	c.Latents = latents
	return notes
}

// sequenceDefaults sets the preset default for sequences. Inducing points that do not move have to be more. σ starts at
// the median distance. Rows are few, so that fewer and larger steps are enough. Classes have offsets, since sequences
// are often unlike all in training. The latent functions reach the output directly: more of them than classes, and more
// than a few features, are only noise. Each of the many columns of a projection is nearly noise, and needs a long
// length-scale.
//
// The kernel of one linear map is one inner product. The matrix among the inducing points does not change then: it is
// factorised once, and rows are projected once. So more inducing points, and more and smaller steps, cost little.
// Graphs and trees are few and unlike each other: nearly all of them are inducing points.
func (c *Config) sequenceDefaults(ds *data.Dataset, oneLinearMap bool) (notes []string) {
	if c.Preset != Defaults().Preset {
		return nil
	}
	outputs := c.outputs(ds)
	title, inducing, steps, rate := "sequences", sequenceInducing, sequenceSteps, sequenceRate
	if oneLinearMap && c.Model != model.DRF {
		title, inducing, steps, rate = "sequences with one linear map", linearInducing, linearSteps, linearRate
		if ds.Sequences.Alphabet.Kind.IsGraph() {
			inducing = graphInducing
		}
	}
	all := []newDefault{{"inducing", inducing}, {"gp-lengthscale-factor", 1.0}}
	if c.Model == model.DRF {
		all = append(all, newDefault{"steps", projectedSteps},
			newDefault{"drf-lengthscale-factor", projectedLengthscale})
	} else {
		all = append(all, newDefault{"steps", steps}, newDefault{"lr", rate})
	}
	latents := max(c.Latents, outputs)
	if ds.Task == data.Classification {
		latents = outputs
		// levels have cut points in their place
		all = append(all, newDefault{"class-offsets", c.Likelihood != model.OrdinalLikelihood})
		if c.Model == model.GPDRF {
			all = append(all, newDefault{"features", sequenceFeatures})
		}
	}
	if c.Explicit("latents") {
		latents = c.Latents
	}
	all = append(all, newDefault{"latents", latents}, newDefault{"skip", latents >= outputs})
	return c.adopt("defaults for "+title+": ", all)
}

// newDefault is the value of an option by default for some rows.
type newDefault struct {
	key   string
	value any
}

// adopt sets new defaults, except where a user has given the option. The note lists those that changed.
func (c *Config) adopt(title string, all []newDefault) (notes []string) {
	var changed []string
	for _, d := range all {
		o := c.find(d.key)
		lengthGiven := d.key == "steps" && (c.Explicit("epochs") || c.Explicit("time-limit"))
		if c.Explicit(d.key) || lengthGiven || !o.Applies(c.Model) {
			continue
		}
		oldText := o.Text()
		reflect.ValueOf(o.value).Elem().Set(reflect.ValueOf(d.value))
		if o.Text() != oldText {
			changed = append(changed, d.key+" "+o.Text())
		}
	}
	if changed == nil {
		return nil
	}
	return []string{title + strings.Join(changed, ", ")}
}

const (
	sequenceInducing     = 1000
	linearInducing       = 2000
	graphInducing        = 4000
	linearSteps          = 1000
	linearRate           = 0.05
	sequenceSteps        = 700
	sequenceRate         = 0.07
	sequenceFeatures     = 20
	projectedSteps       = 4000
	projectedLengthscale = 16.0
)

// resolveGram makes the Config fit rows with a kernel of their own and m inducing points.
func (c *Config) resolveGram(m int) error {
	for _, key := range []string{"kernel", "inducing", "inducing-init", "learn-inducing"} {
		if text := c.Text(key); c.Explicit(key) && text != Auto && text != "false" && text != strconv.Itoa(m) {
			return c.Errorf(key, "%s: gram gives the kernel and its %d inducing points: leave it out", text, m)
		}
	}
	c.KernelSpec, c.Inducing, c.InducingInit, c.LearnInducing = Auto, m, Auto, false
	return nil
}

// resolveInducing resolves the method that chooses X̄. autoChoice is the method for auto; unfit is not for these rows.
func (c *Config) resolveInducing(autoChoice, unfit string) error {
	switch {
	case c.InducingInit == Auto:
		c.InducingInit = autoChoice
	case c.InducingInit == unfit && c.Explicit("inducing-init"):
		fits := map[string]string{InducingKMeans: "vectors", InducingKMedoids: "sequences"}
		return c.Errorf("inducing-init", "%s is for %s: give %s or another way",
			unfit, fits[unfit], autoChoice)
	case c.InducingInit == InducingKMeans && unfit == InducingKMeans:
		c.InducingInit = InducingKMedoids // a preset asks for k-means, and sequences have no means
	}
	return nil
}

// checkProjection refuses maps whose features model drf cannot project.
func (c Config) checkProjection(maps seq.Spec) error {
	if c.Model == model.DRF {
		return maps.Projects()
	}
	return nil
}

// candidates returns the maps of a set that the model can have.
func (c Config) candidates(set *seq.Set) []seq.Spec {
	return slices.DeleteFunc(seq.Candidates(set), func(s seq.Spec) bool { return c.checkProjection(s) != nil })
}

// selectMaps chooses the feature maps by training rows that are left out. It takes at most a quarter of a time limit.
func (c Config) selectMaps(ctx context.Context, ds *data.Dataset) (best seq.Spec, notes []string, err error) {
	targets := seq.Targets{Columns: len(ds.Outputs()), Classes: ds.Task == data.Classification, Groups: ds.Groups}
	if targets.Classes {
		targets.Columns, targets.Labels = len(ds.Classes), ds.Labels
	} else {
		scales, err := scaling.FitTargetScales(scaling.StandardTargets, ds)
		if err != nil {
			return nil, nil, err
		}
		targets.Values = scaling.Standardise(ds.Y, scales)
	}
	found, err := seq.Select(ctx, c.candidates(ds.Sequences), ds.Sequences, targets, c.Seed, c.TimeLimit)
	if err != nil {
		return nil, nil, SpecError(ctx, err)
	}
	return found.Spec, found.Notes(), nil
}

// The methods that choose the first inducing points, besides Auto: k-means for vectors, random for sequences. The paper
// says "selected randomly from X, or chosen as representatives by performing clustering on X".
const (
	InducingKMeans   = "kmeans"
	InducingRandom   = seq.ChooseRandom
	InducingKMedoids = seq.ChooseKMedoids
)

// SpecError makes a *usererror.Error of an error of package seq, unless ctx has ended.
func SpecError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &usererror.Error{Err: err}
}

// hasVectors reports whether the symbols of sequences are vectors.
func hasVectors(ds *data.Dataset) bool {
	return ds.Sequences != nil && ds.Sequences.Alphabet.OfVectors() != nil
}

// FitCodebook makes the codebook of training sequences of vectors, and replaces the vectors by its symbols. Other
// rows have no codebook, and are returned unchanged.
func (c Config) FitCodebook(ctx context.Context, ds *data.Dataset) (*seq.Codebook, *data.Dataset, error) {
	if !hasVectors(ds) {
		return nil, ds, nil
	}
	book, err := seq.FitCodebook(ctx, ds.Sequences, c.Codebook, c.Seed)
	if err != nil {
		return nil, nil, err
	}
	if c.Explicit("codebook") && book.Letters() < c.Codebook {
		return nil, nil, c.Errorf("codebook", "the training %ss have %d different vectors, fewer "+
			"than the %d of the codebook: make it smaller",
			ds.Sequences.Alphabet.Kind.Noun(), book.Letters(), c.Codebook)
	}
	return book, ds.WithSequences(book.Encode(ds.Sequences)), nil
}
