package train

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Plan says what the run takes of its device's memory, and decides how many rows are computed at
// once: the whole batch where it fits, or the most that do. Where not even one row fits, it is a
// *UsageError that says what would; the Plan, for one row, is there all the same. The Config must
// Fit; its likelihood is settled here.
func (j *Job) Plan(ctx context.Context) (*Plan, error) {
	if err := j.Config.fitLikelihood(j.Train); err != nil {
		return nil, err
	}
	free, known := j.Device.Free()
	p, err := j.planFor(ctx, free, known)
	j.inSteps = err == nil && p.Distances != nil && p.Distances.In == distancesSteps
	return p, err
}

// planFor is Plan where so many bytes are free.
func (j *Job) planFor(ctx context.Context, free int64, known bool) (*Plan, error) {
	measure := func(c Config) (*Plan, error) { return j.measureAs(ctx, &c, free, known) }
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
	sizes := []struct {
		key string
		now int
		set func(c *Config, n int)
	}{
		{"chunk", p.Rows, chunk},
		{"samples", c.Samples, func(c *Config, n int) { c.Samples = n }},
		{"features", c.Features, func(c *Config, n int) { c.Features = n }},
		{"inducing", c.Inducing, func(c *Config, n int) { c.Inducing = n }},
		{"eval-samples", c.EvalSamples, func(c *Config, n int) { c.EvalSamples = n }},
	}
	var alone, together []string
	for _, o := range sizes {
		if n := largest(o.now-1, fits(c, o.set)); n > 0 && optionOf(o.key).Applies(c.Model) {
			alone = append(alone, optionOf(o.key).written(n))
		}
	}
	if alone != nil {
		return p, p.tooLarge(strings.Join(alone, ", or "))
	}
	for _, o := range sizes { // one after the other down to 1, until the rest fits
		if o.now == 1 || !optionOf(o.key).Applies(c.Model) {
			continue
		}
		n := largest(o.now-1, fits(c, o.set))
		together = append(together, optionOf(o.key).written(max(1, n)))
		if n > 0 {
			return p, p.tooLarge(strings.Join(together, " "))
		}
		o.set(&c, 1)
	}
	return p, p.tooLarge("")
}

// explain says of memory that ran out in the middle of a run for what it was asked, and what would
// fit if the run began again now: another program has taken it since the plan. Other errors stay as
// they are.
func (j *Job) explain(err error, planned *Plan, asked Config) error {
	var fault *device.FaultError
	if !errors.As(err, &fault) || fault.Bytes == 0 {
		return err
	}
	var names []string
	for _, b := range planned.Buffers {
		if b.Bytes == fault.Bytes && len(names) < 3 {
			names = append(names, b.Name)
		}
	}
	if names != nil {
		err = fmt.Errorf("%w, for %s", err, strings.Join(names, " or "))
	}
	again := *j
	again.Config = &asked
	free, known := j.Device.Free()
	// what this run holds yet will be free
	p, now := again.planFor(context.Background(), plus(free, j.Device.Taken()), known)
	switch {
	case now != nil:
		return fmt.Errorf("%w; %v", err, now)
	case p.Rows < planned.Rows:
		return fmt.Errorf("%w; with what is free now, %d rows at a time fit: try once more", err, p.Rows)
	}
	return fmt.Errorf("%w; there is enough again: try once more", err)
}

// largest is the largest n from 1 to most that fits, where all below one that fits do; 0 is none.
func largest(most int, fits func(n int) bool) int {
	return sort.Search(max(0, most), func(i int) bool { return !fits(i + 1) })
}

// tooLarge says that a plan does not fit, and what would, if anything does.
func (p *Plan) tooLarge(smaller string) error {
	what, remedy := "even one row at a time", "it is too little for the least model of these rows"
	if p.Rows > 1 {
		what = fmt.Sprintf("a step of %d rows at a time", p.Rows)
	}
	if smaller != "" {
		remedy = "what fits is " + smaller
	}
	return p.lacks(what, remedy)
}

// lacks says what a device has too little memory for.
func (p *Plan) lacks(what, remedy string) error {
	s := p.short()
	if s == nil {
		s = &shortage{where: p.Device} // it has come back
	}
	if d := p.Distances; d != nil && d.Features > 0 {
		remedy += fmt.Sprintf("; of distances a table takes %s, and the features in its place %s", Bytes(d.Table), Bytes(d.Features))
	}
	return usagef("%s has too little memory: %s needs %s where %s are free, the largest part, %s%s, %s: %s",
		s.where, what, Bytes(s.needs), Bytes(s.free), s.largest.Name, s.largest.shape(), Bytes(s.largest.Bytes), remedy)
}

