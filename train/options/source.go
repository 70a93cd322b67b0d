package options

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// Load reads the training and the test rows, with the schema of a model or nil. The returned Config has the target, the
// task, the fold and the folder of a named set.
func (c Config) Load(schema *data.Schema, control data.ReadControl) (
	known Config, train, test *data.Dataset, notes []string, err error) {

	named := slices.Contains(data.Names(), c.Data)
	switch {
	case named || c.Folds > 0:
		c.Fold = max(c.Fold, 1)
	case !c.Explicit("fold"):
		c.Fold = 0
	}
	// an empty folder in a config.yaml is that of the run that wrote it
	if named && !c.Explicit("data-dir") {
		c.DataDir = os.Getenv(data.DataDirEnv)
	}
	paths := c.pathsFromHere()
	train, test, notes, err = data.Load(data.Source{
		Data: paths.Data, Test: paths.Test, TestLabels: paths.TestLabels, DataDir: paths.DataDir,
		Folds: c.Folds, Fold: c.Fold, Gram: paths.Gram, Seed: c.Seed,
		ReadOptions: data.ReadOptions{Target: c.Target, Task: c.taskToRead(), Labels: paths.Labels,
			TableOptions: c.TableOptions, Tokens: c.Tokens, Sequence: c.Sequence, Schema: schema, ReadControl: control},
	})
	if err != nil {
		return c, nil, nil, nil, err
	}
	c.Target, c.Task = train.Target, string(train.Task)
	known, more, err := c.ResolveTarget(train, test)
	if err != nil {
		return c, nil, nil, nil, err
	}
	return known, train, test, append(notes, more...), nil
}

// pathsFromHere returns the Config with its paths relative to the working directory.
func (c Config) pathsFromHere() Config {
	if c.folder == "" {
		return c
	}
	return c.PathsFrom(c.folder)
}

// RelativeTo returns the Config of a run whose relative paths start in a folder.
func (c Config) RelativeTo(folder string) Config {
	if workDir, err := os.Getwd(); err == nil && workDir == folder {
		return c
	}
	c.folder = folder
	return c
}

// Folder returns the folder in which relative paths start; "" is the working directory.
func (c Config) Folder() string { return c.folder }

// PathsFrom returns the Config with its relative paths joined to a folder.
func (c Config) PathsFrom(folder string) Config {
	paths := []*string{&c.Test, &c.Labels, &c.TestLabels, &c.DataDir, &c.Gram}
	if data.Folds(c.Data) == 0 { // not a named set
		paths = append(paths, &c.Data)
	}
	if _, file := c.validation(); file != "" {
		paths = append(paths, &c.Validation)
	}
	for _, path := range paths {
		if path == &c.Test && *path == data.NoTest {
			continue
		}
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(folder, *path)
		}
	}
	return c
}
