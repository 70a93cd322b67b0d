package options

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// The rows held out for intervals: a share of the training rows, and how many at most.
const (
	conformalShare = 0.2
	MostConformal  = 5000
)

// HoldOutConformal takes the rows behind the intervals away from training, before HoldOut takes those of
// validation: nothing else in the run may see them. held is nil where the Config asks for no intervals.
func (c *Config) HoldOutConformal(all *data.Dataset) (rest, held *data.Dataset, notes []string, err error) {
	if !c.Conformal {
		return all, nil, nil, nil
	}
	share := min(conformalShare, MostConformal/float64(all.N()))
	if rest, held, err = data.HoldOut(all, share, c.Seed); err != nil {
		return nil, nil, nil, c.Errorf("conformal", "%w", err)
	}
	if err := metrics.CheckConformal(held.N(), c.Level); err != nil {
		return nil, nil, nil, c.Errorf("conformal", "of %d training rows a fifth is held out: %w", all.N(), err)
	}
	return rest, held, []string{fmt.Sprintf("%s: %d of %d training rows held out for intervals, %s",
		all.Path, held.N(), all.N(), all.HowSplit(c.Seed))}, nil
}
