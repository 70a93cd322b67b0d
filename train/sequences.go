package train

import (
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// sequences are the training sequences of a job after the long work: X̄ is chosen, and the
// features are counted where they are needed.
type sequences struct {
	book  *seq.Codebook
	set   *data.Dataset // with the symbols of the model
	rows  []int         // X̄ among them
	basis *seq.Basis

	train, validation *model.SequenceFeatures // nil until somebody asks
}

// kind is the kind of a model's rows, the sequences.
func (s *sequences) kind() fitted.RowKind {
	return fitted.RowKind{Codebook: s.book, Basis: s.basis}
}

// among is the same X̄ with the features of other rows than those of training.
func (s *sequences) among(ctx context.Context, ds *data.Dataset) *sequences {
	other := *s
	other.train = s.kind().Shared(ctx, ds)
	return &other
}

// hasDistances reports whether the run compares sequences with X̄ by feature maps.
func (j *Job) hasDistances() bool {
	return j.Train.Sequences != nil && j.Train.Kernel == nil && j.Config.Model != model.DRF
}

// choosing is the text for a Reporter while X̄ is chosen.
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
	choice := seq.Choice{Method: c.InducingInit, M: c.Inducing, Sigma: greedySigma, Seed: c.Seed}
	if s.rows, err = seq.Choose(j.doing(ctx, choosing), spec, s.set.Sequences, choice); err != nil {
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
		s.validation = kind.Shared(ctx, part.Of(rows))
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

// tooMany reports whether there are more under some map.
func (s *sequences) tooMany() bool {
	return slices.ContainsFunc(s.train.Sizes, func(n int) bool { return n > mostFeatures })
}
