package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/sets"
	"github.com/gpdrf/gpdrf-gpu/data/summary"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
	"github.com/gpdrf/gpdrf-gpu/internal/version"
	"github.com/gpdrf/gpdrf-gpu/report"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/best"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

func (p *program) infoVerb() verb {
	return verb{
		name: "info", args: "[RUN | FILE]", line: "describe a run, a model, a data file or this machine",
		run: p.info,
		about: "For a run folder, it shows the options and scores. It checks a model file or a checkpoint, and shows " +
			"its format, checksum and tensors. For a data file, it shows the columns, the target and the " +
			"fingerprint; for a named set, those of its training rows. Without an argument it shows the devices of " +
			"this machine, and the folder of the named sets.",
		flags: append(flagsOf("target task labels ignore sequence"),
			flagSpec{group: "Data", name: "missing", arg: strings.Join(data.MissingWays(), "|"),
				help: "what to do about missing cells of FILE; default: impute"},
			tableSetFlag,
			flagSpec{group: "Check", name: "check-file", arg: "FILE",
				help: "read all of a model file or a checkpoint, whatever its name; exit code 2 if it is damaged"},
			jsonFlag),
		keys: tableKeys(),
		examples: []example{
			{"gpdrf-gpu info runs/powerplant-gpdrf-1", "a run: its options and its scores"},
			{"gpdrf-gpu info --check-file copy-of-model.safetensors", "is this copy of a model undamaged?"},
			{"gpdrf-gpu info examples/power.csv", "a table, before training on it"},
			{"gpdrf-gpu info examples/dna.fasta", "sequences, their alphabet and classes"},
			{"gpdrf-gpu info", "this machine"},
		},
	}
}

// info describes a run folder, a model file, a data file, or this program and its machine.
func (p *program) info(c *call) error {
	p.newExitGuard(p.ctx, p.nothingWritten)
	args := c.args
	if err := c.noMore(args[min(1, len(args)):]); err != nil {
		return err
	}
	path, check := c.text("check-file")
	if check && len(args) > 0 {
		return usagef("--check-file %s: takes the place of %s: give one of them", path, args[0])
	}
	if len(args) > 0 && !isFolder(args[0]) && rundir.IsModelFile(args[0]) {
		path, check = args[0], true
	}
	if check {
		if err := c.onlyForData(); err != nil {
			return err
		}
		return p.checkFile(path)
	}
	about, err := p.describe(c, args)
	if err != nil {
		return err
	}
	return p.show(about)
}

// describe describes a run, a search, a data file, or this program and its machine.
func (p *program) describe(c *call, args []string) (description, error) {
	if len(args) > 0 && (slices.Contains(data.Names(), args[0]) || !isFolder(args[0])) {
		return p.aboutData(c, args[0])
	}
	if err := c.onlyForData(); err != nil {
		return nil, err
	}
	switch {
	case len(args) == 0:
		return p.aboutProgram(), nil
	case rundir.IsCV(args[0]):
		cv, err := rundir.OpenCV(args[0])
		return cvInfo{cv, args[0]}, err
	case rundir.IsSearch(args[0]):
		s, err := best.Open(args[0])
		return searchInfo{args[0], s}, err
	}
	return aboutRun(args[0])
}

// onlyForData refuses the flags for reading a data file if there is no data file.
func (c *call) onlyForData() error {
	for _, f := range append(slices.Clone(c.verb.flags), c.verb.keys...) {
		if s, given := c.setting(f.name); given && (f.group == "Data" || f.isKey) {
			return s.Errorf("applies to data files only")
		}
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() && !data.IsFolder(path)
}

// aboutData describes a file, or the training rows of a named set.
func (p *program) aboutData(c *call, name string) (summary.Summary, error) {
	control, end := p.reading(p.ctx)
	defer end()
	opt := data.ReadOptions{Describe: true, ReadControl: control}
	opt.Target, _ = c.text("target")
	opt.Task, _ = c.text("task")
	opt.Labels, _ = c.text("labels")
	opt.Tokens, _ = c.text("tokens")
	opt.Sequence, _ = c.text("sequence")
	var err error
	if opt.TableOptions, err = c.tableOptions(); err != nil {
		return summary.Summary{}, err
	}
	var ds *data.Dataset
	var notes []string
	if slices.Contains(data.Names(), name) {
		ds, _, notes, err = data.Load(data.Source{Data: name, DataDir: os.Getenv(data.DataDirEnv),
			ReadOptions: opt})
	} else {
		ds, notes, err = data.ReadFile(name, opt)
	}
	if err != nil {
		return summary.Summary{}, err
	}
	p.relayAll(notes)
	return summary.Of(ds), nil
}

// programInfo is what `info` prints about the program and the machine.
type programInfo struct {
	Version string `json:"version"`
	Source  string `json:"source,omitempty"` // version of the module, with its commit
	Go      string `json:"go"`
	System  string `json:"system"`
	Threads int    `json:"threads"`
	SIMD    string `json:"simd"`
	devicesInfo
	DataDir string    `json:"data_dir"`
	Sets    []setInfo `json:"sets"`
}

// setInfo is a named set and the place that it is read from.
type setInfo struct {
	Name  string `json:"name"`
	Folds int    `json:"folds"`
	From  string `json:"from"` // a folder, "embedded", or "" if it is not there
}

func (p *program) aboutProgram() programInfo {
	i := programInfo{
		Version: version.Number, Source: source(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Threads: runtime.GOMAXPROCS(0),
		SIMD:    simd.Tier(), devicesInfo: p.aboutDevices(), DataDir: os.Getenv(data.DataDirEnv),
	}
	for _, s := range sets.All() {
		i.Sets = append(i.Sets, setInfo{s.Name, s.Folds, s.From(i.DataDir)})
	}
	return i
}

// source returns the version of the module that Go has recorded; "" if it has not.
func source() string {
	built, ok := debug.ReadBuildInfo()
	if !ok || built.Main.Version == "(devel)" {
		return ""
	}
	return built.Main.Version
}

// Lines returns the text for people.
func (i programInfo) Lines() []string {
	source := ""
	if i.Source != "" {
		source = " of " + i.Source
	}
	lines := append([]string{fmt.Sprintf("gpdrf-gpu %s%s, %s, %s", i.Version, source, i.Go, i.System)}, i.lines()...)
	if i.DataDir == "" {
		lines = append(lines, "data      "+data.DataDirEnv+
			" is not set: set it to the folder of the named sets")
	} else {
		lines = append(lines, "data      "+data.DataDirEnv+"="+i.DataDir)
	}
	for _, s := range i.Sets {
		from := s.From
		if from == "" {
			from = "not there"
		}
		lines = append(lines, fmt.Sprintf("  %-11s folds 1 to %d  %s", s.Name, s.Folds, from))
	}
	return lines
}

// runInfo is what `info RUN` prints for a run.
type runInfo struct {
	Path   string         `json:"path"`
	Bytes  int64          `json:"bytes"` // size of all files
	Result *rundir.Result `json:"result"`
	Config []option       `json:"config"`

	Maps   []fitted.MapKernel `json:"maps,omitempty"`   // kernels of sequences
	Search *best.State        `json:"search,omitempty"` // the search of preset best or of an ensemble

	run *rundir.Run
}

type option struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func aboutRun(path string) (*runInfo, error) {
	run, err := rundir.OpenRun(path)
	if err != nil {
		return nil, err
	}
	i := &runInfo{Path: path, Result: run.Result, Maps: run.Trained.MapKernels(), run: run}
	if run.Trained.Members != nil {
		if i.Search, err = best.Open(path); err != nil {
			return nil, err
		}
	}
	for _, o := range run.Config.Options() {
		if o.Applies(run.Config.Model) && run.Config.Explicit(o.Key) {
			i.Config = append(i.Config, option{o.Key, o.Text()})
		}
	}
	folder := filepath.Clean(path) + string(filepath.Separator) // with a separator WalkDir follows a link
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				i.Bytes += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // a training has just removed the file
			return nil
		}
		return err
	})
	return i, err
}

