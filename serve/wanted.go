package serve

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/predict"
)

// Wanted are the parameters of a requested output; those that are not given are nil.
type Wanted struct {
	Levels *string // of quantiles, an interval or a set: numbers between 0 and 1, with commas
	Count  *int64  // how many draws
	Seed   *int64  // of draws
	// the number of the first row, where the rows of one prediction come in parts
	FirstRow *int64
}

// binaryData is the parameter by which an output comes in raw form, as all do over gRPC.
const binaryData = "binary_data"

// parametersOf returns the parameters that an output has, beside binaryData.
func (w *Wanted) parametersOf(output string) map[string]any {
	switch output {
	case quantilesName, intervalName, setName:
		return map[string]any{"levels": &w.Levels}
	case drawsName:
		return map[string]any{"count": &w.Count, "seed": &w.Seed, "first_row": &w.FirstRow}
	}
	return nil
}

// read decodes the parameters of an output. It fails for unknown parameters, which would have no effect.
func (w *Wanted) read(output string, given map[string]json.RawMessage) error {
	known := w.parametersOf(output)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name == binaryData {
			continue
		}
		into, ok := known[name]
		if !ok {
			return badf("output %s has no parameter %s: it has %q", quote(output), quote(name),
				append(slices.Sorted(maps.Keys(known)), binaryData))
		}
		if err := json.Unmarshal(given[name], into); err != nil {
			return badf("output %s, parameter %s: %s", quote(output), quote(name), faultOf(err))
		}
	}
	return nil
}

// wantedOutput is an output as a request wants it.
type wantedOutput struct {
	TensorSpec
	levels   []float64
	asked    bool // levels are those of the request
	seed     uint64
	firstRow int
}

const (
	defaultDraws = 100
	maxWanted    = 1 << 16 // draws, or levels
)

// valueOr returns a parameter, or its default if it is not given.
func valueOr[T any](given *T, usual T) T {
	if given == nil {
		return usual
	}
	return *given
}

// forOutput returns an output with these parameters. It fails if one is out of range.
func (w Wanted) forOutput(spec TensorSpec) (wantedOutput, error) {
	firstRow := valueOr(w.FirstRow, 0)
	out := wantedOutput{spec, predict.Levels(), w.Levels != nil, uint64(valueOr(w.Seed, 0)), int(firstRow)}
	out.Shape = slices.Clone(spec.Shape)
	last := len(out.Shape) - 1
	if spec.Name == drawsName {
		out.Shape[last] = valueOr(w.Count, defaultDraws)
		if count := out.Shape[last]; count < 1 || count > maxWanted {
			return out, badf("count: %d must be from 1 to %d", count, maxWanted)
		}
		if firstRow < 0 || firstRow > math.MaxInt32 {
			return out, badf("first_row: %d must be from 0 to %d", firstRow, math.MaxInt32)
		}
	}
	if !out.asked {
		return out, nil
	}
	out.levels = nil
	for _, word := range strings.SplitN(*w.Levels, ",", maxWanted) {
		q, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(q > 0 && q < 1) {
			return out, badf("levels: %s is not between 0 and 1", quote(word))
		}
		out.levels = append(out.levels, q)
	}
	if spec.Name == quantilesName {
		out.Shape[last] = int64(len(out.levels))
	} else if len(out.levels) != 1 {
		return out, badf("levels: %s has one level, and %d are given", spec.Name, len(out.levels))
	}
	return out, nil
}
