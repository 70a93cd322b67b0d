package conformance

import "github.com/gpdrf/gpdrf-gpu/device"

// Call is an operation or its Backward with its arguments in place, ready to be run many times.
type Call struct {
	Name    string
	Run     func()
	results []*device.Tensor // results; nil for a Backward without results
}

// Calls returns all operations of the table at their largest sizes, one after the other.
func Calls(dev device.Device) (all []Call) {
	for _, r := range table() {
		all = append(all, r.calls(dev)...)
	}
	return all
}

func (r row) calls(dev device.Device) []Call {
	rnd := newRandom(9)
	p := r.build(rnd, r.sizes[len(r.sizes)-1])
	in, out := tensors(dev, p.in), tensors(dev, p.out)
	calls := []Call{{r.name(), func() { p.forward(dev, in, out) }, out}}
	if p.backward != nil {
		din, dout := gradients(dev, p.in), make([]*device.Tensor, len(out))
		for i, a := range p.out {
			dout[i] = upload(dev, rnd.normal(a.name, a.dtype, none, 0, 1, a.shape...))
		}
		calls = append(calls, Call{r.name() + ", backward", func() { p.backward(dev, in, out, din, dout) }, din})
	}
	return calls
}

// Results runs Calls, and returns all that they wrote, by name. Two devices that must agree to the
// bit, such as one with another number of workers, are compared by it.
func Results(dev device.Device) map[string][][]float64 {
	all := map[string][][]float64{}
	for _, call := range Calls(dev) {
		call.Run()
		for _, t := range call.results {
			if t != nil {
				all[call.Name] = append(all[call.Name], download(dev, t))
			}
		}
	}
	return all
}
