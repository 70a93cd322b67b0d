package conformance

import "github.com/gpdrf/gpdrf-gpu/device"

// call is an operation or its Backward with its arguments in place, ready to be run many times.
type call struct {
	name    string
	run     func()
	results []*device.Tensor // results; nil for a Backward without results
}

// calls returns all operations of the table at their largest sizes, one after the other.
func calls(dev device.Device) (all []call) {
	for _, r := range table() {
		all = append(all, r.calls(dev)...)
	}
	return all
}

func (r row) calls(dev device.Device) []call {
	rnd := newRandom(9)
	p := r.build(rnd, r.sizes[len(r.sizes)-1])
	in, out := tensors(dev, p.in), tensors(dev, p.out)
	made := []call{{r.name(), func() { p.forward(dev, in, out) }, out}}
	if p.backward != nil {
		din, dout := gradients(dev, p.in), make([]*device.Tensor, len(out))
		for i, a := range p.out {
			dout[i] = upload(dev, rnd.normal(a.name, a.dtype, none, 0, 1, a.shape...))
		}
		made = append(made, call{r.name() + ", backward", func() { p.backward(dev, in, out, din, dout) }, din})
	}
	return made
}
