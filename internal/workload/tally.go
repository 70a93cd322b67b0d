package workload

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Cost is what a step of this shape has to do on a device of that name: the sum over the operations
// of one, which is run on a device that has shapes and nothing behind them.
func (n Size) Cost(deviceName string) (Cost, error) {
	m := &meter{Device: paper{}, count: counterOf(deviceName), dry: true, places: map[string]*place{}}
	s, err := NewStep(m, n)
	if err != nil {
		return Cost{}, err
	}
	m.begin() // without what making the step moved
	s.Run()
	var sum Cost
	for _, name := range m.order {
		sum.add(m.places[name].cost)
	}
	return sum, nil
}

// Parameters is how many numbers a model of this shape learns.
func (n Size) Parameters() (int, error) {
	m, err := model.New(paper{}, n.config())
	if err != nil {
		return 0, err
	}
	return m.Params().Len(), nil
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
