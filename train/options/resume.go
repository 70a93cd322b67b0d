package options

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Resume returns the Config of a resumed run with the changes of the command line: the interval of checkpoints, and
// another device of the same kind. Any other option must keep its value or be left out, since it would change the
// result. A *usererror.Error names it. A target may be given by the number that its column has in rows; rows may be
// nil.
func (c Config) Resume(flags []Setting, rows *data.Schema) (Config, error) {
	resumed := c
	for _, s := range flags {
		requested := c
		if err := requested.set(s); err != nil {
			return resumed, err
		}
		switch {
		case s.Key == "checkpoint-every":
			if err := requested.checkEvery(); err != nil {
				return resumed, err
			}
			resumed.CheckpointEvery = requested.CheckpointEvery
		case s.Key == "device" && DeviceKind(s.Text) == DeviceKind(c.Device):
			resumed.Device = s.Text
		case !c.has(s, requested, rows):
			return resumed, s.Errorf("the run began %s, and its result depends on it: leave the "+
				"option out, or begin a new run", c.beginning(s.Key))
		}
	}
	return resumed, nil
}

// has reports whether an option has the value that a Setting requests, perhaps in other words. requested is the Config
// with this value.
func (c Config) has(s Setting, requested Config, rows *data.Schema) bool {
	current := c.Text(s.Key)
	if requested.Text(s.Key) == current || s.Text == Auto {
		return true
	}
	switch s.Key {
	case "chunk", "eval-every":
		return s.Text == "0"
	case "target":
		return rows != nil && rows.NamesTargets(requested.Target)
	case "precision":
		return DeviceKind(c.Device) != "cuda:f32" // other devices have only one precision
	case "kernel":
		return isResolved(s.Text, current)
	case "likelihood":
		return s.Text == lognormal && current == model.GaussianLikelihood && c.Targets == scaling.LogTargets
	case "epochs":
		return strings.HasPrefix(c.PlannedFor, forEpochs(requested.Epochs))
	case "time-limit":
		return strings.HasPrefix(c.PlannedFor, ForTime(requested.TimeLimit))
	}
	return false
}

// beginning returns the value with which an option began, in words.
func (c Config) beginning(key string) string {
	switch current := c.Text(key); {
	case IsLength(key):
		return "for " + c.length()
	case current == "":
		return "without"
	default:
		return "with " + current
	}
}

// length returns the planned length of a run when it began, in words.
func (c Config) length() string {
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

// DeviceKind returns the name of a device without its number: cuda:f32 for cuda and cuda:1:f32.
func DeviceKind(device string) string {
	words := strings.Split(device, ":")
	if _, err := strconv.Atoi(words[len(words)-1]); err == nil || len(words) == 1 {
		words = append(words, "f32")
	}
	return words[0] + ":" + words[len(words)-1]
}
