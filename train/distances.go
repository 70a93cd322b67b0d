package train

import (
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// sequences are the training sequences of a job after what takes long: X̄ is chosen, and the
// features are counted where they are needed.
type sequences struct {
	book  *seq.Codebook
	set   *data.Dataset // with the symbols of the model
	rows  []int         // X̄ among them
	basis *seq.Basis

	train, held *model.Vectors // nil until somebody asks
}

// kind is what a row is to a model of them.
func (s *sequences) kind() fitted.Sequences {
	return fitted.Sequences{Codes: fitted.Codes{Codebook: s.book}, Basis: s.basis}
}

// hasDistances says whether the run compares sequences with X̄ by feature maps.
func (j *Job) hasDistances() bool {
	return j.Train.Sequences != nil && j.Train.Kernel == nil && j.Config.Model != model.DRF
}

// choosing is what a Reporter hears while X̄ is chosen.
const choosing = "choosing inducing points"

// choose chooses X̄, once.
func (j *Job) choose(ctx context.Context) (*sequences, error) {
	if j.sequences != nil {
		return j.sequences, nil
	}
	c, s := j.Config, &sequences{}
	var err error
	if s.book, s.set, err = c.LearnCodebook(j.doing(ctx, "codebook"), j.Train); err != nil {
		return nil, err
	}
	_, spec := c.Kernels()
	if s.rows, err = seq.Choose(j.doing(ctx, choosing), c.InducingInit, spec, s.set.Sequences,
		c.Inducing, greedySigma, c.Seed); err != nil {
		return nil, options.SpecError(ctx, err)
	}
	if s.basis, err = seq.NewBasis(j.doing(ctx, "features of the inducing points"), spec,
		s.set.Sequences, s.rows); err != nil {
		return nil, options.SpecError(ctx, err)
	}
	j.sequences = s
	return s, nil
}

// survey counts the features, once: of the training rows, and of the validation rows that this rank
// evaluates.
func (j *Job) survey(ctx context.Context) (*sequences, error) {
	s, err := j.choose(ctx)
	if err != nil || s.train != nil {
		return s, err
	}
	kind := s.kind()
	if j.Validation != nil {
		rows, part := j.evaluated()
		s.held = kind.Shared(ctx, part.Of(rows))
	}
	train := kind.Shared(j.doing(ctx, "features of the sequences"), s.set)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.train = train
	return s, nil
}

// mostFeatures is how many numbers the vectors under one map can have, which 32 bits count.
const mostFeatures = math.MaxInt32

// tooMany says whether there are more under some map.
func (s *sequences) tooMany() bool {
	return slices.ContainsFunc(s.train.Sizes, func(n int) bool { return n > mostFeatures })
}

// measureAs measures a run where so many bytes are free: with a table of distances where the run
// fits with it, with features in its place where it fits with those, and else with the smaller of
// the two.
func (j *Job) measureAs(ctx context.Context, c *options.Config, free int64, known bool) (*memory.Plan, error) {
	measure := func(train, held *model.Vectors) (*memory.Plan, error) {
		p, err := j.measure(c, false, sized(train, c.Inducing), sized(held, c.Inducing))
		if err == nil && known {
			p.Free = &free
		}
		return p, err
	}
	table, err := measure(nil, nil)
	if err != nil || !j.hasDistances() {
		return table, err
	}
	table.Distances = &memory.Distances{In: memory.InTable, Table: table.Sum("set.d")}
	if j.distances == memory.InTable || j.distances == "" && table.Fits() {
		return table, nil
	}
	s, err := j.survey(ctx)
	if err != nil {
		return nil, err
	}
	if s.tooMany() {
		return table, nil
	}
	steps, err := measure(s.train, s.held)
	if err != nil {
		return nil, err
	}
	table.Distances.Features = steps.Sum("set.vectors")
	if j.distances == "" && !steps.Fits() && table.Total <= steps.Total {
		return table, nil
	}
	steps.Distances = &memory.Distances{In: memory.InSteps, Table: table.Distances.Table,
		Features: table.Distances.Features}
	return steps, nil
}

// sized are the sizes of v for a dry device where m inducing points are chosen, at most as many as
// v has; nil of nil.
func sized(v *model.Vectors, m int) *model.Vectors {
	if v == nil {
		return nil
	}
	some := &model.Vectors{Sizes: v.Sizes}
	for _, x := range v.Inducing {
		x.Square = x.Square[:min(m, len(x.Square))]
		some.Inducing = append(some.Inducing, x)
	}
	return some
}
