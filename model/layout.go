package model

// Layout lists the names and shapes of a configuration's parameters, without their data and
// without a device: the contents of a model file of this configuration. The configuration
// must be valid.
func (c Config) Layout() []Named {
	var p Params
	if c.hasGP() {
		gpBlocks(&p, &c)
	}
	if c.hasDRF() {
		for l := range c.Layers {
			drfBlocks(&p, &c, l, c.layerInputs(l), c.layerOutputs(l))
		}
	}
	likelihoodBlocks(&p, &c)
	out := make([]Named, len(p.blocks))
	for i, b := range p.blocks {
		out[i] = Named{Name: b.Name, Shape: b.Shape}
	}
	return out
}
