package gpdrf

import (
	"context"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/best"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// trainSeveral trains an ensemble, or searches for one, by the rows and the device of a job.
func (o Options) trainSeveral(ctx context.Context, job *train.Job, given []options.Setting) (*Model, error) {
	c, given, err := best.SettleTargets(ctx, job, given)
	if err != nil {
		return nil, err
	}
	state, err := best.New(job.Train, given, 1)
	if err != nil {
		return nil, err
	}
	members := map[int]*fitted.Model{}
	search := best.Search{
		State: state, Devices: []device.Device{job.Device}, Rows: job.Train, Started: job.Started,
		Save: func() error { return nil },
		Keep: func(k int, t *fitted.Model) error {
			members[k] = t
			return nil
		},
		Kept: func(k int) (*fitted.Model, error) { return members[k], nil },
		Note: job.Reporter.Note,
		Doing: func(done, all int, _ string) {
			if o.Progress != nil {
				o.Progress(Progress{Step: done, Steps: all, Elapsed: time.Since(job.Started)})
			}
		},
	}
	found, err := search.Run(ctx)
	if err != nil {
		return nil, err
	}
	if job.Conformal != nil {
		err := found.Conform(ctx, job.Device, job.Conformal, c.Level)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			job.Reporter.Note("warning: the model is kept without intervals: %v", err)
		}
	}
	found.Options = string(c.YAML())
	return &Model{device: o.Device, trained: found}, nil
}