// Lines returns the text for people: the result, then the options.
func (i *runInfo) Lines() []string {
	r := i.Result
	testing := "none for testing"
	if r.NTest > 0 {
		testing = fmt.Sprintf("%d for testing (%.12s…)", r.NTest, r.Fingerprint.Test)
	}
	lines := []string{
		fmt.Sprintf("%s: %s on %s, %s, trained with gpdrf-gpu %s on %s", i.Path, r.Model, r.Data, r.Task,
			r.Version, r.Device),
		fmt.Sprintf("rows       %d for training (%.12s…), %s", r.NTrain, r.Fingerprint.Train, testing),
		fmt.Sprintf("training   %d steps, %.1f s in all, %d parameters, %s", r.Steps, r.Seconds, r.Parameters,
			i.progress()),
	}
	if cut := train.UnfinishedWarning(i.run.Config); cut != "" {
		lines = append(lines, cut)
	}
	if i.Search == nil {
		lines = append(lines, "objective  "+r.ObjectiveText(func(v float64) string { return fmt.Sprintf("%.5g", v) }))
	}
	if v := r.Validation; v != nil {
		lines = append(lines, validationLine(v))
	}
	if p := i.run.Trained.Projection; p != nil {
		lines = append(lines, "inputs     "+p.String())
	}
	for _, m := range i.Maps {
		lines = append(lines, "kernel     "+m.String())
	}
	if i.run.CanResume() && (r.Interrupted || r.Unfinished) {
		lines = append(lines, "to resume  "+rundir.ResumeCommand(i.Path))
	}
	if r.Failure != "" {
		lines = append(lines, "evaluation failed: "+r.Failure)
	}
	if r.TestScores.Regression != nil || r.TestScores.Classification != nil {
		lines = append(lines, "")
		lines = append(lines, strings.Split(scoreTable(r), "\n")...)
	}
	if i.Search != nil {
		lines = append(append(lines, ""), i.Search.Lines()...)
	}
	history, _ := rundir.ReadHistory(i.Path) // without a sound one there is one list
	for _, list := range report.OptionLists(i.run.Config, history) {
		lines = append(lines, "", strings.ToLower(list.Title))
		for _, o := range list.Options {
			lines = append(lines, fmt.Sprintf("  %s: %s", o.Key, o.Text))
		}
	}
	return lines
}

// validationLine describes the validation of a run.
func validationLine(v *rundir.Validation) string {
	score := ""
	if v.NLPD != nil {
		score = fmt.Sprintf("nlpd %.4f ", *v.NLPD)
	} else if v.NLL != nil {
		score = fmt.Sprintf("nll %.4f ", *v.NLL)
	}
	ended := ""
	if v.EarlyStopped {
		ended = "; stopped early"
	}
	return fmt.Sprintf("validation %d rows, every %d steps: %sat step %d, %s%s", v.Rows, v.Every,
		score, v.Step, v.Restored, ended)
}

// progress describes the progress of the run.
func (i *runInfo) progress() string {
	switch {
	case i.Result.Unfinished:
		return fmt.Sprintf("unfinished: a checkpoint of a run of %d steps", i.run.Config.Steps)
	case i.Result.Interrupted:
		return fmt.Sprintf("interrupted; %d steps were planned", i.run.Config.Steps)
	}
	return "complete"
}
