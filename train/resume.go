package train

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// ResumeCommand is what goes on with the run in a folder.
func ResumeCommand(folder string) string {
	if strings.ContainsAny(folder, " '\"\\$`&;()<>|*?[]#~") {
		folder = "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	}
	return "gpdrf-gpu train --resume " + folder
}

// GoOn applies what the command line says to a run that goes on: how often to make checkpoints, and
// which of several devices of one kind to use. Every other option must be what it was, or left out,
// since it would change the result: a *UsageError names it.
func (c *Checkpoint) GoOn(flags []Setting) error {
	for _, s := range flags {
		o, asked := optionOf(s.Key), *c.Config
		if wrong := o.parse(o.field(&asked), s.Text); wrong != "" {
			return s.errorf("%q %s", s.Text, wrong)
		}
		switch now := o.text(c.Config); {
		case s.Key == "checkpoint-every":
			if err := asked.checkEvery(s.From); err != nil {
				return err
			}
			c.Config.CheckpointEvery = asked.CheckpointEvery
		case s.Key == "device" && kind(s.Text) == kind(now):
			c.Config.Device = s.Text
		case o.text(&asked) == now, s.Text == "auto", s.Text == "0" && (s.Key == "chunk" || s.Key == "eval-every"):
		case s.Key == "epochs" && c.Config.PlannedFor == forEpochs(asked.Epochs):
		case s.Key == "time-limit" && c.Config.PlannedFor == forTime(asked.TimeLimit):
		default:
			was := "with " + now
			if isLength(s.Key) {
				was = fmt.Sprintf("for %d steps", c.Config.Steps)
			} else if now == "" {
				was = "without"
			}
			return s.errorf("the run began %s and goes on so, since its result depends on it: leave the option out, or begin a new run", was)
		}
	}
	return nil
}

// kind is the name of a device without its number: cuda:f32 for cuda and cuda:1:f32.
func kind(device string) string {
	words := strings.Split(device, ":")
	if _, err := strconv.Atoi(words[len(words)-1]); err == nil || len(words) == 1 {
		words = append(words, "f32")
	}
	return words[0] + ":" + words[len(words)-1]
}

// Load reads the rows of the run again, from where they were when it began or, if it has moved,
// from here. Others than the run began with are a *UsageError.
func (c *Checkpoint) Load(w data.Watch) (train, held, test *data.Dataset, notes []string, err error) {
	here, err := os.Getwd()
	if err != nil || here == c.Result.Folder {
		return c.load(c.Config, w)
	}
	if train, held, test, notes, err = c.load(c.Config.from(c.Result.Folder), w); err == nil {
		return train, held, test, notes, nil
	}
	train, held, test, notes, hereErr := c.load(c.Config, w)
	if hereErr != nil {
		return nil, nil, nil, nil, fmt.Errorf("%w; nor from here: %v", err, hereErr)
	}
	c.Result.Folder = here
	return train, held, test, notes, nil
}

func (c *Checkpoint) load(from *Config, w data.Watch) (train, held, test *data.Dataset, notes []string, err error) {
	copied := *from // what is found out about the rows is known already
	all, test, notes, err := copied.Load(w)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	train, held, more, err := copied.HoldOut(all, w)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	for _, set := range []struct {
		what, then string
		now        *data.Dataset
	}{
		{"training rows", c.Result.Fingerprint.Train, train},
		{"validation rows", c.Validation, held},
		{"test rows", c.Result.Fingerprint.Test, test},
	} {
		if set.now != nil && set.now.Fingerprint != set.then {
			return nil, nil, nil, nil, usagef("%s: the %s are not those that the run began with (fingerprint %.12s…, then %.12s…): put those back, or begin a new run",
				set.now.Path, set.what, set.now.Fingerprint, set.then)
		}
	}
	return train, held, test, append(notes, more...), nil
}

// from is the Config with its relative paths as they are seen from a folder.
func (c *Config) from(folder string) *Config {
	there := *c
	paths := []*string{&there.Test, &there.Labels, &there.TestLabels, &there.DataDir, &there.Gram}
	if data.Folds(c.Data) == 0 { // not a named set
		paths = append(paths, &there.Data)
	}
	if _, file := c.validation(); file != "" {
		paths = append(paths, &there.Validation)
	}
	for _, path := range paths {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(folder, *path)
		}
	}
	return &there
}
