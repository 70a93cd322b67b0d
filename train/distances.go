package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Where distances come from: a table of those between all training sequences and X̄, computed once,
// or those of a batch in every step, from the features of the sequences. Both have the same bits.
const (
	distancesTable = "table"
	distancesSteps = "steps"
)

// Distances says where a plan has those between sequences and X̄.
type Distances struct {
	In       string `json:"in"`                 // table, steps
	Table    int64  `json:"table"`              // bytes that a table takes, or would
	Features int64  `json:"features,omitempty"` // bytes that features take in its place
}

// String is a line for people.
func (d *Distances) String() string {
	if d.In == distancesTable {
		return "a table of " + Bytes(d.Table)
	}
	return fmt.Sprintf("computed in every step from features of %s: a table would take %s", Bytes(d.Features), Bytes(d.Table))
}

// sequences are the training sequences of a job after what takes long: X̄ is chosen, and the
// features are counted where they are needed.
type sequences struct {
	book  *seq.Codebook
	set   *data.Dataset // with the symbols of the model
	rows  []int         // X̄ among them
	basis *seq.Basis

	train, held *model.Vectors // nil until somebody asks
}

// hasDistances says whether the run compares sequences with X̄ by feature maps.
func (j *Job) hasDistances() bool {
	return j.Train.Sequences != nil && j.Train.Kernel == nil && j.Config.Model != model.DRF
}

// choosing is what a Reporter hears while X̄ is chosen.
const choosing = "choosing pseudo-inputs"

// choose chooses X̄, once.
func (j *Job) choose(ctx context.Context) (*sequences, error) {
	if j.sequences != nil {
		return j.sequences, nil
	}
	c, s := j.Config, &sequences{}
	var err error
	if s.book, s.set, err = c.learnCodebook(j.doing(ctx, "codebook"), j.Train); err != nil {
		return nil, err
	}
	_, spec := c.kernels()
	if s.rows, err = seq.Choose(j.doing(ctx, choosing), c.InducingInit, spec, s.set.Sequences, c.Inducing, greedySigma, c.Seed); err != nil {
		return nil, wrongSpec(ctx, err)
	}
	if s.basis, err = seq.NewBasis(j.doing(ctx, "features of the pseudo-inputs"), spec, s.set.Sequences, s.rows); err != nil {
		return nil, wrongSpec(ctx, err)
	}
	j.sequences = s
	return s, nil
}

// survey counts the features, once: of the training rows, and of the validation rows that are
// evaluated.
func (j *Job) survey(ctx context.Context) (*sequences, error) {
	s, err := j.choose(ctx)
	if err != nil || s.train != nil {
		return s, err
	}
	t := &Trained{Codebook: s.book, Basis: s.basis}
	if j.Validation != nil {
		s.held = t.vectors(ctx, j.Validation.Spread(validationRows))
	}
	train := t.vectors(j.doing(ctx, "features of the sequences"), s.set)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.train = train
	return s, nil
}

// vectors are the sequences of a data set by the features that they share with X̄. Once ctx is done
// they are worth nothing.
func (t *Trained) vectors(ctx context.Context, ds *data.Dataset) *model.Vectors {
	set := t.coded(ds).Sequences
	v := &model.Vectors{Sizes: t.Basis.Sizes(ctx, set)}
	for _, x := range t.Basis.Columns(ctx) {
		v.Inducing = append(v.Inducing, model.Lists{Start: starts(x.Start), Index: x.Row, Value: x.Value, Square: x.Square})
	}
	v.Rows = func(lo, hi int) (lists []model.Lists) {
		for _, r := range t.Basis.Vectors(ctx, set, lo, hi) {
			lists = append(lists, model.Lists{Start: starts(r.Start), Index: r.Column, Value: r.Value, Square: r.Square})
		}
		return lists
	}
	return v
}

func starts(at []int) []int32 {
	out := make([]int32, len(at))
	for i, v := range at {
		out[i] = int32(v)
	}
	return out
}

// mostFeatures is how many numbers the vectors under one map can have, which 32 bits count.
const mostFeatures = math.MaxInt32

// tooMany says whether there are more under some map.
func (s *sequences) tooMany() bool {
	return slices.ContainsFunc(s.train.Sizes, func(n int) bool { return n > mostFeatures })
}

// measureAs measures a run where so many bytes are free: with a table of distances where the run
// fits with it, with features in its place where it fits with those, and else with the smaller of
// the two.
func (j *Job) measureAs(ctx context.Context, c *Config, free int64, known bool) (*Plan, error) {
	measure := func(train, held *model.Vectors) (*Plan, error) {
		p, err := j.measure(c, sized(train, c.Inducing), sized(held, c.Inducing))
		if err == nil && known {
			p.Free = &free
		}
		return p, err
	}
	table, err := measure(nil, nil)
	if err != nil || !j.hasDistances() {
		return table, err
	}
	table.Distances = &Distances{In: distancesTable, Table: table.bytes("set.d")}
	if c.distances == distancesTable || c.distances == "" && table.fits() {
		return table, nil
	}
	s, err := j.survey(ctx)
	if err != nil {
		return nil, err
	}
	if s.tooMany() {
		return table, nil
	}
	steps, err := measure(s.train, s.held)
	if err != nil {
		return nil, err
	}
	table.Distances.Features = steps.bytes("set.vectors")
	if c.distances == "" && !steps.fits() && table.Total <= steps.Total {
		return table, nil
	}
	steps.Distances = &Distances{distancesSteps, table.Distances.Table, table.Distances.Features}
	return steps, nil
}

// bytes is what the buffers take whose names begin so.
func (p *Plan) bytes(prefix string) (sum int64) {
	for _, b := range p.Buffers {
		if strings.HasPrefix(b.Name, prefix) {
			sum = plus(sum, b.Bytes)
		}
	}
	return sum
}

// sized are the sizes of v for a dry device where m pseudo-inputs are chosen, at most as many as v
// has; nil of nil.
func sized(v *model.Vectors, m int) *model.Vectors {
	if v == nil {
		return nil
	}
	some := &model.Vectors{Sizes: v.Sizes}
	for _, x := range v.Inducing {
		x.Square = x.Square[:min(m, len(x.Square))]
		some.Inducing = append(some.Inducing, x)
	}
	return some
}
