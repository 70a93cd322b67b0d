package options

import (
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// fitOptions refuses options that have no effect on these rows, where a user gave them, and leaves
// them out elsewhere.
func (c *Config) fitOptions(ds *data.Dataset) error {
	refuse := func(key, format string, args ...any) error {
		return c.Errorf(key, format+": leave it out", args...)
	}
	if err := c.fitLikelihood(ds); err != nil { // before the choice of maps, which takes long
		return err
	}
	if c.Explicit("skip") && c.Model == model.GPDRF && c.Skip &&
		c.Explicit("latents") && c.Latents < c.outputs(ds) {
		return c.Errorf("skip", "the skip adds the %d latent functions to %d outputs: give latents %d or more, or "+
			"leave the skip out", c.Latents, c.outputs(ds), c.outputs(ds))
	}
	// there are no numbers beside them
	alone := ds.Kernel != nil || ds.Sequences != nil && ds.D() == 0
	switch {
	case c.Explicit("scaling") && alone && ds.Kernel == nil && !slices.Contains([]string{"auto", "none"}, c.Scaling):
		return refuse("scaling", "%s holds sequences only, and no numbers to scale", ds.Path)
	case !alone || c.Model != model.GPDRF || c.Layers > 1:
		return nil
	// earlier runs have it in their config.yaml
	case c.typed("feed-forward") && c.FeedForward:
		return refuse("feed-forward",
			"a single layer always sees the latent functions, and these rows have no other numbers")
	}
	c.FeedForward = false
	return nil
}
