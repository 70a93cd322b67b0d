package train

import (
	"fmt"
	"os"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// Load reads the training and the test rows that the Config asks for, and writes into the
// Config what was found out about them: the target, the task, the fold, the folder of a named set.
func (c *Config) Load(w data.Watch) (train, test *data.Dataset, notes []string, err error) {
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
	from := c.seen()
	train, test, notes, err = data.Load(data.Source{
		Data: from.Data, Test: from.Test, Labels: from.Labels, TestLabels: from.TestLabels, TableOptions: c.tableOptions(), DataDir: from.DataDir, Folds: c.Folds, Fold: c.Fold, Target: c.Target, Task: c.Task, Seed: c.Seed,
		Tokens: c.Tokens, Sequence: c.Sequence, Gram: from.Gram, Watch: w,
	})
	if err != nil {
		return nil, nil, nil, err
	}
	c.Target, c.Task = train.Target, string(train.Task)
	return train, test, notes, nil
}

// seen is the Config with its paths as they lead to files from here.
func (c *Config) seen() *Config {
	if c.at == "" {
		return c
	}
	return c.from(c.at)
}

// tableOptions are those of data.
func (c *Config) tableOptions() data.TableOptions {
	return data.TableOptions{OneHot: c.OneHot, Ignore: c.Ignore, ID: c.ID, Missing: c.Missing,
		Dialect: data.Dialect{Separator: c.Separator, Decimal: c.Decimal, Header: c.Header}}
}

// TestRows reads the rows that the run was tested on: from here where its relative paths lead
// somewhere, else from the folder where it was trained.
func (r *Run) TestRows(w data.Watch) (*data.Dataset, error) {
	_, test, _, err := r.Config.Load(w)
	if err == nil || r.Result.Folder == "" {
		return test, err
	}
	_, test, _, thereErr := r.Config.from(r.Result.Folder).Load(w)
	if thereErr != nil {
		return nil, fmt.Errorf("%w; nor from %s, where the run was trained: %v", err, r.Result.Folder, thereErr)
	}
	return test, nil
}
