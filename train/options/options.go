package options

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Option describes one option. The flag, the key of a config file, and the lines of the help text and of docs/cli.md
// are made from it.
type Option struct {
	Key    string
	Group  string   // heading of the help text
	Arg    string   // placeholder of the value in the help text
	Help   string   // description in the help text
	Values []string // words that are allowed; nil: any text or number
	Models string   // models that have the option, "gpdrf or gp"; "" is all
	Needs  string   // missing condition without which the option has no effect, so that its flag is refused

	Flag      bool // the option has a flag of its own; others are keys of a config file and of --set
	OmitUnset bool // the option is written to config.yaml only if it is set

	warm   warmStart // value in a run that starts at a model
	limits limits
	check  func(text string) (wrong string) // further check of a text, beside Values; nil: none
	value  any                              // pointer to the field of a Config
}

// Applies reports whether this kind of model has the option.
func (o *Option) Applies(model string) bool {
	return o.Models == "" || slices.Contains(strings.Split(o.Models, " or "), model)
}

// missingNeed returns the text needs if the other options do not have it, and "" if they do.
func missingNeed(has bool, needs string) string {
	if has {
		return ""
	}
	return needs
}

// Written returns the option with a value, as a user types it.
func (o *Option) Written(value int) string {
	if o.Flag {
		return fmt.Sprintf("%s %d", usererror.Flag(o.Key), value)
	}
	return fmt.Sprintf("%s=%d", usererror.Key(o.Key), value)
}

// IsBool reports whether the option is a switch.
func (o *Option) IsBool() bool { _, ok := o.value.(*bool); return ok }

// limits is the interval that a number must lie in.
type limits struct {
	lo, hi       float64
	excludesLow  bool // lo itself is not allowed
	excludesHigh bool // hi itself is not allowed
}

func between(lo, hi float64) limits { return limits{lo: lo, hi: hi} }

func above(lo, hi float64) limits { return limits{lo: lo, hi: hi, excludesLow: true} }

func below(lo, hi float64) limits { return limits{lo: lo, hi: hi, excludesHigh: true} }

// check tells why v is not allowed; "" if it is. NaN and the infinities never pass.
func (l limits) check(v float64) string {
	if v >= l.lo && v <= l.hi && !(l.excludesLow && v == l.lo) && !(l.excludesHigh && v == l.hi) {
		return ""
	}
	if !l.excludesLow && !l.excludesHigh {
		return fmt.Sprintf("must be between %.10g and %.10g", l.lo, l.hi)
	}
	lo, hi := "at least", "at most"
	if l.excludesLow {
		lo = "above"
	}
	if l.excludesHigh {
		hi = "below"
	}
	return fmt.Sprintf("must be %s %.10g and %s %.10g", lo, l.lo, hi, l.hi)
}

// Auto is the value of many options that leaves the choice to the rows or the machine.
const Auto = "auto"

// The largest numbers for which the counters of device.Key certainly suffice.
const (
	MaxSteps   = 1_000_000_000
	MaxSamples = model.MaxSamples
	MaxWidth   = 1_000_000
)

// maxFactor is the largest factor, weight or variance. Larger ones end in numbers that are not finite.
const maxFactor = 1e6

const (
	onGP    = "gpdrf or gp"
	onDRF   = "gpdrf or drf"
	onGPDRF = "gpdrf"
)

// defaults is the table of Options, which only the values of a Config change.
var defaults = sync.OnceValue(Options)

// Find returns the option with this key and its default, nil if the key is unknown.
func Find(key string) *Option { return find(defaults(), key) }

// find returns the option with this key, nil if the key is unknown.
func (c *Config) find(key string) *Option { return find(c.Options(), key) }

func find(all []Option, key string) *Option {
	if i := slices.IndexFunc(all, func(o Option) bool { return o.Key == key }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Check checks one setting by itself. Errors are *usererror.Error.
func Check(s Setting) error {
	c := Defaults()
	return c.set(s)
}

// set reads the text of a setting into its field, and keeps its source. Errors are *usererror.Error.
func (c *Config) set(s Setting) error { return c.setOf(c.Options(), s) }

// setOf works like set, with the table of all options of c.
func (c *Config) setOf(all []Option, s Setting) error {
	o := find(all, s.Key)
	if o == nil {
		return &usererror.Error{Option: s.Key,
			Err: fmt.Errorf("%s: unknown option %q%s", s.From, s.Key, didyoumean.Hint(s.Key, keys()))}
	}
	if wrong := o.parse(s.Text); wrong != "" {
		return s.Errorf("%q %s", s.Text, wrong)
	}
	explicit := map[string]string{} // copies of the Config share the old one
	maps.Copy(explicit, c.explicit)
	explicit[s.Key] = s.From
	if s.Text == Auto && s.Key != "objective" { // steps with an objective of auto still have attempts
		delete(explicit, s.Key)
	}
	c.explicit = explicit
	return nil
}

// notOneOf lists the values of an option, and asks about the one that is most like a text.
func notOneOf(text string, values []string) string {
	wrong := "is none of the values " + strings.Join(values, ", ")
	if near, ok := didyoumean.Nearest(text, values); ok {
		wrong += fmt.Sprintf(": did you mean %q?", near)
	}
	return wrong
}

func keys() (all []string) {
	for _, o := range defaults() {
		all = append(all, o.Key)
	}
	return all
}

// parse reads text into the field. It tells why a text is wrong; "" if it is right.
func (o *Option) parse(text string) (wrong string) {
	switch p := o.value.(type) {
	case *string:
		if o.check != nil {
			wrong = o.check(text)
		}
		if wrong == "" && o.Values != nil && !slices.Contains(o.Values, text) {
			wrong = notOneOf(text, o.Values)
		}
		if wrong != "" {
			return wrong
		}
		*p = text
	case *bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return "is neither true nor false"
		}
		*p = v
	case *int:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "is not a whole number"
		}
		if wrong := o.limits.check(float64(v)); wrong != "" {
			return wrong
		}
		*p = int(v)
	case *uint64:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return "is not a whole number from 0 to 18446744073709551615"
		}
		*p = v
	case *float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return "is not a number"
		}
		if wrong := o.limits.check(v); wrong != "" {
			return wrong
		}
		*p = v
	case *time.Duration:
		v, err := time.ParseDuration(text)
		if err != nil {
			return "is not a time: write 90s, 10m or 1h30m"
		}
		if v <= 0 {
			return "must be above 0"
		}
		*p = v
	default:
		panic("options: option " + o.Key + " has a field of unknown type")
	}
	return ""
}
