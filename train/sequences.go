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

// sequences are the training sequences of a job with X̄ and, if they are needed, their features.
type sequences struct {
	codebook *seq.Codebook
	set      *data.Dataset // training rows, with the symbols of the model
	rows     []int         // numbers of the rows of set that are X̄
	basis    *seq.Basis

	train, validation *model.SequenceFeatures // nil before countFeatures
}

// kind is the RowKind of a model of the sequences.
func (s *sequences) kind() fitted.RowKind {
	return fitted.RowKind{Codebook: s.codebook, Basis: s.basis}
}

// withRows is a copy with the same X̄ and the features of other training rows.
func (s *sequences) withRows(ctx context.Context, ds *data.Dataset) *sequences {
	other := *s
	other.train = s.kind().Shared(ctx, ds)
	return &other
}

// hasDistances reports whether the model needs distances between sequences and X̄ under feature maps.
func (j *Job) hasDistances() bool {
	return j.Train.Sequences != nil && j.Train.Kernel == nil && j.Config.Model != model.DRF
}

// choosing is the text for the Reporter during the choice of X̄.
const choosing = "choosing inducing points"

// chooseInducing chooses X̄, once.
func (j *Job) chooseInducing(ctx context.Context) (*sequences, error) {
	if j.sequences != nil {
		return j.sequences, nil
	}
	c, s := j.Config, &sequences{}
	var err error
	if s.codebook, s.set, err = c.LearnCodebook(j.progressContext(ctx, "codebook"), j.Train); err != nil {
		return nil, err
	}
	_, spec := c.Kernels()
	choice := seq.Choice{Method: c.InducingInit, M: c.Inducing, Sigma: greedySigma, Seed: c.Seed}
	if s.rows, err = seq.Choose(j.progressContext(ctx, choosing), spec, s.set.Sequences, choice); err != nil {
		return nil, options.SpecError(ctx, err)
	}
	if s.basis, err = seq.NewBasis(j.progressContext(ctx, "features of the inducing points"), spec,
		s.set.Sequences, s.rows); err != nil {
		return nil, options.SpecError(ctx, err)
	}
	j.sequences = s
	return s, nil
}

// countFeatures counts, once, the features of the training rows and of the validation rows that this rank evaluates.
func (j *Job) countFeatures(ctx context.Context) (*sequences, error) {
	s, err := j.chooseInducing(ctx)
	if err != nil || s.train != nil {
		return s, err
	}
	kind := s.kind()
	if j.Validation != nil {
		rows, part := j.evaluationRows()
		s.validation = kind.Shared(ctx, part.Of(rows))
	}
	train := kind.Shared(j.progressContext(ctx, "features of the sequences"), s.set)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.train = train
	return s, nil
}

// mostFeatures is the largest number of values that the vectors under one map can have: 32 bits count them.
const mostFeatures = math.MaxInt32

// hasTooManyFeatures reports whether the vectors under some map have more than mostFeatures values.
func (s *sequences) hasTooManyFeatures() bool {
	return slices.ContainsFunc(s.train.Sizes, func(n int) bool { return n > mostFeatures })
}
