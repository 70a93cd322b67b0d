package train

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// How the objective is chosen. A weight of the KL terms below 1, or the log density of the prediction in place of the
// bound, is much better on most tables, and memorises others. So rows that are held out choose after short trainings,
// called attempts. Attempts and run together take no more steps than a run without a choice, or a sixteenth more where
// noise may differ between rows, and another where they choose between components and columns. Below 250 rows, several
// folds are held out in turn. Attempts then take more steps, but draw no more rows than steps of 256 would. With a time
// limit, they share the time.
//
// If rows outnumber the parameters that can follow them, the predictive objective is safe. An attempt then takes the
// same share of the rows and of the steps. For other tables, longer attempts choose the number of steps, too.
//
// Where many columns say much the same, attempts have their principal components as inputs. A further short attempt has
// the columns. If it is clearly better, these are the inputs from then on.
const (
	attemptTimeShare = 0.8 // largest share of the remaining time that attempts take
	// largest share of the remaining time in which components are fitted
	componentTimeShare = 0.1
	shortShare         = 1.0 / 16 // share of the steps for a short attempt
	longShare          = 1.0 / 4  // share of the steps for each of two long attempts, and largest share for the run
	safeShare          = 1.0 / 8  // share of rows and steps for an attempt with a safe objective; the rest is the run's
	minSteps           = 30       // least number of steps of an attempt: a shorter one shows nothing
	// largest number of steps of a short attempt: after more, low weights have memorised few rows
	longestShort = 1000
	lengthFactor = 4 // factor from one length of attempts to the next
	// weights of the KL terms below 1; a short attempt prefers the lowest one, and a long attempt has to confirm it
	lowerWeight, lowestWeight = 0.3, 0.1
)

// representation is one form of the inputs, columns or components: a run with it, the rows of its attempts, and their
// speed.
type representation struct {
	run    *run
	name   string // options.Components, or "" for columns
	splits []split
	speed  speed
}

// speed is steps that this process has taken, and their time. The run that follows is as fast.
type speed struct {
	steps   int
	seconds float64
}

func (s *speed) add(steps int, seconds float64) {
	s.steps, s.seconds = s.steps+steps, s.seconds+seconds
}

func (s speed) perStep() time.Duration {
	return max(1, time.Duration(s.seconds/float64(s.steps)*float64(time.Second)))
}

// objectiveChoice makes the attempts of a run.
type objectiveChoice struct {
	run                   *run                 // the run, as it began; attempts share its clock and checkpoints
	columns, inputs       *representation      // inputs as the run began, and those of the attempts so far
	candidates            []objectiveCandidate // the first one stays unless another is clearly better
	weights               metrics.Weights      // weights of the rows that score the attempts, split after split
	savedAttempts         []rundir.Attempt     // attempts of a checkpoint
	attempts              []rundir.Attempt
	shortSteps, longSteps int           // steps of a short attempt, and of a long one; 0 if the objective is safe
	doneSteps, totalSteps int           // steps of finished attempts, and of all
	trainings             int           // number of trainings so far
	seconds               float64       // time of their steps
	began                 time.Duration // begin of the attempts on the clock
	end                   time.Duration // end of all attempts on the clock; 0 without a time limit
	cancel                func()        // ends the attempts
}

// choose settles the objective, the weight of its KL terms and, if the objective is not safe, the number of steps.
// Attempts that break off, or that a time limit has no time for, do not count.
func (r *run) choose(ctx context.Context) error {
	cfg := r.config
	if cfg.Objective != options.Auto {
		return nil
	}
	columns := &representation{run: r}
	ch := &objectiveChoice{run: r, columns: columns, inputs: columns, candidates: candidates(cfg, r.train),
		savedAttempts: r.job.state().Attempts}
	rows := int(safeShare * float64(r.train.N())) // the largest number of rows that train an attempt
	if cfg.ObjectiveOf(r.train) == options.Predictive {
		ch.shortSteps = int(safeShare * float64(cfg.Steps))
	} else {
		steps := ch.splitInTurn(r.clock.deadline > 0)
		ch.shortSteps, ch.longSteps = min(int(shortShare*steps), longestShort), int(longShare*steps)
		rows = ch.longSteps * cfg.Batch
	}
	switch err := ch.splitRows(ctx, rows); {
	case err == nil:
		if err := ch.makeAttempts(ctx); err != nil {
			return err
		}
	case cfg.Explicit("objective"):
		r.reporter.Note("objective: held-out rows choose nothing: %v", err)
	}
	return ch.settle(ctx, ch.decide(cfg.Steps))
}

