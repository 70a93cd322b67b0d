package model

// hasMean says whether a DRF layer has a linear mean: all but the last, whose outputs are those of
// the likelihood.
func (c *Config) hasMean(layer int) bool { return c.Mean == LinearMean && layer < c.Layers-1 }

// Directions is how many principal directions of the inputs Init needs for a linear mean of the
// first layer, or 0: it needs them where the layer reads the inputs alone and is narrower than they
// are.
func (c *Config) Directions() int {
	if c.Model == DRF && c.hasMean(0) && c.Inputs > c.Hidden {
		return c.Hidden
	}
	return 0
}

// linearMean fills A [in,d'] of a layer's mean h A (Salimbeni and Deisenroth 2017): the principal
// directions [in,d'] of the inputs where there are some, and otherwise the identity on the first
// columns that both sides of it have. These come from the layer below, from F, or from x: what is
// fed forward stands behind them and has no part in the mean.
func (c *Config) linearMean(a, directions []float64, layer int) {
	if layer == 0 && c.Directions() > 0 {
		copy(a, directions)
		return
	}
	below := c.Hidden
	switch {
	case layer == 0 && c.Model == DRF:
		below = c.Inputs
	case layer == 0:
		below = c.Latents
	}
	for i := range min(below, c.Hidden) {
		a[i*c.Hidden+i] = 1
	}
}
