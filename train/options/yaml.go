package options

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// maxConfigFile is the largest number of bytes in a config file, which is a page of text.
const maxConfigFile = 1 << 20

// ReadConfig reads a YAML file of options into settings for Resolve. more are further keys that the caller allows.
// Every error names file, line and column, and is a *usererror.Error.
func ReadConfig(path string, more ...string) ([]Setting, error) {
	if info, err := os.Stat(path); os.IsNotExist(err) {
		return nil, usererror.Errorf("%s: there is no such file", path)
	} else if err == nil && info.IsDir() {
		return nil, usererror.Errorf("%s: is a folder: give a file in it, such as %s", path,
			filepath.Join(path, "config.yaml"))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfigFile+1))
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	if len(text) > maxConfigFile {
		return nil, usererror.Errorf("%s: larger than %d bytes: this is not a config file", path, maxConfigFile)
	}
	return ParseYAML(path, text, more...)
}

// ParseYAML works like ReadConfig, for a text. It walks the YAML tree instead of decoding into the struct, because only
// the tree knows the line and column of each key.
func ParseYAML(name string, text []byte, more ...string) ([]Setting, error) {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntaxError(name, err)
	}
	at := func(n *yaml.Node) string { return fmt.Sprintf("%s:%d:%d", name, n.Line, n.Column) }
	if err := dec.Decode(new(yaml.Node)); err == nil {
		return nil, usererror.Errorf("%s: more than one YAML document", name)
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(name, err)
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, usererror.Errorf("%s: expected lines of the form \"key: value\"", at(root))
	}
	var settings []Setting
	seen := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		setting := Setting{key.Value, value.Value, at(value)}
		line, repeated := seen[setting.Key]
		switch {
		case key.Kind != yaml.ScalarNode || Find(setting.Key) == nil && !slices.Contains(more, setting.Key):
			hint := cmp.Or(didyoumean.Hint(key.Value, keys()), ": see gpdrf-gpu help train --all")
			return nil, usererror.Errorf("%s: unknown key %q%s", at(key), key.Value, hint)
		case repeated:
			return nil, usererror.Errorf("%s: key %q is already on line %d", at(key), setting.Key, line)
		case value.Kind != yaml.ScalarNode:
			return nil, usererror.Errorf("%s: %s takes one value, not a list, a mapping or an alias", at(value),
				key.Value)
		case value.Tag == "!!null":
			return nil, usererror.Errorf("%s: %s has no value: give one, or leave the line out", at(value), key.Value)
		}
		seen[setting.Key] = key.Line
		settings = append(settings, setting)
	}
	return settings, nil
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

func syntaxError(name string, err error) error {
	text := err.Error()
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		return usererror.Errorf("%s:%s: not YAML: %s", name, m[1], text[len(m[0]):])
	}
	return usererror.Errorf("%s: not YAML: %s", name, strings.TrimPrefix(text, "yaml: "))
}

// ConfigFile returns the Config as the file of a run folder. That is YAML or, between attempts, YAML without the
// options that attempts may change, so that the file repeats the whole run.
func (c Config) ConfigFile() []byte { return c.yaml(c.Objective == Auto) }

// YAML returns the Config as a config file: every option that the model has, in the order of the table. It has no date
// and no host in it, and reading it back gives the same Config.
func (c Config) YAML() []byte { return c.yaml(false) }

func (c Config) yaml(betweenAttempts bool) []byte {
	root := &yaml.Node{Kind: yaml.MappingNode,
		HeadComment: "gpdrf-gpu train --config FILE repeats this run.\nPaths are relative to the " +
			"folder the command runs in."}
	group := ""
	for _, o := range c.Options() {
		text := o.Text()
		unset := text == "0" && (IsLength(o.Key) || o.OmitUnset) || (text == "" || text == "false") && o.OmitUnset
		if !o.Applies(c.Model) || unset || c.leavesOpen(&o, betweenAttempts) {
			continue
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Value: o.Key}
		if o.Group != group {
			group = o.Group
			key.HeadComment = "\n" + group
		}
		value := &yaml.Node{Kind: yaml.ScalarNode, Value: text, LineComment: o.Help}
		if o.Values != nil {
			value.LineComment = strings.Join(o.Values, " | ")
		}
		if _, isText := o.value.(*string); isText {
			value.SetString(text) // it quotes a text that would not be read back as a string
		}
		root.Content = append(root.Content, key, value)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	if err := errors.Join(enc.Encode(root), enc.Close()); err != nil {
		panic("options: config does not encode: " + err.Error())
	}
	return out.Bytes()
}

// leavesOpen reports whether a config file leaves an option out, since no user gave it and training resolves it again:
// each of several models, and attempts all but the rows.
func (c Config) leavesOpen(o *Option, betweenAttempts bool) bool {
	switch several := c.Preset == Best || c.Ensemble > 1; {
	case c.Explicit(o.Key), o.Key == "preset", o.Key == "data-dir":
		return false
	case several:
		return true
	}
	return betweenAttempts && (o.Group != "Data" || o.Key == "columns")
}

// Text returns the Text of the option with this key.
func (c Config) Text(key string) string { return c.find(key).Text() }

// Text returns the value as a user would write it, and "0" for a length of training that is not set.
func (o *Option) Text() string {
	text := fmt.Sprint(reflect.ValueOf(o.value).Elem())
	if text == "0s" {
		return "0"
	}
	return text
}
