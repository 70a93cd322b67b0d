package train

import (
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// weighted is the Job whose training and validation rows have the weights that the options ask for. Test rows
// keep their own. Balanced rows stay as they are.
func (j *Job) weighted() (*Job, error) {
	out := *j
	balances, err := j.Config.BalancesClasses(j.Train)
	if !balances || err != nil {
		return &out, err
	}
	factors := j.Train.ClassFactors()
	out.Train, out.Validation = j.Train.TimesFactors(factors), j.Validation.TimesFactors(factors)
	if rare := slices.Index(factors, slices.Max(factors)); j.Reporter != nil {
		j.Reporter.Note("class weights: balanced, of a row of %q times %s; probabilities are those of equally frequent "+
			"classes", j.Train.Classes[rare], metrics.Count(factors[rare]))
	}
	return &out, nil
}
