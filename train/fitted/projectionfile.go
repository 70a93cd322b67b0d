package fitted

import (
	"fmt"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
)

// projectionWeights is the tensor of a projection to components.
const projectionWeights = "projection.weights"

// weightsOf are what a model file keeps of a projection beside its description.
func weightsOf(p *data.Projection) []safetensors.Tensor {
	if p == nil {
		return nil
	}
	return []safetensors.Tensor{{Name: projectionWeights, DType: safetensors.Narrowest(p.Weights),
		Shape: []int{len(p.Columns), len(p.Scores)}, Data: p.Weights}}
}

// readWeights takes the weights of a projection from the tensors, and returns the rest.
func readWeights(p *data.Projection, all []safetensors.Tensor) ([]safetensors.Tensor, error) {
	at := slices.IndexFunc(all, func(x safetensors.Tensor) bool { return x.Name == projectionWeights })
	if at < 0 {
		return nil, fmt.Errorf("tensor %q is missing", projectionWeights)
	}
	weights := all[at]
	if want := []int{len(p.Columns), len(p.Scores)}; !slices.Equal(weights.Shape, want) || !AllFinite(weights.Data) {
		return nil, fmt.Errorf("tensor %q has shape %v and must have %v finite numbers", projectionWeights,
			weights.Shape, want)
	}
	p.Weights = weights.Data
	return slices.Delete(slices.Clone(all), at, at+1), nil
}
