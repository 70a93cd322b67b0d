package workload

import (
	"context"
	"slices"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/step"
)

// defaults works like form, for a training whose only options are the sizes.
func (n Size) defaults() (model.Config, step.Options, error) {
	c, m, err := n.settle()
	if err != nil {
		return m, step.Options{}, err
	}
	for len(m.Maps) < n.I {
		m.Maps = append(m.Maps, m.Maps[0])
	}
	return m, step.Options{Seed: c.Seed, Samples: c.Samples, Batch: c.Batch, Natural: c.NatGrad > 0,
		Predictive: c.Objective == options.Predictive,
		Beta1:      c.AdamBeta1, Beta2: c.AdamBeta2, Eps: c.AdamEps, L2: c.L2}, nil
}

// settle returns the options of a training of one step with these sizes, and its model. Sizes of 0 are by default.
func (n Size) settle() (options.Config, model.Config, error) {
	flags := []options.Setting{{Key: "steps", Text: "1"}}
	if n.I > 0 {
		flags = append(flags, options.Setting{Key: "kernel", Text: "double:1,5"}) // the choice of maps takes long
	}
	for _, s := range []struct {
		key  string
		size int
	}{{"latents", n.J}, {"inducing", n.M}, {"layers", n.L}, {"hidden", n.Hidden}, {"features", n.R}, {"batch", n.B},
		{"samples", n.S}} {
		if s.size > 0 {
			flags = append(flags, options.Setting{Key: s.key, Text: strconv.Itoa(s.size), From: "--size"})
		}
	}
	c, err := options.Resolve(nil, flags)
	if err != nil {
		return c, model.Config{}, err
	}
	rows, err := n.dataset()
	if err != nil {
		return c, model.Config{}, err
	}
	if c, _, err = c.ResolveFor(context.Background(), rows); err != nil {
		return c, model.Config{}, err
	}
	return c, c.ModelConfig(rows), nil
}

// dataset returns training rows for the choice of options, which reads only their sizes: one column stands for D.
func (n Size) dataset() (*data.Dataset, error) {
	var rows data.Rows
	for i := range n.rows() {
		if n.Classes > 0 {
			rows.Classes = append(rows.Classes, strconv.Itoa(i%n.Classes))
		} else {
			rows.Values = append(rows.Values, float64(i))
		}
	}
	if n.I > 0 {
		rows.Sequences = slices.Repeat([]string{"ACDEFGHIKLMNPQRSTVWY"}, n.rows())
	} else {
		rows.Inputs = slices.Repeat([][]float64{{0}}, n.rows())
	}
	ds, err := data.FromRows(rows)
	if err != nil {
		return nil, err
	}
	ds.Columns = slices.Repeat(ds.Columns, n.D)
	return ds, nil
}
