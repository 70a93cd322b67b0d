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
	progress := func(done, all int) {
		if o.Progress != nil {
			o.Progress(Progress{Step: done, Steps: all, Elapsed: time.Since(job.Started)})
		}
	}
	models := 0
	search := best.Search{
		State: state, Devices: []device.Device{job.Device}, Rows: job.Train, Started: job.Started,
		SaveState: func() error { return nil },
		SaveModel: func(k int, t *fitted.Model) error {
			members[k] = t
			return nil
		},
		LoadModel: func(k int) (*fitted.Model, error) { return members[k], nil },
		Note:      job.Reporter.Note,
		Phase: func(done, all int, _ string) {
			models = all
			progress(done, all)
		},
	}
	found, err := search.Run(ctx)
	if err != nil {
		return nil, err
	}
	progress(models, models)
	found.Options = string(c.YAML())
	m := &Model{device: o.Device, trained: found}
	if job.Conformal == nil {
		return m, nil
	}
	err = found.FitConformal(ctx, job.Device, job.Conformal, c.Level)
	if ctx.Err() != nil {
		return m, context.Cause(ctx)
	}
	if err != nil {
		job.Reporter.Note("warning: the model is kept without intervals: %v", err)
	}
	return m, nil
}
