package options

import (
	"fmt"
	"strings"
)

// Plan is how long a run was to be until one of its steps, when the time left asked for another
// length. What depends on the share of the run that is done continues from there.
type Plan struct {
	Steps int // of the whole run
	Until int // a step: what comes after it was planned again
}

// Plans are those before the last, whose number of steps is Steps. The error is one of form.
func (c *Config) Plans() (plans []Plan, err error) {
	begin := 0
	for _, word := range strings.Fields(c.Replanned) {
		var p Plan
		if _, err := fmt.Sscanf(word, "%d@%d", &p.Steps, &p.Until); err != nil || p.String() != word ||
			p.Until <= begin || p.Until >= p.Steps || p.Steps > MaxSteps {
			return nil, c.Errorf("replanned", "%q is not a number of steps "+
				"and a later step before its end, such as 1000@200", word)
		}
		plans, begin = append(plans, p), p.Until
	}
	if c.Steps > 0 && begin >= c.Steps {
		return nil, c.Errorf("replanned", "step %d is not one of the %d steps "+
			"before the last", begin, c.Steps)
	}
	return plans, nil
}

func (p Plan) String() string { return fmt.Sprintf("%d@%d", p.Steps, p.Until) }

// Replan is the Config of a run that is planned again after a step, for another number of steps in
// all.
func (c *Config) Replan(after, steps int) *Config {
	words := append(strings.Fields(c.Replanned), Plan{c.Steps, after}.String())
	return c.With("replanned", strings.Join(words, " ")).With("steps", steps)
}
