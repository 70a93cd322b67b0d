package options

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// checkEvery refuses a checkpoint-every that is neither a time nor a number of steps.
func (c Config) checkEvery() error {
	if _, _, ok := c.CheckpointInterval(); !ok {
		return c.Errorf("checkpoint-every", "%q must be a time (90s, 10m), a number of steps, or 0", c.CheckpointEvery)
	}
	return nil
}

// CheckpointInterval reads CheckpointEvery: a time or a number of steps. Both are 0 if no checkpoints are due.
func (c Config) CheckpointInterval() (pause time.Duration, steps int, ok bool) {
	if n, err := strconv.Atoi(c.CheckpointEvery); err == nil {
		return 0, n, n >= 0
	}
	pause, err := time.ParseDuration(c.CheckpointEvery)
	return pause, 0, err == nil && pause > 0
}

// Last returns the number of the last step.
func (c Config) Last() int {
	if c.StopAfter > 0 {
		return min(c.Steps, c.StopAfter)
	}
	return c.Steps
}

// lengthKeys are the options of the length of training and of its source.
var lengthKeys = strings.Fields("steps epochs time-limit planned-for rows-chose-length replanned stop-after")

// IsLength reports whether an option is a length of training.
func IsLength(key string) bool { return key == "steps" || key == "epochs" || key == "time-limit" }

// CheckRows refuses a user's options that are too large for a training set of n rows.
func (c Config) CheckRows(n int) error {
	_, err := c.resolveRows(n)
	return err
}

// resolveRows makes the Config fit a training set of n rows. A default that is too large shrinks, with a note; a user's
// option that is too large is a *usererror.Error. Epochs become steps.
func (c *Config) resolveRows(n int) (notes []string, err error) {
	for _, o := range []struct {
		key   string
		value *int
	}{{"batch", &c.Batch}, {"inducing", &c.Inducing}} {
		if *o.value <= n || !Find(o.key).Applies(c.Model) ||
			o.key == "inducing" && (c.Gram != "" || c.StartFrom != "") {
			continue
		}
		if c.Explicit(o.key) {
			return nil, c.Errorf(o.key, "%d is more than the %d training rows", *o.value, n)
		}
		notes = append(notes, fmt.Sprintf("%s: %d → %d, the number of training rows", o.key, *o.value, n))
		*o.value = n
	}
	if c.Epochs > 0 {
		steps := math.Ceil(c.Epochs * float64(n) / float64(c.Batch))
		if steps > MaxSteps {
			return nil, usererror.Errorf("%g epochs of %d rows in batches of %d are more than %d steps",
				c.Epochs, n, c.Batch, MaxSteps)
		}
		notes = append(notes, c.setSteps(int(steps), forEpochs(c.Epochs))...)
	} else if c.Steps > 0 && c.TimeLimit == 0 {
		notes = append(notes, c.setSteps(c.Steps, c.PlannedFor)...)
	}
	return notes, nil
}

// forEpochs returns the PlannedFor of a number of steps that was computed from epochs.
func forEpochs(epochs float64) string { return strconv.FormatFloat(epochs, 'g', -1, 64) + " epochs" }

// ForTime returns the PlannedFor of a number of steps that was computed from a time limit.
func ForTime(limit time.Duration) string { return "a time limit of " + limit.String() }

// ForSteps returns the Config of a run of the given number of steps. plannedFor is their source, and empty if the user
// gave the number. It shortens default schedules that are too long for such a run: the warm-up and the steps with a
// fixed q(Ω) to a tenth of it, and those with fixed kernels to four tenths.
func (c Config) ForSteps(steps int, plannedFor string) (resolved Config, notes []string) {
	notes = c.setSteps(steps, plannedFor)
	return c, notes
}

// ForChosenSteps returns ForSteps of the number of steps that held-out rows have chosen; longest is the largest number
// that they could choose. The number of evaluations is the same as for the planned steps.
func (c Config) ForChosenSteps(steps, longest int) (resolved Config, notes []string) {
	if !c.Explicit("eval-every") && c.Steps > 0 {
		c.EvalEvery = (c.EvalEvery*steps + c.Steps - 1) / c.Steps
	}
	if c.RowsChoseLength = steps < longest; c.RowsChoseLength {
		c.PlannedFor = strings.TrimPrefix(c.PlannedFor+", and rows that were held out", ", and ")
	}
	return c.ForSteps(steps, c.PlannedFor)
}

func (c *Config) setSteps(steps int, plannedFor string) (notes []string) {
	c.Steps, c.Epochs, c.TimeLimit, c.PlannedFor = steps, 0, 0, plannedFor
	if c.Validates() && c.EvalEvery == 0 {
		c.EvalEvery = (steps + Evaluations - 1) / Evaluations
	}
	for _, o := range []struct {
		key   string
		value *int
		limit int
	}{
		{"warmup", &c.Warmup, steps / 10},
		{"freeze-omega", &c.FreezeOmega, steps / 10},
		{"freeze-kernel", &c.FreezeKernel, int(0.4 * float64(steps))},
	} {
		if *o.value > o.limit && !c.Explicit(o.key) {
			notes = append(notes, fmt.Sprintf("%s: %d → %d, for a run of %s", o.key, *o.value, o.limit,
				phrase.Plural(steps, "step")))
			*o.value = o.limit
		}
	}
	return notes
}

// Segment is the length that a run was to have until one of its steps. There, the remaining time asked for another
// length. Schedules that depend on the finished share of the run continue from that share.
type Segment struct {
	Steps int // number of steps of the whole run
	Until int // last step of the segment
}

// Segments returns the segments before the last one, whose number of steps is Config.Steps. The error is that of a
// wrong text.
func (c Config) Segments() (segments []Segment, err error) {
	previous := 0
	for _, word := range strings.Fields(c.Replanned) {
		var s Segment
		if _, err := fmt.Sscanf(word, "%d@%d", &s.Steps, &s.Until); err != nil || s.String() != word ||
			s.Until <= previous || s.Until >= s.Steps || s.Steps > MaxSteps {
			return nil, c.Errorf("replanned", "%q is not a number of steps "+
				"and a later step before its end, such as 1000@200", word)
		}
		segments = append(segments, s)
		previous = s.Until
	}
	if c.Steps > 0 && previous >= c.Steps {
		return nil, c.Errorf("replanned", "step %d is not one of the %d steps "+
			"before the last", previous, c.Steps)
	}
	return segments, nil
}

func (s Segment) String() string { return fmt.Sprintf("%d@%d", s.Steps, s.Until) }

// WithLength returns the Config of a run that has another total number of steps from a step on.
func (c Config) WithLength(after, steps int) Config {
	words := append(strings.Fields(c.Replanned), Segment{c.Steps, after}.String())
	c.Replanned, c.Steps = strings.Join(words, " "), steps
	return c
}
