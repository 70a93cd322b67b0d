package options

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Resume is the Config of a resumed run with what the command line may change: how often to make
// checkpoints, and which of several devices of one kind to use. Any other option must keep its
// value or be left out, since it would change the result. A *usererror.Error names it. A target may
// have the number that its column has in rows, nil where these have not changed the options yet.
func (c *Config) Resume(flags []Setting, rows *data.Schema) (*Config, error) {
	resumed := c.copy()
	for _, s := range flags {
		asked := c.copy()
		if err := asked.set(s); err != nil {
			return nil, err
		}
		switch now := c.Text(s.Key); {
		case s.Key == "checkpoint-every":
			if err := asked.checkEvery(); err != nil {
				return nil, err
			}
			resumed.CheckpointEvery = asked.CheckpointEvery
		case s.Key == "device" && kind(s.Text) == kind(now):
			resumed.Device = s.Text
		case asked.Text(s.Key) == now, s.Text == "auto", s.Text == "0" && (s.Key == "chunk" || s.Key == "eval-every"):
		case s.Key == "target" && rows != nil && rows.NamesTargets(asked.Target):
		case s.Key == "precision" && kind(c.Device) != "cuda:f32": // others have one alone
		case s.Key == "kernel" && isSettled(s.Text, now):
		case s.Key == "likelihood" && s.Text == Lognormal && now == model.GaussianLikelihood && c.Targets == data.LogTargets:
		case s.Key == "epochs" && strings.HasPrefix(c.PlannedFor, forEpochs(asked.Epochs)):
		case s.Key == "time-limit" && strings.HasPrefix(c.PlannedFor, ForTime(asked.TimeLimit)):
		default:
			was := "with " + now
			if IsLength(s.Key) {
				was = "for " + c.length()
			} else if now == "" {
				was = "without"
			}
			return nil, s.Errorf("the run began %s, and its result depends on it: leave the "+
				"option out, or begin a new run", was)
		}
	}
	return resumed, nil
}

// length is how long a run was to be when it began.
func (c *Config) length() string {
	switch {
	case c.TimeLimit > 0:
		return ForTime(c.TimeLimit)
	case c.Epochs > 0:
		return forEpochs(c.Epochs)
	case !c.Explicit("steps"):
		return "its default length"
	case c.PlannedFor != "":
		return fmt.Sprintf("%d steps, by %s", c.Steps, c.PlannedFor)
	}
	return fmt.Sprintf("%d steps", c.Steps)
}

// kind is the name of a device without its number: cuda:f32 for cuda and cuda:1:f32.
func kind(device string) string {
	words := strings.Split(device, ":")
	if _, err := strconv.Atoi(words[len(words)-1]); err == nil || len(words) == 1 {
		words = append(words, "f32")
	}
	return words[0] + ":" + words[len(words)-1]
}
