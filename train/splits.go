package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// An attempt is scored by rows that it does not see. Where a fifth of the rows are too few to choose by, attempts are
// trained several times, each time without another fifth.
const (
	heldOutFolds  = 5   // a fold scores attempts, or options.ValidationRows of many rows
	enoughHeldOut = 50  // number of rows that are enough to choose by
	heldOutBlocks = 4   // number of blocks of neighbouring sequences in a fold
	stepsOfFold   = 500 // least number of steps that sets the lengths of attempts in folds
	fullBatch     = 256 // number of rows of a full batch; attempts in folds draw no more than a run of these
)

// split is rows that train an attempt, and rows that score it.
type split struct{ train, heldOut *data.Dataset }

// splitInTurn makes splits that hold out one fold after the other, if few rows need these, and returns the number of
// steps that sets the lengths of attempts. Several folds share the time of a run under a time limit, and draw no more
// rows than a run of full batches without one. Each must have enough steps.
func (ch *objectiveChoice) splitInTurn(limited bool) (steps float64) {
	cfg, ds := ch.run.config, cmp.Or(ch.run.numbered, ch.run.train)
	for folds := foldsFor(ds); folds > 1; folds-- {
		least := 2. * stepsOfFold // the machine may become slower
		if steps = float64(cfg.Steps) / float64(folds); !limited {
			steps, least = float64(cfg.Steps)*min(1, fullBatch/float64(folds*cfg.Batch)), stepsOfFold
		}
		if steps >= least {
			ch.columns.splits = inTurn(ds.GroupedInBlocks(heldOutFolds*heldOutBlocks), folds)
			break
		}
	}
	if ch.columns.splits == nil {
		return float64(cfg.Steps)
	}
	return steps
}

// splitRows draws the rows of attempts, if there are no folds: at most the given number to train on, and others to
// score them. The error tells why there can be none: an attempt would be too short, or the remaining rows lack a class,
// are fewer than the ranks, or have equal targets.
func (ch *objectiveChoice) splitRows(ctx context.Context, most int) (err error) {
	if ch.shortSteps < minSteps {
		return fmt.Errorf("an attempt of %d steps is too short", ch.shortSteps)
	}
	cfg, in := ch.run.config, ch.columns
	if in.splits == nil {
		ds := cmp.Or(ch.run.numbered, ch.run.train)
		heldOutRows := min(float64(ds.N())/heldOutFolds, options.ValidationRows)
		trainRows := min(float64(ds.N())-heldOutRows, float64(most))
		rows, _ := ds.Sample(int(math.Round(trainRows+heldOutRows)), cfg.Seed)
		share := heldOutRows / (trainRows + heldOutRows)
		rows = rows.GroupedInBlocks(int(math.Round(heldOutBlocks / share)))
		rest, heldOut, err := data.HoldOut(rows, share, cfg.Seed)
		if err != nil {
			return err
		}
		in.splits = []split{{rest, heldOut}}
	}
	count := 0
	for i := range in.splits {
		s := &in.splits[i]
		if err := s.fitEffects(ctx, in.run.effects.CodeColumns()); err != nil {
			return err
		}
		count += s.heldOut.N()
		ch.weights = append(ch.weights, s.heldOut.Weights...)
		if err := CheckRanks(ch.run.job.ranks(), cfg, s.train.N()); err != nil {
			return err
		}
	}
	// another version of the program may have held out other rows
	ch.savedAttempts = slices.DeleteFunc(slices.Clone(ch.savedAttempts), func(a rundir.Attempt) bool {
		return a.Logs != nil && len(a.Logs) != count
	})
	return nil
}

// foldsFor returns the number of folds that have enough rows to choose by. It is 1 for rows in the order of time: only
// the last ones are like the rows to predict.
func foldsFor(ds *data.Dataset) int {
	if ds.Times != nil {
		return 1
	}
	return min(heldOutFolds, (enoughHeldOut*heldOutFolds+ds.N()-1)/ds.N())
}

// inTurn returns splits that hold out one fold after the other; nil if nothing can be learnt from the other rows, or if
// a group is most of a table.
func inTurn(rows *data.Dataset, count int) (all []split) {
	if rows.CheckSplit(heldOutFolds) != nil {
		return nil
	}
	for k := range count {
		rest, heldOut, err := data.HoldOutFold(rows, heldOutFolds, k+1)
		if err != nil || heldOut.N() > 2*rows.N()/heldOutFolds {
			return nil
		}
		all = append(all, split{rest, heldOut})
	}
	return all
}

// fitEffects fits the effects of words in the rows that train, which must not know the rows that score.
func (s *split) fitEffects(ctx context.Context, codes []int) error {
	effects, rows, err := scaling.FitEffects(ctx, s.train, codes, func(float64) {})
	if err == nil {
		s.train, s.heldOut = rows, effects.Apply(s.heldOut)
	}
	return err
}

// inTurn returns the words of a note about rows that are held out in turn.
func (in *representation) inTurn() string {
	if len(in.splits) > 1 {
		return " in turn"
	}
	return ""
}
