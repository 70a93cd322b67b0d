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
	inducing *seq.InducingSequences

	train, validation *model.SequenceFeatures // nil before countFeatures
}

// featurizer returns the Featurizer of a model of the sequences.
func (s *sequences) featurizer() fitted.Featurizer {
	return fitted.Featurizer{Codebook: s.codebook, Inducing: s.inducing}
}

// withRows returns a copy with the same X̄ and the features of other training rows.
func (s *sequences) withRows(ctx context.Context, ds *data.Dataset) *sequences {
	other := *s
	other.train = s.featurizer().SharedFeatures(ctx, ds)
	return &other
}

// hasDistances reports whether the model needs distances between sequences and X̄ under feature maps.
func (s *spec) hasDistances() bool {
	return s.train.Sequences != nil && s.train.Gram == nil && s.config.Model != model.DRF
}

// choosing is the text for the Reporter during the choice of X̄.
const choosing = "choosing inducing points"

// chooseInducing chooses X̄, once.
func (s *spec) chooseInducing(ctx context.Context) (*sequences, error) {
	if s.sequences != nil {
		return s.sequences, nil
	}
	c := s.config
	chosen := &sequences{}
	var err error
	if chosen.codebook, chosen.set, err = c.FitCodebook(s.progressContext(ctx, "codebook"), s.train); err != nil {
		return nil, err
	}
	_, spec := c.Kernels()
	choice := seq.InducingOptions{Method: c.InducingInit, M: c.Inducing, Seed: c.Seed}
	chosen.rows, err = seq.ChooseInducing(s.progressContext(ctx, choosing), spec, chosen.set.Sequences, choice)
	if err != nil {
		return nil, options.SpecError(ctx, err)
	}
	if chosen.inducing, err = seq.NewInducingSequences(s.progressContext(ctx, "features of the inducing points"), spec,
		chosen.set.Sequences, chosen.rows); err != nil {
		return nil, options.SpecError(ctx, err)
	}
	s.sequences = chosen
	return chosen, nil
}

// countFeatures counts, once, the features of the training rows and of the validation rows that this rank evaluates.
func (s *spec) countFeatures(ctx context.Context) (*sequences, error) {
	chosen, err := s.chooseInducing(ctx)
	if err != nil || chosen.train != nil {
		return chosen, err
	}
	featurizer := chosen.featurizer()
	if s.validation != nil {
		rows, part := s.evaluationRows()
		chosen.validation = featurizer.SharedFeatures(ctx, part.Of(rows))
	}
	train := featurizer.SharedFeatures(s.progressContext(ctx, "features of the sequences"), chosen.set)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	chosen.train = train
	return chosen, nil
}

// maxMapFeatures is the largest number of values that the vectors under one map can have: 32 bits count them.
const maxMapFeatures = math.MaxInt32

// hasTooManyFeatures reports whether the vectors under some map have more than maxMapFeatures values.
func (s *sequences) hasTooManyFeatures() bool {
	return slices.ContainsFunc(s.train.Sizes, func(n int) bool { return n > maxMapFeatures })
}
