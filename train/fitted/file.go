package fitted

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// The metadata of a model file: each value is JSON.
const (
	modelFormat  = "gpdrf-gpu"
	modelVersion = 2 // version of a plain model

	ensembleVersion = 3 // version of files with several models

	logVersion = 4 // version of models that predict the logarithm of a target

	temperatureVersion = 5 // version of models with a temperature, or with numbers that are not plain

	timesVersion = 6 // version of models that read dates
	wordsVersion = 7 // version of models that number words

	FormatKey      = "format"
	DescriptionKey = "trained"
)

// ensembleDescription replaces the description in the file of an ensemble.
type ensembleDescription struct {
	Version int                 `json:"version"`
	Members []memberDescription `json:"members"`
	Options string              `json:"options,omitempty"` // as those of a Model

	Conformal *Conformal `json:"conformal,omitempty"`
}

type memberDescription struct {
	Weight  float64         `json:"weight"`
	Trained json.RawMessage `json:"trained"` // a description
}

// Format returns the name and the version of the format of the model's file.
func (m *Model) Format() string {
	if m.Members != nil {
		return fmt.Sprintf("%s ensemble %d", modelFormat, ensembleVersion)
	}
	return fmt.Sprintf("%s model %d", modelFormat, m.version())
}

// memberPrefix returns the prefix of the names of a member's tensors.
func memberPrefix(k int) string { return fmt.Sprintf("member.%d.", k+1) }

// WriteModel writes a model file: a safetensors file with everything that prediction needs.
func (m *Model) WriteModel(w io.Writer) error {
	contents := m.contents
	if m.Members != nil {
		contents = m.ensembleContents
	}
	text, tensors, err := contents()
	if err != nil {
		return err
	}
	return safetensors.Write(w, map[string]string{FormatKey: modelFormat, DescriptionKey: text}, tensors)
}

// contents returns the parts of the file of one model.
func (m *Model) contents() (text string, tensors []safetensors.Tensor, err error) {
	text, extra, err := m.Description()
	for _, n := range m.Parameters {
		tensors = append(tensors, tensorOf(n.Name, n.Data, n.Shape...))
	}
	return text, append(tensors, extra...), err
}

// ensembleContents returns the parts of the file of an ensemble.
func (m *Model) ensembleContents() (text string, tensors []safetensors.Tensor, err error) {
	d := ensembleDescription{Version: ensembleVersion, Options: m.Options, Conformal: m.Conformal}
	for k, member := range m.Members {
		described, own, err := member.contents()
		if err != nil {
			return "", nil, err
		}
		d.Members = append(d.Members, memberDescription{member.Weight, json.RawMessage(described)})
		for _, x := range own {
			x.Name = memberPrefix(k) + x.Name
			tensors = append(tensors, x)
		}
	}
	described, err := json.Marshal(d)
	return string(described), tensors, err
}

// version returns the version of the model's file, which older programs refuse. Otherwise, they would take logarithms
// of a target for the target, leave out a temperature, or read numbers, dates and words in another way.
func (m *Model) version() int {
	switch {
	case m.Effects != nil:
		return wordsVersion
	case m.Schema.Dates != nil:
		return timesVersion
	case m.Config.Temperature > 0, m.Schema.Notations != nil:
		return temperatureVersion
	case slices.ContainsFunc(m.Targets, func(s scaling.TargetScale) bool { return s.Log }):
		return logVersion
	}
	return modelVersion
}

// ReadModel reads a model file. It checks that the parts fit each other before it allocates memory by the sizes in the
// file. Errors are *usererror.Error.
func ReadModel(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	if !info.Mode().IsRegular() {
		return nil, usererror.Errorf("%s: not a file", path)
	}
	t, err := parse(f, info.Size())
	if err != nil {
		return nil, usererror.Errorf("%s: %w: put a whole copy of it there, or train again", path, err)
	}
	return t, nil
}

// parse reads a model file of a number of bytes.
func parse(r io.ReaderAt, size int64) (*Model, error) {
	metadata, tensors, err := safetensors.Read(r, size)
	if err != nil {
		return nil, err
	}
	if metadata[FormatKey] != modelFormat || metadata[safetensors.ChecksumKey] == "" {
		return nil, errors.New("a safetensors file, but not a model of gpdrf-gpu")
	}
	text := metadata[DescriptionKey]
	var ensemble ensembleDescription
	if json.Unmarshal([]byte(text), &ensemble) == nil && ensemble.Version == ensembleVersion {
		return ensemble.parse(tensors)
	}
	return parseModel(text, tensors)
}

// parseModel makes a model from its description and its tensors.
func parseModel(text string, tensors []safetensors.Tensor) (*Model, error) {
	r := newTensorReader(tensors)
	t, err := r.readDescription(text)
	if err != nil {
		return nil, err
	}
	t.Parameters = t.Config.Layout()
	for i, n := range t.Parameters {
		t.Parameters[i].Data = r.reals(n.Name, n.Shape...)
	}
	return t, r.end()
}

// parse makes an ensemble from the tensors of its members.
func (d *ensembleDescription) parse(tensors []safetensors.Tensor) (*Model, error) {
	own := make([][]safetensors.Tensor, len(d.Members))
	for _, x := range tensors {
		k := -1
		for i := range d.Members {
			if name, ok := strings.CutPrefix(x.Name, memberPrefix(i)); ok {
				x.Name, k = name, i
				break
			}
		}
		if k < 0 {
			return nil, fmt.Errorf("tensor %q belongs to no member of the ensemble", x.Name)
		}
		own[k] = append(own[k], x)
	}
	members := make([]Member, len(d.Members))
	for k, m := range d.Members {
		t, err := parseModel(string(m.Trained), own[k])
		if err != nil {
			return nil, fmt.Errorf("member %d: %w", k+1, err)
		}
		members[k] = Member{m.Weight, t}
	}
	t, err := NewEnsemble(members)
	if err != nil {
		return nil, err
	}
	t.Options, t.Conformal = d.Options, d.Conformal
	return t, d.Conformal.check(len(t.Targets))
}