// makeAttempts makes the attempts, as far as there is time.
func (ch *objectiveChoice) makeAttempts(ctx context.Context) error {
	ch.run.step, ch.run.validator = nil, nil // their memory is free for the attempts
	timed, cancel, end := ch.run.clock.within(ctx, attemptTimeShare)
	defer cancel()
	ch.cancel, ch.end, ch.began = cancel, end, ch.run.clock.used()
	err := ch.compare(timed)
	if errors.Is(err, ErrTimeLimit) {
		ch.noteUntried()
		return context.Cause(ctx)
	}
	return err
}

// noteUntried notes the candidates that a time limit left without an attempt, if others had one.
func (ch *objectiveChoice) noteUntried() {
	var untried []string
	for _, c := range ch.candidates {
		if !slices.ContainsFunc(ch.attempts, func(a rundir.Attempt) bool { return candidateOf(&a) == c }) {
			untried = append(untried, c.String())
		}
	}
	if len(untried) > 0 && len(ch.attempts) > 0 {
		ch.run.reporter.Note("no time was left to try %s", strings.Join(untried, ", or "))
	}
}

// compare makes a short attempt of each candidate, and longer ones of the two best. It returns ErrTimeLimit if there is
// no time for all.
func (ch *objectiveChoice) compare(ctx context.Context) error {
	if err := ch.useComponents(ctx); err != nil {
		return err
	}
	between, stepsBetween := lengthsBetween(ch.shortSteps, ch.longSteps)
	count := len(ch.candidates)
	if ch.inputs != ch.columns {
		count++
	}
	ch.totalSteps = len(ch.inputs.splits) * (count*ch.shortSteps + 2*(stepsBetween+ch.longSteps))
	finalists, err := ch.attemptShort(ctx)
	if err != nil || ch.longSteps == 0 {
		return err
	}
	longest := ch.shortSteps
	for _, longest = range between {
		if err := ch.attemptEach(ctx, finalists, longest); err != nil {
			return err
		}
	}
	if err := ch.fitLongSteps(longest); err != nil {
		return err
	}
	ch.totalSteps = ch.doneSteps + 2*len(ch.inputs.splits)*ch.longSteps
	return ch.attemptEach(ctx, finalists, ch.longSteps)
}

// lengthsBetween returns the numbers of steps of attempts between short and long ones that have many more steps, and
// their sum. The best length on few rows may be far below that of a long attempt.
func lengthsBetween(shortSteps, longSteps int) (all []int, sum int) {
	for steps := lengthFactor * shortSteps; lengthFactor*steps <= longSteps; steps *= lengthFactor {
		all, sum = append(all, steps), sum+steps
	}
	return all, sum
}

// bestTwo returns the candidates of the two best attempts with the inputs so far. Another likelihood is one of them
// only if it is the best: it replaces no objective that may be better after more steps.
func (ch *objectiveChoice) bestTwo() (all []objectiveCandidate) {
	ranked := ch.scored()
	slices.SortStableFunc(ranked, func(a, b *rundir.Attempt) int { return cmp.Compare(ch.meanOf(b), ch.meanOf(a)) })
	for _, a := range ranked {
		if c := candidateOf(a); len(all) == 0 || !c.changesLikelihood(ch.candidates[0]) {
			all = append(all, c)
		}
	}
	return all[:min(2, len(all))]
}

// fitLongSteps fits the steps of a long attempt into a time limit. Two of these and the run share the time that is
// left, at the speed of the attempts before, of which the longest has the given number: the machine may have been
// slower or faster when the first steps were timed. The two end by the end of all attempts. A resumed run keeps the
// number of its attempts.
func (ch *objectiveChoice) fitLongSteps(longest int) (err error) {
	if clock := &ch.run.clock; clock.deadline > 0 && ch.inputs.speed.steps > 0 {
		used, perStep := clock.used(), ch.inputs.speed.perStep()
		trainings := 2 * len(ch.inputs.splits)
		beside := ch.timeBesideSteps(used) * time.Duration(trainings)
		fit := min(affordableSteps(clock.deadline-used-beside, perStep)/(trainings+1),
			affordableSteps(ch.end-used-beside, perStep)/trainings)
		if ch.run.validation != nil { // evaluations during the run need what is left
			fit = min(fit, ch.longSteps)
		}
		ch.longSteps = min(max(2*longest, fit), options.MaxSteps)
	}
	for _, a := range ch.savedAttempts {
		if a.Steps > longest {
			ch.longSteps = a.Steps
		}
	}
	ch.longSteps, err = broadcastInt(ch.run.job.ranks(), ch.longSteps)
	return err
}

// timeBesideSteps returns the time that a training has taken so far beside its steps, to begin and to predict.
func (ch *objectiveChoice) timeBesideSteps(used time.Duration) time.Duration {
	steps := time.Duration(ch.seconds * float64(time.Second))
	return max(0, used-ch.began-steps) / time.Duration(max(1, ch.trainings))
}

