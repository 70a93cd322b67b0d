package train

import (
	"fmt"
	"sort"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Plan says what the run takes of its device's memory, and decides how many rows are computed at once: the
// whole batch where it fits, or the most that do. Where not even one row fits, it is a *UsageError that says
// what would; the Plan, for one row, is there all the same. The Config must Fit.
func (j *Job) Plan() (*Plan, error) {
	free, known := j.Device.Free()
	measure := func(c Config) (*Plan, error) {
		p, err := j.measure(&c)
		if err == nil && known {
			p.Free = &free
		}
		return p, err
	}
	with := func(c Config, set func(c *Config, n int), n int) Config { set(&c, n); return c }
	fits := func(c Config, set func(c *Config, n int)) func(n int) bool {
		return func(n int) bool { p, err := measure(with(c, set, n)); return err == nil && p.fits() }
	}
	c, chunk := *j.Config, func(c *Config, n int) { c.Chunk = n }
	p, err := measure(c)
	if err != nil || p.fits() {
		return p, err
	}
	if c.Chunk == 0 {
		c.Chunk = max(1, largest(c.Batch, fits(c, chunk)))
		if p, err = measure(c); err != nil || p.fits() {
			return p, err
		}
	}
	var smaller []string
	for _, o := range []struct {
		key string
		now int
		set func(c *Config, n int)
	}{
		{"chunk", p.Rows, chunk},
		{"samples", c.Samples, func(c *Config, n int) { c.Samples = n }},
		{"inducing", c.Inducing, func(c *Config, n int) { c.Inducing = n }},
		{"features", c.Features, func(c *Config, n int) { c.Features = n }},
	} {
		if !optionOf(o.key).Applies(c.Model) {
			continue
		}
		if n := largest(o.now-1, fits(c, o.set)); n > 0 {
			smaller = append(smaller, fmt.Sprintf("--%s %d", o.key, n))
		}
	}
	return p, p.tooLarge(smaller)
}

// largest is the largest n from 1 to most that fits, where all below one that fits do; 0 is none.
func largest(most int, fits func(n int) bool) int {
	return sort.Search(max(0, most), func(i int) bool { return !fits(i + 1) })
}

// tooLarge says that a plan does not fit, and what would.
func (p *Plan) tooLarge(smaller []string) error {
	what, free, remedy := "even one row at a time needs", "", "less of samples, pseudo-inputs or frequencies alone is not enough"
	if p.Rows > 1 {
		what = fmt.Sprintf("a step of %d rows at a time needs", p.Rows)
	}
	if p.Free != nil {
		free = fmt.Sprintf(" where %s are free", Bytes(*p.Free))
	}
	if len(smaller) > 0 {
		remedy = "what fits is " + strings.Join(smaller, ", or ")
	}
	large := p.Largest()
	return usagef("%s has too little memory: %s %s%s, the largest part, %s%s, %s: %s",
		p.Device, what, Bytes(p.Total+p.Host), free, large.Name, large.shape(), Bytes(large.Bytes), remedy)
}

// measure runs one step of a Config on a dry device.
func (j *Job) measure(c *Config) (*Plan, error) {
	ds := j.Train
	dry, ledger := j.Device.Dry()
	var y []float64
	if ds.Task == data.Regression {
		y = ds.Y
	}
	r, err := c.allocate(dry, c.modelConfig(ds), ds.N(), ds.X.Float64s(), y, ds.Labels)
	if err != nil {
		return nil, err
	}
	r.model.Gradient(r.pass, r.set, model.Step{Number: 1, KLWeight: 1})
	params := r.model.Params()
	dry.Adam(params.Value, params.Grad, r.adam.m, r.adam.v, r.adam.rate, device.AdamStep{Step: 1})
	ledger.Label("device", dry)
	ledger.Label("model", r.model)
	ledger.Label("set", r.set)
	ledger.Label("pass", r.pass)
	ledger.Label("adam", &r.adam)
	return newPlan(j.Device.Name(), c, ledger, []Buffer{
		doubles("rows", ds.N(), ds.D()),
		doubles("parameters", params.Len()),
	}), nil
}

// atOnce is how many rows go through the model at once at most.
func (c *Config) atOnce() int {
	if c.Chunk > 0 {
		return min(c.Chunk, c.Batch)
	}
	return c.Batch
}

// resident is what a run has on its device.
type resident struct {
	model *model.Model
	set   *model.Data
	pass  *model.Pass
	adam  struct{ m, v, rate *device.Tensor } // moments, and the rate of each parameter
}

// allocate puts a run on a device: parameters that are zero yet, n rows, a pass, Adam.
func (c *Config) allocate(dev device.Device, mc model.Config, n int, x, y []float64, labels []int32) (*resident, error) {
	m, err := model.New(dev, mc)
	if err != nil {
		return nil, &UsageError{err}
	}
	r := &resident{model: m, set: m.Upload(n, x, y, labels), pass: m.NewPassInParts(c.Samples, c.Batch, c.atOnce())}
	p := m.Params().Len()
	r.adam.m, r.adam.v, r.adam.rate = dev.New(device.Real, p), dev.New(device.Real, p), dev.New(device.Real, p)
	return r, nil
}
