package best

import (
	"time"
)

// A search has three rounds. Each trains the candidates that are left for longer than the one
// before; the last one does so on several folds where rows are few.
const (
	rounds    = 3
	splits    = 5 // folds of the rows: one of them scores what the others have trained
	finalists = 4
	// rows that the first rounds score a candidate on, at most
	scoredRows = 1000
	// and the last round, whose rows weigh the candidates
	stackedRows = 10000
	threeFolds  = 1500 // rows below which the last round takes three folds
	twoFolds    = 6000 // and below which it takes two, without a time limit
)

// mostRMSE is how many times the RMSE of the default a model of the ensemble has at most. A model
// whose spread is small on repeated values can win by its density, and predict the others badly.
const mostRMSE = 1.2

// The steps of a trial in each round, of those of the final models; without a time limit.
var stepShares = [rounds]float64{1.0 / 8, 1.0 / 3, 1}

// defaultSteps is how long the final models train where neither steps nor a time limit are given.
const defaultSteps = 5000

// How the time limit is spent: the shares that are over when the rounds end. The models on all rows
// have the rest, of which each keeps the time to test itself.
const (
	firstEnds  = 0.12
	secondEnds = 0.27
	leastTrial = time.Second // fewer candidates are tried than would get less
	leastTried = 3
	// without this time for a trial of the first round, nothing is compared
	leastFirst = leastTrial / 2
	// limits below which a finalist less takes part
	shortLimit = 2 * time.Minute
)

// The same where the search is long: fewer are tried, each for longer, and half of the time is for
// the models on all rows.
const (
	secondEndsLong = 0.22
	lastEndsLong   = 0.5
	leastTrialLong = 5 * time.Second
)

// long reports whether rows are many, so that the time limit decides how good a model gets: a short
// trial says little then, and it pays to train the chosen ones on.
func long(n int, limit time.Duration) bool { return limit > 0 && n >= threeFolds }

func (s *Search) long() bool { return long(s.Rows.N(), s.Limit) }

// ends is the share of the time limit that is over when a round ends. A model on all rows takes as
// long as a trial of the last round, of which each model had one for each fold.
func (s *Search) ends(round int) float64 {
	switch {
	case round == 1:
		return firstEnds
	case s.long():
		return []float64{2: secondEndsLong, 3: lastEndsLong}[round]
	case round == 2:
		return secondEnds
	}
	folds := float64(s.folds(round))
	return secondEnds + (1-secondEnds)*folds/(folds+1)
}

// folds is how many folds a round scores a candidate on.
func (s *Search) folds(round int) int {
	switch n := s.Rows.N(); {
	case round < rounds || s.long():
		return 1
	case n < threeFolds:
		return 3
	case n < twoFolds:
		return 2
	}
	return 1
}

// kept is how many candidates go on to the round after one with n of them.
func (s *Search) kept(n, round int) int {
	last := finalists
	if s.Limit > 0 && s.Limit < shortLimit {
		last--
	}
	if round == 1 {
		return max((n+1)/2, min(n, last))
	}
	return min(n, last)
}

// triable is how many of n candidates a limit leaves time for, with atOnce at a time; 0 is
// no limit. Where rows are many and the time does not suffice to compare leastTried of them, it is
// one: the default makes more of all the time than of the rest after a search.
func triable(n, rows int, limit time.Duration, atOnce int) int {
	if limit == 0 {
		return n
	}
	least, fewest := leastTrial, leastTried
	if long(rows, limit) {
		least, fewest = leastTrialLong, 1
	}
	fit := int(firstEnds * float64(limit) * float64(atOnce) / float64(least))
	if fit < leastTried {
		fit = fewest
	}
	return min(n, fit)
}

// firstRoundTooShort reports whether the first round has no time to train n candidates.
func (s *Search) firstRoundTooShort(n int) bool {
	return s.Limit > 0 && share(s.Limit, s.used(), firstEnds, n, len(s.Devices)) < leastFirst
}

// share is the time for the next of n trials, with atOnce at a time, so that all end when a share
// of the limit is over. A trial that comes too late fails. A model on all rows has a little time in any
// case.
func share(limit, used time.Duration, ends float64, n, atOnce int) time.Duration {
	inSequence, least := max(1, (n+atOnce-1)/atOnce), time.Millisecond
	if ends == 1 {
		least = leastTrial / 2
	}
	return max((time.Duration(ends*float64(limit))-used)/time.Duration(inSequence), least)
}
