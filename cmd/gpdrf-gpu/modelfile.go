package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// modelFileInfo is what `info` shows about a model file or a checkpoint, after it has read and checked all of it.
type modelFileInfo struct {
	Path     string       `json:"path"`
	Format   string       `json:"format"` // name of the format in docs/formats.md
	Bytes    int64        `json:"bytes"`
	Sound    bool         `json:"sound"` // true: a damaged file is a damagedFile
	Checksum string       `json:"checksum"`
	Step     int          `json:"step,omitempty"` // step of a checkpoint
	Steps    int          `json:"steps,omitempty"`
	Models   []modelInfo  `json:"models"` // the model, or the members of an ensemble
	Tensors  []tensorInfo `json:"tensors"`
}

type modelInfo struct {
	Model      string `json:"model"`
	Likelihood string `json:"likelihood"`
	Target     string `json:"target"`
	// Inputs is the number of columns after words became numbers, or after a projection.
	Inputs     int     `json:"inputs"`
	Weight     float64 `json:"weight"`
	Projection string  `json:"projection,omitempty"` // description of the projection; "" without one
}

type tensorInfo struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape []int  `json:"shape"`
}

// aboutModelFile reads a file as predict and --resume do. The error of a damaged file is a *usererror.Error.
func aboutModelFile(path string) (i *modelFileInfo, err error) {
	var trained *fitted.Model
	i = &modelFileInfo{Path: path, Sound: true}
	format, wrong := i.readTensors() // an error of the reader of the format below is more precise than wrong
	if filepath.Base(path) == rundir.CheckpointFile || format == rundir.CheckpointFormat {
		c, err := rundir.ReadCheckpointFile(path)
		if err != nil {
			return nil, err
		}
		i.Format = rundir.CheckpointFormat
		i.Step = c.Step
		i.Steps = c.Config.Last()
		trained = c.Trained
	} else if trained, err = fitted.ReadModel(path); err != nil {
		return nil, err
	} else {
		i.Format = trained.Format()
	}
	members := trained.Members
	if members == nil {
		members = []fitted.Member{{Weight: 1, Model: trained}}
	}
	for _, m := range members {
		about := modelInfo{Model: m.Config.Model, Likelihood: m.Config.Likelihood, Target: m.Schema.Target,
			Inputs: m.Config.Inputs, Weight: m.Weight}
		if m.Projection != nil {
			about.Projection = m.Projection.String()
		}
		i.Models = append(i.Models, about)
	}
	return i, wrong
}

// damagedFile is what `info --check-file --json` shows about a damaged file.
type damagedFile struct {
	Path  string `json:"path"`
	Sound bool   `json:"sound"` // false
	Wrong string `json:"wrong"`
}

// checkFile prints the content of a model file or a checkpoint, whatever its name. The error of a damaged file is a
// *usererror.Error.
func (p *program) checkFile(path string) error {
	about, err := aboutModelFile(path)
	if err == nil {
		return p.show(about)
	}
	if p.json {
		if err := p.printJSON(damagedFile{Path: path, Wrong: err.Error()}); err != nil {
			return err
		}
	}
	return err
}

// readTensors lists the tensors and the checksum, and returns the format.
func (i *modelFileInfo) readTensors() (format string, err error) {
	f, err := os.Open(i.Path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	about, err := f.Stat()
	if err != nil {
		return "", err
	}
	i.Bytes = about.Size()
	metadata, tensors, err := safetensors.Read(f, i.Bytes)
	for _, x := range tensors {
		i.Tensors = append(i.Tensors, tensorInfo{x.Name, x.DType, x.Shape})
	}
	i.Checksum = metadata[safetensors.ChecksumKey]
	return metadata[fitted.FormatKey], err
}

// Lines returns the text for people.
func (i *modelFileInfo) Lines() []string {
	at := ""
	if i.Steps > 0 {
		at = fmt.Sprintf(", at step %d of %d", i.Step, i.Steps)
	}
	lines := []string{
		fmt.Sprintf("%s: %s%s, %s, sound", i.Path, i.Format, at, humanize.IBytes(uint64(i.Bytes))),
		"checksum  " + i.Checksum + ", as the file says",
	}
	for _, m := range i.Models {
		weight := ""
		if len(i.Models) > 1 {
			weight = fmt.Sprintf(", weight %.3g", m.Weight)
		}
		inputs := fmt.Sprintf("%d inputs", m.Inputs)
		if m.Projection != "" {
			inputs = m.Projection
		}
		lines = append(lines, fmt.Sprintf("model     %s with %s, %s likelihood, target %q%s",
			m.Model, inputs, m.Likelihood, m.Target, weight))
	}
	lines = append(lines, "", fmt.Sprintf("%d tensors", len(i.Tensors)))
	t := newTable()
	for _, x := range i.Tensors {
		t.add(x.Name, x.Type, strings.ReplaceAll(fmt.Sprint(x.Shape), " ", ","))
	}
	return append(lines, t.lines("  ")[1:]...) // without a header
}
