package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// call is a verb with its arguments of the command line.
type call struct {
	verb   verb
	args   []string                   // the words that are no flags and no values of flags
	values map[string]options.Setting // the values of flags, and of keys that --set gives

	fileKeys    map[string]options.Setting // the keys of the config file about the command; nil until it is read
	fileOptions []options.Setting          // the options of a run in the config file

	err error // the error of the first value that could not be read
}

// newCall reads the words after a verb. Flags come before or after arguments, with one dash or two. After "--" no word
// is a flag.
func newCall(v verb, words []string) (*call, error) {
	c := &call{verb: v, values: map[string]options.Setting{}}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if word == "--" {
			c.args = append(c.args, words...)
			break
		}
		if word == "-" || !strings.HasPrefix(word, "-") {
			c.args = append(c.args, word)
			continue
		}
		name, value, hasValue := cutFlag(word)
		f := v.flag(name)
		switch {
		case asksForHelp(name):
			return &call{verb: v, values: map[string]options.Setting{"help": {}}}, nil
		case f == nil:
			if !hasValue && len(words) > 0 && !strings.HasPrefix(words[0], "-") {
				value = words[0]
			}
			return nil, v.unknownFlag(name, value)
		case hasValue:
		case f.isSwitch():
			value = "true"
		case len(words) == 0:
			return nil, usagef("--%s: needs a value: %s", name, f.arg)
		case strings.HasPrefix(words[0], "-") && (v.flag(flagName(words[0])) != nil || asksForHelp(flagName(words[0]))):
			return nil, usagef("--%s: needs a value, and the next word is the flag %s: give %s", name, words[0], f.arg)
		default:
			value, words = words[0], words[1:]
		}
		if value == "" {
			return nil, usagef("--%s: is empty: is a variable of the shell not set?", name)
		}
		s := options.Setting{Key: name, Text: value, From: "--" + name}
		if name == setFlag {
			var err error
			if s, err = v.parseSet(value); err != nil {
				return nil, err
			}
		}
		if _, twice := c.values[s.Key]; twice {
			return nil, s.Errorf("is given twice: remove one")
		}
		c.values[s.Key] = s
	}
	if i := slices.Index(c.args, ""); i >= 0 {
		return nil, usagef("argument %d of %s is empty: is a variable of the shell not set?", i+1, v.name)
	}
	return c, nil
}

// cutFlag returns the name and the value in a word such as --name=value.
func cutFlag(word string) (name, value string, hasValue bool) {
	return strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
}

func flagName(word string) string { name, _, _ := cutFlag(word); return name }

func asksForHelp(name string) bool { return name == "help" || name == "h" }

// flag returns the flag of this name; nil if the name is unknown.
func (v *verb) flag(name string) *flagSpec { return flagNamed(v.flags, name) }

// key returns the key of --set of this name; nil if the name is unknown.
func (v *verb) key(name string) *flagSpec { return flagNamed(v.keys, name) }

func flagNamed(flags []flagSpec, name string) *flagSpec {
	if i := slices.IndexFunc(flags, func(f flagSpec) bool { return f.name == name }); i >= 0 {
		return &flags[i]
	}
	return nil
}

func flagNames(flags []flagSpec) (all []string) {
	for _, f := range flags {
		all = append(all, f.name)
	}
	return all
}

// setFlag is the name of the flag for keys that have no flag of their own.
const setFlag = "set"

// parseSet reads the value of --set.
func (v *verb) parseSet(text string) (options.Setting, error) {
	key, value, ok := strings.Cut(text, "=")
	switch {
	case !ok:
		return options.Setting{}, usererror.OfFlag(setFlag, "%q is not of the form KEY=VALUE", text)
	case key == "part" && v.name == "train":
		return options.Setting{}, usererror.OfFlag(setFlag, "there is no key part any more: train each fold by "+
			"itself, with --folds N --fold K")
	case v.takesKey(key):
		return options.Setting{Key: key, Text: value, From: options.BySet}, nil
	case v.flag(key) != nil:
		return options.Setting{}, usagef("%s: is a flag of its own: use %s", usererror.Key(key), usererror.Flag(key))
	}
	if near, ok := didyoumean.Nearest(key, append(flagNames(v.keys), flagNames(v.flags)...)); ok {
		meant := usererror.Flag(near)
		if v.takesKey(near) {
			meant = strconv.Quote(near)
		}
		return options.Setting{}, usererror.OfFlag(setFlag, "unknown key %q: did you mean %s?", key, meant)
	}
	hint := cmp.Or(didyoumean.Hint(key, flagNames(v.keys)), ": see gpdrf-gpu help "+v.name+" --all")
	return options.Setting{}, usererror.OfFlag(setFlag, "unknown key %q%s", key, hint)
}

// takesKey reports whether --set takes a key. Options with a flag are keys, too, where there is a config file.
func (v *verb) takesKey(name string) bool {
	return v.key(name) != nil || v.flag("config") != nil && options.Find(name) != nil
}

// unknownFlag returns the error for a flag that the verb does not have; value is its value.
func (v *verb) unknownFlag(name, value string) error {
	if f := v.key(name); f != nil {
		def := "VALUE"
		if f.isSwitch() && value != "false" {
			def, value = "true", ""
		}
		return usagef("--%s is not a flag: use --set %s=%s", name, name, cmp.Or(value, def))
	}
	if name == jsonFlag.name && v.flag("format") != nil {
		return usagef("unknown flag --json: use --format jsonl")
	}
	if near, ok := didyoumean.Nearest(name, append(flagNames(v.flags), "help")); ok {
		return usagef("unknown flag --%s: did you mean --%s?", name, near)
	}
	return usagef("unknown flag --%s: see gpdrf-gpu %s --help", name, v.name)
}

