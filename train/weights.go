package train

import (
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// weighted is the Job without training rows of weight 0, whose training and validation rows have the weights
// that the options ask for. Test rows keep their own. Balanced rows stay as they are. Rows of which none counts
// are an error.
func (j *Job) weighted() (*Job, error) {
	out := *j
	for _, rows := range []*data.Dataset{j.Train, j.Validation, j.Test} {
		if err := rows.CheckWeights(); err != nil {
			return nil, err
		}
	}
	balances, err := j.Config.BalancesClasses(j.Train)
	if err == nil {
		out.Train, err = j.Train.Counting()
	}
	if !balances || err != nil {
		return &out, err
	}
	factors := out.Train.ClassFactors()
	out.Train, out.Validation = out.Train.TimesFactors(factors), j.Validation.TimesFactors(factors)
	if rare := slices.Index(factors, slices.Max(factors)); j.Reporter != nil {
		j.Reporter.Note("class weights: balanced, of a row of %q times %s; probabilities are those of equally frequent "+
			"classes", j.Train.Classes[rare], metrics.Count(factors[rare]))
	}
	return &out, nil
}