// measure runs one step of a Config on a dry device; train and held are the sequences of the
// training and the validation rows in place of a table of distances, or nil.
func (j *Job) measure(c *Config, train, held *model.Vectors) (*Plan, error) {
	ds := j.Train
	dry, ledger := j.Device.Dry()
	var y []float64
	if ds.Task == data.Regression {
		y = ds.Y
	}
	mc := c.modelConfig(ds)
	x := blank(mc.Width())
	if train != nil {
		x = blank(mc.Inputs)
	}
	r, err := c.allocate(dry, mc, model.Rows{N: ds.N(), X: x, Vectors: train}, y, ds.Labels)
	if err != nil {
		return nil, err
	}
	r.model.Gradient(r.pass, r.set, model.Step{Number: 1, KLWeight: 1})
	if c.NatGrad > 0 {
		r.model.NaturalStep(0)
	}
	params := r.model.Params()
	dry.Adam(params.Value, params.Grad, r.adam.m, r.adam.v, r.adam.rate, device.AdamStep{Step: 1})
	v := &evaluator{}
	if j.Validation != nil {
		v = newEvaluator(dry, r.model, c, model.Rows{N: min(j.Validation.N(), validationRows), X: x, Vectors: held})
		if _, err := v.predictor.Predict(0); err != nil {
			return nil, err
		}
	}
	ledger.Label("device", dry)
	ledger.Label("pass", r.pass)
	ledger.Label("model", r.model)
	ledger.Label("set", r.set)
	ledger.Label("adam", &r.adam)
	ledger.Label("validation", v)
	return newPlan(j.Device.Name(), c, ledger, []Buffer{
		doubles("parameters", params.Len()),
		doubles("checkpoint", j.keeps(c), params.Len()),
		predictionBuffer(r.model.Config(), c.EvalSamples, j.testRows()),
	}), nil
}

// predictionBuffer is the output of a prediction: numbers of every row and sample.
func predictionBuffer(c model.Config, samples, rows int) Buffer {
	return doubles("prediction", c.Components(samples), rows, c.Outputs)
}

// fit says what is too large if the prediction of n rows does not fit the memory of a device.
func (t *Trained) fit(dev device.Device, n, samples int) error {
	dry, ledger := dev.Dry()
	m, err := model.New(dry, t.Model)
	if err != nil {
		return err
	}
	if _, err := m.Predict(m.Stream(min(n, 1), blank(t.Model.Width())), 1, 0); err != nil {
		return err
	}
	ledger.Label("device", dry)
	ledger.Label("model", m)
	ledger.Rest("pass")
	free, known := dev.Free()
	measure := func(samples int) *Plan {
		c := &Config{Samples: samples, Batch: 1}
		p := newPlan(dev.Name(), c, ledger, []Buffer{doubles("parameters", m.Params().Len()), predictionBuffer(t.Model, samples, n)})
		if known {
			p.Free = &free
		}
		return p
	}
	p := measure(samples)
	if p.fits() {
		return nil
	}
	remedy := "predict fewer rows"
	if n := largest(samples-1, func(n int) bool { return measure(n).fits() }); n > 0 {
		remedy = fmt.Sprintf("what fits is --samples %d, or fewer rows", n)
	}
	return p.lacks(fmt.Sprintf("the prediction of %d rows with %d samples", n, samples), remedy)
}

// blank is rows of d inputs for a dry device, which does not look at them.
func blank(d int) func(lo, hi int) []float64 {
	var rows []float64
	return func(lo, hi int) []float64 {
		if n := (hi - lo) * d; len(rows) < n {
			rows = make([]float64, n)
		}
		return rows[:(hi-lo)*d]
	}
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

// allocate puts a run on a device: parameters that are zero yet, rows, a pass, Adam.
func (c *Config) allocate(dev device.Device, mc model.Config, rows model.Rows, y []float64, labels []int32) (*resident, error) {
	m, err := model.New(dev, mc)
	if err != nil {
		return nil, &UsageError{err}
	}
	r := &resident{model: m, set: m.UploadRows(rows, y, labels)}
	r.pass = m.NewPassInParts(c.Samples, c.Batch, c.atOnce())
	p := m.Params().Len()
	r.adam.m, r.adam.v, r.adam.rate = dev.New(device.Real, p), dev.New(device.Real, p), dev.New(device.Real, p)
	return r, nil
}
