package options

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// Load reads the training and the test rows. The Config that it returns has what it finds out
// about them: the target, the task, the fold, the folder of a named set.
func (c *Config) Load(w data.Watch) (known *Config, train, test *data.Dataset, notes []string, err error) {
	return c.LoadLike(nil, w)
}

// LoadLike is Load of rows with the columns of a model; nil finds the columns.
func (c *Config) LoadLike(like *data.Schema, w data.Watch) (known *Config, train, test *data.Dataset,
	notes []string, err error) {
	c = c.copy()
	named := slices.Contains(data.Names(), c.Data)
	switch {
	case named || c.Folds > 0:
		c.Fold = max(c.Fold, 1)
	case !c.Explicit("fold"):
		c.Fold = 0
	}
	// an empty one that is written down means what it did then
	if named && !c.Explicit("data-dir") {
		c.DataDir = os.Getenv(data.DataDirEnv)
	}
	from := c.pathsFromHere()
	train, test, notes, err = data.Load(data.Source{
		Data: from.Data, Test: from.Test, Labels: from.Labels, TestLabels: from.TestLabels,
		TableOptions: c.tableOptions(), DataDir: from.DataDir, Folds: c.Folds, Fold: c.Fold,
		Target: c.Target, Task: c.taskToRead(), Seed: c.Seed,
		Tokens: c.Tokens, Sequence: c.Sequence, Gram: from.Gram, Like: like, Watch: w,
	})
	if err != nil {
		return nil, nil, nil, nil, err
	}
	c.Target, c.Task = train.Target, string(train.Task)
	known, more, err := c.KnowTarget(train, test)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	return known, train, test, append(notes, more...), nil
}

// pathsFromHere is the Config with its paths as they lead to files from here.
func (c *Config) pathsFromHere() *Config {
	if c.at == "" {
		return c
	}
	return c.PathsFrom(c.at)
}

// RelativeTo is the Config of a run that began in another folder, where its relative paths start.
func (c *Config) RelativeTo(folder string) *Config {
	if here, err := os.Getwd(); err == nil && here == folder {
		return c
	}
	there := c.copy()
	there.at = folder
	return there
}

// Folder is where relative paths start; "" is here.
func (c *Config) Folder() string { return c.at }

// tableOptions are the options of a table, as package data has them.
func (c *Config) tableOptions() data.TableOptions {
	return data.TableOptions{OneHot: c.OneHot, Ignore: c.Ignore, Text: c.Words, ID: c.ID, Missing: c.Missing,
		Dates: c.Dates,
		Roles: data.RowRoles{Weights: c.Weights, Group: c.Group, Time: c.Time, Offset: c.Offset},
		Dialect: data.Dialect{Separator: c.Separator, Decimal: c.Decimal, Thousands: c.Thousands,
			Header: c.Header}}
}

// PathsFrom is the Config with its relative paths as they are seen from a folder.
func (c *Config) PathsFrom(folder string) *Config {
	there := c.copy()
	paths := []*string{&there.Test, &there.Labels, &there.TestLabels, &there.DataDir, &there.Gram}
	if data.Folds(c.Data) == 0 { // not a named set
		paths = append(paths, &there.Data)
	}
	if _, file := c.validation(); file != "" {
		paths = append(paths, &there.Validation)
	}
	for _, path := range paths {
		if path == &there.Test && *path == data.NoTest {
			continue
		}
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(folder, *path)
		}
	}
	return there
}
