package step

import (
	"runtime"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
)

// inMemory is a device whose Double tensors lie in the memory of the host, so that ranks can add
// them up in the middle of a step.
type inMemory interface {
	Doubles(t *device.Tensor) []float64
}

// worthColumns are the columns of X̄ from which ranks share Kuu, for each thread of a rank. On an
// AMD EPYC, the sums of a number of Kuu and of its gradient take 5 ns, and a thread computes both
// from 784 columns in 80 ns.
const worthColumns = 128

// shareKuu has each rank compute some kernels of Kuu alone, where all ranks find it worth the two
// sums more. Sums that have an order of their own, and gradients on a device, do without.
func (s *Step) shareKuu(r *ranks) {
	host, ok := s.dev.(inMemory)
	kernels, columns := s.Model.SharesKuu()
	if !ok || kernels < 2 {
		return
	}
	votes := []float64{0}
	if columns >= worthColumns*runtime.GOMAXPROCS(0) {
		votes[0] = 1
	}
	if r.err = r.comm.AllReduce(votes); r.err != nil || votes[0] < float64(r.comm.Size()) {
		return
	}
	lo, hi := dist.Share(kernels, r.comm.Rank(), r.comm.Size())
	s.Model.ShareKuu(s.Pass, lo, hi, func(t *device.Tensor) {
		if r.err == nil {
			r.err = r.comm.AllReduce(host.Doubles(t))
		}
	})
}
