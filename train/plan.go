package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Plan measures the device memory of the run, and decides how many rows are computed at once: the whole batch if it
// fits, or the largest number that does. If not even one row fits, the error is a *usererror.Error with sizes that
// would, and the Plan is the plan for one row. notes are those of the options that the rows have settled.
func (j *Job) Plan(ctx context.Context) (plan *memory.Plan, notes []string, err error) {
	r := j.newRun()
	if notes, err = r.settleByRows(ctx); err != nil {
		return nil, notes, err
	}
	plan, err = r.planMemory(ctx)
	return plan, notes, err
}

// planMemory returns the plan for the free memory, with the rows of rank 0.
func (s *spec) planMemory(ctx context.Context) (*memory.Plan, error) {
	plan, err := s.planFor(ctx, memory.FreeOf(s.job.Device))
	if err == nil { // otherwise the plan shows what does not fit
		plan.Rows, err = broadcastInt(s.job.ranks(), plan.Rows)
	}
	return plan, err
}

// measurement makes the plan of a Config, for some free memory.
type measurement func(options.Config) (*memory.Plan, error)

// planFor returns the plan for a number of free bytes; nil if it is not known.
func (s *spec) planFor(ctx context.Context, free *int64) (*memory.Plan, error) {
	c := s.config
	measure := func(c options.Config) (*memory.Plan, error) { return s.measureOnDevice(ctx, c, free) }
	p, err := measure(c)
	if err != nil || p.Fits() && s.job.place.rows != onHost {
		return p, err
	}
	if s.canStream() && (p.MostlyRows() || s.job.place.rows == onHost) {
		measure = func(c options.Config) (*memory.Plan, error) { return s.measure(c, free, true, nil, nil) }
		if p, err = measure(c); err != nil || p.Fits() {
			return p, err
		}
	}
	if c.Chunk == 0 {
		c.Chunk = max(1, largestSize(c, func(c *options.Config) *int { return &c.Chunk }, c.Batch, measure))
		if p, err = measure(c); err != nil || p.Fits() {
			return p, err
		}
	}
	return p, p.TooLarge(fittingSizes(c, measure))
}

// largestSize returns the largest value of a size, up to most, with which a Config fits; 0 if there is none.
func largestSize(c options.Config, size func(*options.Config) *int, most int, measure measurement) int {
	return memory.Largest(most, func(n int) bool {
		*size(&c) = n
		p, err := measure(c)
		return err == nil && p.Fits()
	})
}

// fittingSizes returns smaller sizes with which a Config fits, as a user writes them: each size that suffices alone. If
// none does, it returns the first sizes that suffice together; "" if even these do not.
func fittingSizes(c options.Config, measure measurement) string {
	var alone, together []string
	c.Chunk = c.ChunkRows()
	lowered := c // all sizes in together are 1
	enough := false
	for _, size := range []struct {
		key string
		in  func(c *options.Config) *int
	}{{"chunk", func(c *options.Config) *int { return &c.Chunk }},
		{"samples", func(c *options.Config) *int { return &c.Samples }},
		{"features", func(c *options.Config) *int { return &c.Features }},
		{"inducing", func(c *options.Config) *int { return &c.Inducing }},
		{"eval-samples", func(c *options.Config) *int { return &c.EvalSamples }}} {
		o, now := options.Find(size.key), *size.in(&c)
		if !o.Applies(c.Model) || now == 1 {
			continue
		}
		if n := largestSize(c, size.in, now-1, measure); n > 0 {
			alone = append(alone, o.Written(n))
		}
		if alone == nil && !enough {
			n := largestSize(lowered, size.in, now-1, measure)
			together = append(together, o.Written(max(1, n)))
			*size.in(&lowered) = 1
			enough = n > 0
		}
	}
	switch {
	case alone != nil:
		return strings.Join(alone, ", or ")
	case enough:
		return strings.Join(together, " ")
	}
	return ""
}

// explain extends the error of a run that had too little memory, because another program took it after the plan. It
// names the use of the memory, and sizes that fit now. It returns other errors unchanged.
func (s *spec) explain(err error, planned *memory.Plan) error {
	var fault *device.FaultError
	if !errors.As(err, &fault) || fault.Bytes == 0 {
		return err
	}
	var names []string
	for _, b := range planned.Buffers {
		if b.Bytes == fault.Bytes && len(names) < 3 {
			names = append(names, b.Words())
		}
	}
	if names != nil {
		err = fmt.Errorf("%w, for %s", err, strings.Join(slices.Compact(names), " or "))
	}
	free := memory.FreeOf(s.job.Device)
	if free != nil { // the memory of this run is free for the next one
		*free = memory.AddSaturating(*free, s.job.Device.Taken())
	}
	p, planErr := s.planFor(context.Background(), free)
	switch {
	case planErr != nil:
		return fmt.Errorf("%w; %v", err, planErr)
	case p.Rows < planned.Rows:
		return fmt.Errorf("%w; with what is free now, %d rows at a time fit: try once more", err, p.Rows)
	}
	return fmt.Errorf("%w; there is enough memory again: try once more", err)
}