// setting returns the value of a flag or a key on the command line. If it is not there, it looks in the config file,
// but only for keys about the command.
func (c *call) setting(name string) (s options.Setting, given bool) {
	if s, given = c.values[name]; given {
		return s, true
	}
	if c.verb.key(name) == nil || options.Find(name) != nil || c.readConfig() != nil {
		return s, false
	}
	s, given = c.fileKeys[name]
	return s, given
}

// errorf returns an error about a flag or a key. It begins with the flag or key as the user wrote it.
func (c *call) errorf(name, format string, args ...any) error {
	s, given := c.setting(name)
	if !given {
		s = options.Setting{Key: name, From: "--" + name}
	}
	return s.Errorf(format, args...)
}

// text returns the value of a flag, and reports whether the flag was given.
func (c *call) text(name string) (string, bool) {
	s, given := c.setting(name)
	return s.Text, given
}

// readConfig reads the config file, if there is one.
func (c *call) readConfig() error {
	path, given := c.values["config"]
	if c.fileKeys != nil || !given {
		return nil
	}
	all, err := options.ReadConfig(path.Text, flagNames(commandKeys())...)
	if err != nil {
		return err
	}
	c.fileKeys = map[string]options.Setting{}
	for _, s := range all {
		if options.Find(s.Key) == nil {
			c.fileKeys[s.Key] = s
		} else {
			c.fileOptions = append(c.fileOptions, s)
		}
	}
	return nil
}

// runOptions lists the options of a run that the command line gives, in the order of their table.
func (c *call) runOptions() (settings []options.Setting) {
	for _, o := range options.Options() {
		if s, ok := c.values[o.Key]; ok {
			settings = append(settings, s)
		}
	}
	return settings
}

// givenKeys returns the sorted keys of settings.
func givenKeys(settings []options.Setting) []string {
	keys := []string{}
	for _, s := range settings {
		keys = append(keys, s.Key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// config resolves the options of train from the command line and the config file.
func (c *call) config() (cfg options.Config, err error) {
	if err = c.readConfig(); err != nil {
		return cfg, err
	}
	if cfg, err = options.Resolve(c.fileOptions, c.runOptions()); err != nil {
		return cfg, err
	}
	return cfg, cfg.CheckNeeds()
}

func (p *program) readCommonFlags(c *call) error {
	p.quiet, p.json = c.isOn("quiet"), c.isOn("json")
	if c.err == nil && c.verb.args == "" {
		c.err = c.noMore(c.args)
	}
	if threads := c.count("threads", 1, maxThreads, 0); threads > 0 {
		runtime.GOMAXPROCS(threads)
	}
	return c.err
}

// maxThreads is the largest value of --threads, far above the number of processors of any machine.
const maxThreads = 4096

// valueOf reads a flag or a key. It returns def if it was not given or cannot be parsed. The first error is kept in
// c.err, and after it no value is read: a reader of several values checks c.err once, at the end.
func valueOf[T any](c *call, name string, def T, parse func(text string) (T, error)) T {
	text, given := c.text(name)
	if !given || c.err != nil {
		return def
	}
	v, err := parse(text)
	if err != nil {
		c.err = c.errorf(name, "%w", err)
		return def
	}
	return v
}

// isOn reads a switch. It is off by default, unless its help has another default.
func (c *call) isOn(name string) bool {
	f := cmp.Or(c.verb.flag(name), c.verb.key(name))
	return valueOf(c, name, f != nil && f.def == "true", func(text string) (bool, error) {
		on, err := strconv.ParseBool(text)
		if err != nil {
			err = fmt.Errorf("%q is neither true nor false", text)
		}
		return on, err
	})
}

// count reads a whole number from lo to hi. The default is def.
func (c *call) count(name string, lo, hi, def int) int {
	return within(c, name, lo, hi, def, strconv.Atoi, "a whole number")
}

// within reads a value from lo to hi. wanted says what other texts are not.
func within[T cmp.Ordered](c *call, name string, lo, hi, def T, parse func(text string) (T, error), wanted string) T {
	return valueOf(c, name, def, func(text string) (T, error) {
		v, err := parse(text)
		switch {
		case err != nil:
			err = fmt.Errorf("%q is not %s", text, wanted)
		case v < lo || v > hi:
			err = fmt.Errorf("%q must be between %v and %v", text, lo, hi)
		}
		return v, err
	})
}

// argument returns the only argument of the verb.
func (c *call) argument() (string, error) {
	if len(c.args) == 0 {
		return "", usagef("%s needs an argument: gpdrf-gpu %s %s", c.verb.name, c.verb.name, c.verb.args)
	}
	return c.args[0], c.noMore(c.args[1:])
}

// noMore refuses arguments that the verb does not take.
func (c *call) noMore(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if args[0] == "true" || args[0] == "false" {
		return usagef("unexpected argument %q: a switch is written --name=%s", args[0], args[0])
	}
	if c.verb.flag("data") != nil && isFile(args[0]) {
		return usagef("unexpected argument %q: a file of rows is given by --data %s", args[0], args[0])
	}
	return usagef("unexpected argument %q: see gpdrf-gpu %s --help", args[0], c.verb.name)
}
