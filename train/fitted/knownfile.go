package fitted

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
)

// knownPoints is the tensor of a model file with the training rows that Known keeps.
const knownPoints = "known.points"

// knownHeader is the description of Known in a model file.
type knownHeader struct {
	Unit   float64 `json:"unit,omitempty"`
	ToXBar float64 `json:"to_xbar,omitempty"`
}

// tensors are the header and the tensor of Known; nil of nil.
func (k *Known) tensors() (*knownHeader, []safetensors.Tensor) {
	if k == nil {
		return nil, nil
	}
	h := &knownHeader{k.Unit, k.ToXBar}
	if k.Width == 0 {
		return h, nil
	}
	return h, []safetensors.Tensor{{Name: knownPoints, DType: safetensors.Narrowest(k.Points),
		Shape: []int{len(k.Points) / k.Width, k.Width}, Data: k.Points}}
}

// readKnown takes what Known keeps out of the tensors of a model file, and returns the rest.
func (t *Trained) readKnown(h *knownHeader, all []safetensors.Tensor) (rest []safetensors.Tensor, err error) {
	k := &Known{Unit: h.Unit, ToXBar: h.ToXBar}
	k.Width = t.coordinates()
	at := slices.IndexFunc(all, func(x safetensors.Tensor) bool { return x.Name == knownPoints })
	own, _ := t.Kind.among()
	sound := func(unit float64, needed bool) bool {
		return (unit != 0) == needed && unit >= 0 && !math.IsInf(unit, 0)
	}
	switch {
	case !sound(h.Unit, k.Width > 0) || !sound(h.ToXBar, own != nil):
		return nil, fmt.Errorf("units %g and %g of distances from the training rows", h.Unit, h.ToXBar)
	case (at >= 0) != (k.Width > 0):
		return nil, fmt.Errorf("tensor %q is missing, or nothing needs it", knownPoints)
	case at < 0:
		t.Known = k
		return all, nil
	}
	points := all[at]
	if len(points.Shape) != 2 || points.Shape[0] < 1 || points.Shape[1] != k.Width || !AllFinite(points.Data) {
		return nil, fmt.Errorf("tensor %q has shape %v and must have finite rows of %d numbers",
			knownPoints, points.Shape, k.Width)
	}
	k.Points, k.tree, t.Known = points.Data, newPointTree(points.Data, k.Width), k
	return slices.Delete(slices.Clone(all), at, at+1), nil
}
