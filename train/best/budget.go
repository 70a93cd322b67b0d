package best

import (
	"context"
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// A search has three rounds. Each trains fewer candidates for longer than the round before. The last one trains them on
// several folds if rows are few.
const (
	rounds    = 3
	splits    = 5 // number of folds of the rows: one scores a model that is trained on the others
	finalists = 4
	// number of blocks of neighbouring sequences in a fold
	blocksInFold = 4
	// largest number of rows on which the first rounds score a candidate
	scoredRows = 1000
	// largest number of rows on which the last round scores and weighs the candidates
	stackedRows = 10000
	threeFolds  = 1500 // number of rows below which the last round takes three folds
	twoFolds    = 6000 // number of rows below which it takes two folds without a time limit
)

// maxRMSE is the largest RMSE of a model of the ensemble, as a multiple of the default's RMSE. A model with little
// spread on repeated values can win by its density, and predict the others badly.
const maxRMSE = 1.2

// stepShares are the steps of a trial in each round without a time limit, as shares of the steps of the final models.
var stepShares = [rounds]float64{1.0 / 8, 1.0 / 3, 1}

// defaultSteps is the number of steps of the final models if the user gives neither steps nor a time limit.
const defaultSteps = 5000

// The division of a time limit: the shares that are over at the ends of the rounds. The models on all rows have the
// rest, which includes their tests.
const (
	firstEndShare  = 0.12
	secondEndShare = 0.27
	minTrial       = time.Second // least time of a trial in the first round, which limits the number of candidates
	minCandidates  = 3
	// time of a trial in the first round below which no candidates are compared
	minFirstTrial = minTrial / 2
	// divisor of the steps of the default, with its attempts and without a limit: a final model takes no fewer
	finalStepsDivisor = 3
	// time limit below which there is one finalist less
	shortLimit = 2 * time.Minute
)

// The same for a long search: fewer candidates are tried, each for longer, and half of the time is for the models on
// all rows.
const (
	secondEndShareLong = 0.22
	lastEndShareLong   = 0.5
	minTrialLong       = 5 * time.Second
)

// isLong reports whether rows are so numerous that the time limit decides how good a model gets. A short trial shows
// little then, and the chosen models get better with more time.
func isLong(n int, limit time.Duration) bool { return limit > 0 && n >= threeFolds }

func (s *Search) isLong() bool { return isLong(s.Rows.N(), s.Limit) }

// endShare returns the share of the time limit that is over at the end of a round. A model on all rows takes as long as
// one of its trials in the last round, which has a trial for each fold.
func (s *Search) endShare(round int) float64 {
	switch {
	case round == 1:
		return firstEndShare
	case s.isLong() && round == 2:
		return secondEndShareLong
	case s.isLong():
		return lastEndShareLong
	case round == 2:
		return secondEndShare
	}
	folds := float64(s.folds(round))
	return secondEndShare + (1-secondEndShare)*folds/(folds+1)
}

// folds returns the number of folds on which a round scores a candidate.
func (s *Search) folds(round int) int {
	switch n := s.Rows.N(); {
	case round < rounds || s.isLong():
		return 1
	case n < threeFolds:
		return 3
	case n < twoFolds:
		return 2
	}
	return 1
}

// keptCount returns the number of candidates in the round after one with n candidates.
func (s *Search) keptCount(n, round int) int {
	last := finalists
	if s.Limit > 0 && s.Limit < shortLimit {
		last--
	}
	if round == 1 {
		return max((n+1)/2, min(n, last))
	}
	return min(n, last)
}

// triableCount returns the number of n candidates for which a limit leaves time, by jobs side by side; a limit of 0 is
// none. In a long search whose time does not suffice to compare minCandidates, it is 1: the default gains more from all
// the time than from the time that a search would leave.
func triableCount(n, rows int, limit time.Duration, jobs int) int {
	if limit == 0 {
		return n
	}
	least, fewest := minTrial, minCandidates
	if isLong(rows, limit) {
		least, fewest = minTrialLong, 1
	}
	fit := int(firstEndShare * float64(limit) * float64(jobs) / float64(least))
	if fit < minCandidates {
		fit = fewest
	}
	return min(n, fit)
}

// firstRoundTooShort reports whether the first round has no time to train n candidates.
func (s *Search) firstRoundTooShort(n int) bool {
	return s.Limit > 0 && trialTime(s.Limit, s.used(), firstEndShare, n, len(s.Devices)) < minFirstTrial
}

// finalSteps returns the number of steps for which the time limit leaves a final model time, at the pace of the default
// in the first round; it is 0 where the default has failed.
func (s *Search) finalSteps() int {
	t := s.Candidates[0].trial(1, 1)
	if t == nil || t.Failure != "" {
		return 0
	}
	models := s.keptCount(len(s.Candidates), rounds-1)
	each := trialTime(s.Limit, time.Duration(s.endShare(rounds)*float64(s.Limit)), 1, models, len(s.Devices))
	return int(float64(t.Steps) * each.Seconds() / max(t.Seconds, 1e-3)) // the unit of Seconds
}

// endIfFinalIsShort ends the search after the first round if a final model would take less than a third of the
// steps that the default takes by itself: the default gains more from the rest of the time.
func (s *Search) endIfFinalIsShort(ctx context.Context) error {
	cfg, err := s.config(&s.Candidates[0])
	if err != nil {
		return err
	}
	fit, _, err := cfg.ResolveFor(ctx, s.Rows)
	if err != nil {
		return err
	}
	steps := s.finalSteps()
	least := fit.Steps / finalStepsDivisor
	if steps > 0 && steps < least {
		s.endWithDefault(fmt.Sprintf("a final model would have time for %d steps, and %d are the least; a longer %s "+
			"compares more models", steps, least, usererror.Flag("time-limit")))
	}
	return nil
}

// trialTime returns the time for the next of n trials, by jobs side by side, so that all end when endShare of the
// limit is over. A trial that begins too late fails. A model on all rows always has a little time.
func trialTime(limit, used time.Duration, endShare float64, n, jobs int) time.Duration {
	inSequence := max(1, (n+jobs-1)/jobs)
	least := time.Millisecond
	if endShare == 1 {
		least = minTrial / 2
	}
	return max((time.Duration(endShare*float64(limit))-used)/time.Duration(inSequence), least)
}
