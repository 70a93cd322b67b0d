package options

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// HoldOut takes the validation rows that the Config asks for, from the training rows or from a file. heldOut is nil
// without validation.
func (c Config) HoldOut(all *data.Dataset, control data.ReadControl) (rest, heldOut *data.Dataset, notes []string,
	err error) {
	fraction, file := c.pathsFromHere().validation()
	switch {
	case file != "" && all.Gram != nil:
		return nil, nil, nil, c.Errorf("validation", "the rows of %s have no kernel with the inducing points of "+
			"gram, which has only those of the training and the test rows: give a fraction of the "+
			"training rows, such as 0.1", file)
	case file != "":
		schema := all.Schema()
		heldOut, notes, err = data.ReadFile(file,
			data.ReadOptions{Schema: &schema, TrainRows: all, ReadControl: control})
		return all, heldOut, notes, err
	case fraction > 0:
		return c.holdOutShare(all, fraction, "validation")
	}
	return all, nil, nil, nil
}

// The rows that are held out for intervals.
const (
	conformalShare = 0.2  // share of the training rows
	maxConformal   = 5000 // largest number of rows
)

// HoldOutConformal takes the rows for the intervals out of the training rows, before HoldOut takes those of validation:
// nothing else in the run may use them. heldOut is nil if the Config asks for no intervals.
func (c Config) HoldOutConformal(all *data.Dataset) (rest, heldOut *data.Dataset, notes []string, err error) {
	if !c.Conformal {
		return all, nil, nil, nil
	}
	share := min(conformalShare, maxConformal/float64(all.N()))
	if rest, heldOut, notes, err = c.holdOutShare(all, share, "intervals"); err != nil {
		return nil, nil, nil, c.Errorf("conformal", "%w", err)
	}
	if err := metrics.CheckConformal(heldOut.N(), c.Level); err != nil {
		return nil, nil, nil, c.Errorf("conformal", "of %d training rows a fifth is held out: %w", all.N(), err)
	}
	return rest, heldOut, notes, nil
}

// holdOutShare takes a share of the rows for a use that the note names.
func (c Config) holdOutShare(all *data.Dataset, share float64, use string) (rest, heldOut *data.Dataset, notes []string,
	err error) {
	if rest, heldOut, err = data.HoldOut(all, share, c.Seed); err != nil {
		return nil, nil, nil, err
	}
	return rest, heldOut, []string{fmt.Sprintf("%s: %d of %d training rows held out for %s, %s", all.Path, heldOut.N(),
		all.N(), use, all.SplitDescription(c.Seed))}, nil
}

// Rows are the rows of a run by their use; nil if the Config asks for none.
type Rows struct{ Train, Validation, Conformal, Test *data.Dataset }

// SplitRows takes the rows for the intervals, and then the validation rows, out of all rows for training.
func (c Config) SplitRows(all *data.Dataset, control data.ReadControl) (r Rows, notes []string, err error) {
	rest, conformal, intervals, err := c.HoldOutConformal(all)
	if err != nil {
		return r, nil, err
	}
	rest, heldOut, validation, err := c.HoldOut(rest, control)
	return Rows{Train: rest, Validation: heldOut, Conformal: conformal}, append(intervals, validation...), err
}

// ReadRows reads rows as Load does, and divides them.
func (c Config) ReadRows(schema *data.Schema, control data.ReadControl) (known Config, r Rows, notes []string,
	err error) {
	known, all, test, notes, err := c.Load(schema, control)
	if err != nil {
		return known, r, nil, err
	}
	r, more, err := known.SplitRows(all, control)
	r.Test = test
	return known, r, append(notes, more...), err
}
