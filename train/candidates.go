package train

import (
	"fmt"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// objectiveCandidate is an objective with the weight of its KL terms, and the likelihood.
type objectiveCandidate struct {
	likelihood string
	objective  string
	klWeight   float64
}

// changesLikelihood reports whether the likelihood is another than that of a run's first candidate.
func (c objectiveCandidate) changesLikelihood(first objectiveCandidate) bool {
	return c.likelihood != first.likelihood
}

func (c objectiveCandidate) String() string {
	name := c.objective
	if c.klWeight != 1 {
		name += fmt.Sprintf(" with kl-weight %g", c.klWeight)
	}
	if c.likelihood == model.HeteroscedasticLikelihood {
		name += ", " + c.likelihood
	}
	return name
}

// candidates returns the settings that rows choose from, the default first. If rows outnumber the parameters that can
// follow them, that is the predictive objective, also with a lower weight. Otherwise it is the bound; the others are
// the predictive objective if the model has one, or lower weights. With few rows, noise may also differ between rows.
func candidates(cfg options.Config, ds *data.Dataset) []objectiveCandidate {
	own := cfg.Likelihood
	switch {
	case cfg.ObjectiveOf(ds) == options.Predictive:
		return []objectiveCandidate{{own, options.Predictive, 1}, {own, options.Predictive, lowerWeight}}
	case cfg.HasPredictive(ds):
		all := []objectiveCandidate{{own, options.ELBO, 1}, {own, options.Predictive, 1},
			{own, options.Predictive, lowerWeight}, {own, options.Predictive, lowestWeight}}
		if cfg.MayVaryNoise(ds) {
			all = append(all, objectiveCandidate{model.HeteroscedasticLikelihood, options.ELBO, lowerWeight})
		}
		return all
	}
	return []objectiveCandidate{{own, options.ELBO, 1}, {own, options.ELBO, lowerWeight},
		{own, options.ELBO, lowestWeight}}
}

// decision is the inputs, an objective and a length.
type decision struct {
	inputs *representation
	objectiveCandidate
	steps, longest int     // number of steps, and the largest that could have been chosen
	temperature    float64 // 0 leaves it open
}

// decide picks the inputs, the objective and the length from the attempts. planned is the number of steps without
// attempts.
func (ch *objectiveChoice) decide(planned int) decision {
	best := ch.best()
	rest := planned - ch.totalSteps
	switch {
	case best == nil:
		return decision{inputs: ch.columns, objectiveCandidate: ch.candidates[0], steps: planned, longest: planned}
	case ch.longSteps == 0:
		return decision{inputs: ch.inputs, objectiveCandidate: candidateOf(best), steps: rest, longest: rest}
	case !slices.ContainsFunc(ch.attempts, func(a rundir.Attempt) bool { return a.Steps > ch.attempts[0].Steps }):
		// there was no time for a longer one, and no lengths to compare
		return decision{inputs: ch.inputs, objectiveCandidate: candidateOf(best), steps: ch.longSteps,
			longest: ch.longSteps}
	}
	return decision{inputs: ch.inputs, objectiveCandidate: candidateOf(best), steps: best.Steps,
		longest: ch.longSteps, temperature: best.Temperature}
}

// note returns the line about the choice, for a run of fit steps of all.
func (ch *objectiveChoice) note(chosen objectiveCandidate, fit, all int, limited bool) string {
	length := fmt.Sprintf("%d of %d steps", fit, all)
	if limited || ch.doneSteps == 0 {
		length = fmt.Sprintf("%d steps", fit)
	}
	if ch.doneSteps > 0 {
		length += fmt.Sprintf(", after %d of attempts", ch.doneSteps)
	}
	if limited { // the speed of the machine changes both numbers
		length = "about " + length + ", as time allows"
	}
	return fmt.Sprintf("objective: %s, for %s%s", chosen, length, ch.choiceReason())
}

// choiceReason returns the note on why the best attempt was chosen, if the mean of another exceeds its mean; ""
// otherwise.
func (ch *objectiveChoice) choiceReason() string {
	best := ch.best()
	exceeds := func(a *rundir.Attempt) bool { return ch.meanOf(a) > ch.meanOf(best) }
	if best == nil || !slices.ContainsFunc(ch.scored(), exceeds) {
		return ""
	}
	return ": no other is better by more than the standard error of the difference"
}

// scored returns the attempts with the inputs so far that did not break off.
func (ch *objectiveChoice) scored() (all []*rundir.Attempt) {
	for i := range ch.attempts {
		if a := &ch.attempts[i]; a.Logs != nil && a.Columns == ch.inputs.name {
			all = append(all, a)
		}
	}
	return all
}

func onComponents(a rundir.Attempt) bool { return a.Columns == options.Components }

func candidateOf(a *rundir.Attempt) objectiveCandidate {
	return objectiveCandidate{a.Likelihood, a.Objective, a.KLWeight}
}

// meanOf returns the mean log density of the held-out rows after an attempt.
func (ch *objectiveChoice) meanOf(a *rundir.Attempt) float64 {
	mean, _ := ch.weights.MeanStdErr(a.Logs)
	return mean
}

// maxRMSE is the largest RMSE of an attempt with another likelihood, as a multiple of the RMSE of the best with the
// run's own: a large variance lets a mean be far off.
const maxRMSE = 1.2

// best returns the attempt with the largest mean log density; nil without attempts. Of two attempts of a candidate, the
// longer one counts unless the shorter one surpasses it. The first candidate stays unless another surpasses it. Another
// likelihood must surpass the best attempt with the run's own, and have a similar RMSE.
func (ch *objectiveChoice) best() *rundir.Attempt {
	byCandidate := map[objectiveCandidate]*rundir.Attempt{}
	for _, a := range ch.scored() {
		previous := byCandidate[candidateOf(a)]
		if previous == nil || !ch.weights.BetterByOneSE(previous.Logs, a.Logs) {
			byCandidate[candidateOf(a)] = a
		}
	}
	first, best := ch.candidates[0], byCandidate[ch.candidates[0]]
	for _, c := range ch.candidates {
		a := byCandidate[c]
		if a != nil && !c.changesLikelihood(first) && (best == nil || ch.meanOf(a) > ch.meanOf(best)) {
			best = a
		}
	}
	if of := byCandidate[first]; of != nil && !ch.weights.BetterByOneSE(best.Logs, of.Logs) {
		best = of
	}
	for _, c := range ch.candidates {
		a := byCandidate[c]
		if a != nil && c.changesLikelihood(first) &&
			(best == nil || ch.weights.BetterByOneSE(a.Logs, best.Logs) && a.RMSE <= maxRMSE*best.RMSE) {
			best = a
		}
	}
	return best
}
