package workload

import (
	"github.com/gpdrf/gpdrf-gpu/device"
)

// Cost is the least that an operation has to do, whatever the backend: the arithmetic of its
// products and random features, and each argument read or written once. A multiplication and an
// addition are two operations; exp, log, sin, cos, √ and the drawing of a normal are one each,
// which makes a floor that is made of costs a low one. What is symmetric or triangular is counted
// once.
type Cost struct {
	Real   float64 `json:"flop_real"`   // in the precision of the random-feature layers
	Double float64 `json:"flop_double"` // in double
	Bytes  float64 `json:"bytes"`
}

func (c *Cost) add(o Cost) { c.Real += o.Real; c.Double += o.Double; c.Bytes += o.Bytes }

// FLOPs are all operations.
func (c Cost) FLOPs() float64 { return c.Real + c.Double }

// Cost is the work of a step of this shape on a device of that name: the sum over the operations of
// a step on a device of shapes alone.
func (n Size) Cost(deviceName string) (Cost, error) {
	m := onPaper(deviceName)
	s, err := NewStep(m, n)
	if err != nil {
		return Cost{}, err
	}
	return m.sum(s.Run), nil
}

// onPaper is a meter of operations that nobody does.
func onPaper(deviceName string) *meter {
	return &meter{Device: paper{}, real: realSize(deviceName), dry: true, places: map[string]*place{}}
}

// sum is the cost of a step, without the cost of its construction.
func (m *meter) sum(run func()) (sum Cost) {
	m.begin()
	run()
	for _, name := range m.order {
		sum.add(m.places[name].cost)
	}
	return sum
}

// paper is a device without memory. A meter that is dry asks it for no operation.
type paper struct{ device.Device }

func (paper) New(dtype device.DType, shape ...int) *device.Tensor {
	return device.NewTensor(dtype, nothing{}, shape...)
}
func (paper) Upload(*device.Tensor, []float64)                      {}
func (paper) UploadInts(*device.Tensor, []int32)                    {}
func (paper) FeatureScratch(int, int, int, int, int) device.Scratch { return nil }

type nothing struct{}

func (nothing) Slice(int, int) device.Memory { return nothing{} }
