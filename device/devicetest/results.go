package devicetest

import "github.com/gpdrf/gpdrf-gpu/device"

// Results runs every operation of the table at its largest size, forward and backward,
// and returns all that they wrote, by name. Two devices that must agree to the bit, such
// as one with another number of workers, are compared by it.
func Results(dev device.Device) map[string][][]float64 {
	all := map[string][][]float64{}
	for _, r := range table() {
		rnd := newRandom(9)
		p := r.build(rnd, r.sizes[len(r.sizes)-1])
		in, out := tensors(dev, p.in), tensors(dev, p.out)
		p.forward(dev, in, out)
		var results [][]float64
		for _, t := range out {
			results = append(results, download(dev, t))
		}
		if p.backward != nil {
			din, dout := gradients(dev, p.in), make([]*device.Tensor, len(out))
			for i, a := range p.out {
				dout[i] = upload(dev, rnd.normal(a.name, a.dtype, none, 0, 1, a.shape...))
			}
			p.backward(dev, in, out, din, dout)
			for _, t := range din {
				if t != nil {
					results = append(results, download(dev, t))
				}
			}
		}
		all[r.name()] = results
	}
	return all
}
