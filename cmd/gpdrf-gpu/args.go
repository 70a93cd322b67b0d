package main

import (
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gpdrf/gpdrf-gpu/internal/suggest"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// order puts the flags of a command line before its arguments, because the parser stops at the
// first argument, and answers unknown words with the known one that is near. After "--" nothing
// is a flag.
func (p *program) order(args []string) ([]string, error) {
	if len(args) < 2 || slices.Contains([]string{"--help", "-help", "-h", "--version", "-version", "-v"}, args[1]) {
		return args, nil
	}
	if args[len(args)-1] == completionFlag {
		return args, nil
	}
	word, help := args[1], args[1] == "help" || args[1] == "h"
	if help && len(args) == 2 {
		return args, nil
	} else if help {
		word = args[2]
	}
	var names []string
	for _, v := range p.verbs() {
		switch {
		case v.name != word:
			names = append(names, v.name)
		case help:
			return args, nil
		default:
			return orderVerb(args[0], v, args[2:])
		}
	}
	if strings.HasPrefix(word, "-") {
		return nil, usagef("%s: a command comes first: %s", word, strings.Join(names, ", "))
	}
	if near, ok := suggest.Nearest(word, names); ok {
		return nil, usagef("unknown command %q: did you mean %q?", word, near)
	}
	return nil, usagef("unknown command %q: use one of %s", word, strings.Join(names, ", "))
}

func orderVerb(program string, v verb, words []string) ([]string, error) {
	if err := becameVerb(v, words); err != nil {
		return nil, err
	}
	known := map[string]flagSpec{"help": {}, "h": {}}
	var names []string
	for _, f := range v.flags {
		known[f.name] = f
		names = append(names, f.name)
	}
	cut := func(word string) (name, value string, hasValue bool) { // one dash or two
		return strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
	}
	isFlag := func(word string) bool {
		name, _, _ := cut(word)
		_, ok := known[name]
		return ok && strings.HasPrefix(word, "-")
	}
	ordered := []string{program, v.name}
	var arguments []string
	given := map[string]bool{}
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			arguments = append(arguments, words[i+1:]...)
			break
		}
		if word == "-" || !strings.HasPrefix(word, "-") {
			arguments = append(arguments, word)
			continue
		}
		name, value, hasValue := cut(word)
		f, ok := known[name]
		twice := given[name]
		given[name] = true
		switch {
		case !ok && options.RemovedOption(name) != "":
			return nil, usagef("--%s: it %s", name, options.RemovedOption(name))
		case !ok && options.IsFileKey(name):
			return nil, usagef("--%s: can be set in a config file only: write %s: %s to FILE and give "+
				"--config FILE", name, name, cmp.Or(value, "VALUE"))
		case !ok:
			return nil, usagef("unknown flag --%s%s", name, flagHint(name, names, v.name))
		case twice:
			return nil, usagef("--%s: is given twice: remove one", name)
		case hasValue:
		case f.isSwitch():
			ordered = append(ordered, "--"+name)
			continue
		case i+1 == len(words):
			return nil, usagef("--%s: needs a value: %s", name, f.arg)
		case isFlag(words[i+1]):
			return nil, usagef("--%s: needs a value, and the next word is the flag %s: give %s",
				name, words[i+1], f.arg)
		default:
			i++
			value = words[i]
		}
		ordered = append(ordered, "--"+name+"="+value)
	}
	return append(append(ordered, "--"), arguments...), nil
}

// becameVerb answers the old forms info --check and info --plan with the commands that took their
// place.
func becameVerb(v verb, words []string) error {
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if v.name == "info" && strings.HasPrefix(word, "-") && (name == "check" || name == "plan") {
			return usagef("info --%[1]s: is now a command of its own: gpdrf-gpu %[1]s", name)
		}
	}
	return nil
}

func flagHint(name string, names []string, verb string) string {
	if near, ok := suggest.Nearest(name, names); ok {
		return ": did you mean --" + near + "?"
	}
	return ": see gpdrf-gpu " + verb + " --help"
}

// text is a flag's value as it was written.
type text struct {
	isSwitch bool
	value    string
}

func (t *text) Set(value string) error { t.value = value; return nil }
func (t *text) String() string         { return "" }
func (t *text) IsBoolFlag() bool       { return t.isSwitch }

// call is a verb with what was given to it.
type call struct {
	*cli.Context
	verb verb
}

// text is a flag's value, and whether the flag was given.
func (c *call) text(name string) (string, bool) {
	if !c.IsSet(name) {
		return "", false
	}
	return c.Generic(name).(*text).value, true
}

// given lists the flags that were given and are options of train.Config.
func (c *call) given() (settings []options.Setting) {
	for _, o := range options.Options() {
		if o.FileOnly {
			continue
		}
		if value, ok := c.text(o.Key); ok {
			settings = append(settings, options.Setting{Key: o.Key, Text: value, From: "--" + o.Key})
		}
	}
	return settings
}

// manner reads the flags that say how a command runs, and not what it does.
func (c *call) manner(p *program) error {
	quiet, err := c.isOn("quiet")
	if err != nil {
		return err
	}
	p.quiet = quiet
	threads, err := c.count("threads", 1, maxThreads, 0)
	if threads > 0 {
		runtime.GOMAXPROCS(threads)
	}
	return err
}

// maxThreads is far above the processors of any machine.
const maxThreads = 4096

// isOn reads a switch that is off where it is not given.
func (c *call) isOn(name string) (bool, error) { return c.isOnOr(name, false) }

// isOnOr reads a switch.
func (c *call) isOnOr(name string, otherwise bool) (bool, error) {
	value, ok := c.text(name)
	if !ok {
		return otherwise, nil
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, usagef("--%s: %q is neither true nor false", name, value)
	}
	return on, nil
}

// count reads a whole number from least to most, otherwise if it was not given.
func (c *call) count(name string, least, most, otherwise int) (int, error) {
	value, ok := c.text(name)
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, usagef("--%s: %q is not a whole number", name, value)
	}
	if n < least || n > most {
		return 0, usagef("--%s: %q must be at least %d and at most %d", name, value, least, most)
	}
	return n, nil
}

// argument is the verb's only argument.
func (c *call) argument() (string, error) {
	args := c.Args().Slice()
	if len(args) == 0 {
		return "", usagef("%s needs an argument: gpdrf-gpu %s %s", c.verb.name, c.verb.name, c.verb.args)
	}
	return args[0], c.noMore(args[1:])
}

// noMore refuses arguments that no verb has asked for.
func (c *call) noMore(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if args[0] == "true" || args[0] == "false" {
		return usagef("unexpected argument %q: a switch is written --name=%s", args[0], args[0])
	}
	return usagef("unexpected argument %q: see gpdrf-gpu %s --help", args[0], c.verb.name)
}