// useComponents makes components the inputs, if they may pay and there is time to fit them. A resumed run has the
// inputs of its attempts.
func (ch *objectiveChoice) useComponents(ctx context.Context) error {
	r := ch.run
	resumed := len(ch.savedAttempts) > 0
	if resumed && !slices.ContainsFunc(ch.savedAttempts, onComponents) {
		return nil
	}
	timed, cancel, _ := r.clock.within(ctx, componentTimeShare)
	defer cancel()
	if resumed || r.job.shared() { // ranks end together
		timed = context.WithoutCancel(ctx)
	}
	components, err := r.withComponents(timed)
	if timed.Err() != nil {
		return nil
	}
	if components == nil || err != nil {
		return err
	}
	p := components.projection
	ch.inputs = &representation{run: components, name: options.Components}
	for _, s := range ch.columns.splits {
		ch.inputs.splits = append(ch.inputs.splits, split{p.Apply(s.train), p.Apply(s.heldOut)})
	}
	return nil
}

// attemptShort makes a short attempt of each candidate, and returns the two best. With components, it settles the
// inputs: they are columns if the best candidate is better with these, or if all attempts with components break off.
func (ch *objectiveChoice) attemptShort(ctx context.Context) (finalists []objectiveCandidate, err error) {
	err = ch.attemptEach(ctx, ch.candidates, ch.shortSteps)
	finalists = ch.bestTwo()
	if err != nil || ch.inputs == ch.columns {
		return finalists, err
	}
	components, best := ch.inputs, ch.best()
	ch.inputs = ch.columns
	if best == nil {
		err = ch.attemptEach(ctx, ch.candidates, ch.shortSteps)
		return ch.bestTwo(), err
	}
	err = ch.attempt(ctx, candidateOf(best), ch.shortSteps)
	if onColumns := ch.scored(); len(onColumns) == 0 || !ch.weights.BetterByOneSE(onColumns[0].Logs, best.Logs) {
		ch.inputs = components
	}
	return finalists, err
}

// settle puts the run at its start, with all that was decided.
func (ch *objectiveChoice) settle(ctx context.Context, d decision) error {
	r, before := ch.run, ch.run.config
	r.clock.earlierSeconds += ch.seconds
	if d.inputs != ch.columns {
		r.takeInputs(d.inputs.run)
		r.reporter.Note("inputs: %s (%s=all keeps each column)", r.projection, usererror.Key("columns"))
		if now := r.config.Lengthscales; now != before.Lengthscales {
			r.reporter.Note("lengthscales: %s for components", now)
		}
	}
	if t := d.temperature; t > 0 {
		r.config.Temperature = t
		if t != 1 {
			r.trained.Config.Temperature = t
			r.reporter.Note("temperature %.2f, by rows that were held out", t)
		}
	}
	fit, err := ch.stepsInTime(d.steps)
	if err != nil {
		return err
	}
	r.reporter.Note("%s", ch.note(d.objectiveCandidate, fit, before.Steps, r.clock.deadline > 0))
	var notes []string
	if r.adopt(d.objectiveCandidate, r.train); r.config.Likelihood != before.Likelihood {
		r.reporter.Note("likelihood: %s, by rows that were held out (%s %s has one variance for all rows)",
			r.config.Likelihood, usererror.Flag("likelihood"), before.Likelihood)
		if r.config.WCov != before.WCov {
			r.reporter.Note("w-cov: %s with this likelihood", r.config.WCov)
		}
	}
	r.config, notes = r.config.ForChosenSteps(fit, d.longest-d.steps+fit)
	r.noteAll(notes)
	r.trained.KLWeight = d.klWeight
	if err := r.build(ctx); err != nil {
		return err
	}
	r.reset()
	return nil
}

// takeInputs gives the run the inputs of another, and all that follows from the training rows in that form. Its clock,
// checkpoints and reports stay.
func (r *run) takeInputs(of *run) { r.spec, r.trained, r.init = of.spec, of.trained, of.init }

// stepsInTime returns the number of the steps that fit into the rest of a time limit, at the speed of the attempts. The
// machine may be slower than it was when the first steps were timed.
func (ch *objectiveChoice) stepsInTime(steps int) (int, error) {
	r := ch.run
	if r.clock.deadline == 0 || ch.inputs.speed.steps == 0 {
		return steps, nil
	}
	// the run has a little time even if the attempts were late
	r.clock.deadline = max(r.clock.deadline, r.clock.used()+r.clock.limit.Time/20)
	perStep := ch.inputs.speed.perStep()
	fit := steps
	if remaining := r.clock.deadline - r.clock.used(); time.Duration(steps)*perStep > remaining {
		fit = affordableSteps(remaining, perStep)
	}
	fit, err := broadcastInt(r.job.ranks(), fit)
	if err != nil {
		return 0, err
	}
	if fit < steps {
		r.noteFit(fit, perStep)
	}
	return fit, nil
}
