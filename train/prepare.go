package train

import (
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// prepareInputs does what the training rows need before they can be uploaded: X̄ is chosen among
// them, or the features of sequences are projected.
func (t *trainer) prepareInputs(ctx context.Context) (err error) {
	c, ds := t.Config, t.Train
	switch {
	case ds.Kernel != nil:
		t.trained.Kind, t.init.Sigma = fitted.Gram{Own: ds.Kernel.Own, M: ds.Kernel.M}, []float64{1}
		t.Reporter.Note("the kernel of --gram with %d inducing points, scaled to k(x, x) = 1", ds.Kernel.M)
		return nil
	case ds.Sequences != nil && c.Model == model.DRF:
		var p fitted.Projected
		if p.Codebook, ds, err = c.LearnCodebook(t.doing(ctx, "codebook"), ds); err != nil {
			return err
		}
		_, spec := c.Kernels()
		if p.Projection, err = seq.NewProjection(t.doing(ctx, "features of the sequences"), spec,
			c.Projection, ds.Sequences, c.Seed); err != nil {
			return options.SpecError(ctx, err)
		}
		t.trained.Kind = p
		t.Reporter.Note("feature maps %s, projected to %d inputs", spec, c.Projection)
	case ds.Sequences != nil:
		if err := t.useSequences(ctx); err != nil {
			return err
		}
	case c.Model != model.DRF && t.From == nil: // a run that goes on has its X̄ already
		length := math.Sqrt(float64(ds.D())) * gpFactor(c)
		t.init.InducingPoints, err = inducingPoints(ctx, c.InducingInit, t.trained.Inputs(ctx, ds),
			ds.N(), ds.D(), c.Inducing, length, c.Seed, func(share float64) { t.Reporter.Doing(choosing, share) })
		return err
	}
	if warning := t.trained.Empty(ctx, ds); warning != "" {
		t.Reporter.Note("warning: %s", warning)
	}
	return nil
}

// greedySigma is the width of the kernel for the greedy choice of X̄, for distances that are 2 at
// most.
const greedySigma = 0.7

// useSequences starts from X̄ among the training sequences.
func (t *trainer) useSequences(ctx context.Context) error {
	find := t.choose
	if t.inSteps {
		find = t.survey
	}
	s, err := find(ctx)
	if err != nil {
		return err
	}
	t.trained.Kind = s.kind()
	for _, r := range s.rows {
		t.init.InducingPoints = append(t.init.InducingPoints, t.trained.Scaler.Rows(s.set.X, r, r+1)...)
	}
	t.init.Sigma = sigmas(s.basis, gpFactor(t.Config))
	t.Reporter.Note("feature maps %s; %d inducing points among the training sequences (%s)",
		s.basis.Spec, len(s.rows), t.Config.InducingInit)
	return nil
}

// sigmas are where the σ of each kernel between sequences start, from the medians of squared
// distances.
func sigmas(basis *seq.Basis, factor float64) []float64 {
	s := basis.Medians()
	for i, m := range s {
		s[i] = factor * math.Sqrt(m)
	}
	return s
}

// classRows is how many rows each class has; nil where targets are numbers.
func classRows(ds *data.Dataset) []int {
	if ds.Task != data.Classification {
		return nil
	}
	rows := make([]int, len(ds.Classes))
	for _, label := range ds.Labels {
		rows[label]++
	}
	return rows
}
