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

// OutputRequest is an output that a request names.
type OutputRequest struct {
	Name       string                     `json:"name"`
	Parameters map[string]json.RawMessage `json:"parameters"`
	Binary     bool                       `json:"-"` // it is to come in raw form
}

// binaryData is the parameter by which an output comes in raw form, as all do over gRPC.
const binaryData = "binary_data"

// wantedOutput is an output as a request wants it.
type wantedOutput struct {
	TensorSpec
	levels    []float64
	hasLevels bool // the request gives the levels
	seed      uint64
	firstRow  int
}

const (
	defaultDraws = 100
	maxWanted    = 1 << 16 // draws, or levels
)

// of returns the output of a model that is asked for. It fails for unknown parameters, which would have no effect, and
// where one is out of range.
func (q OutputRequest) of(spec TensorSpec) (out wantedOutput, err error) {
	var levels *string // of quantiles, an interval or a set: numbers between 0 and 1, with commas
	var seed uint64
	// firstRow: the number of the first row, where the rows of one prediction come in parts
	count, firstRow := int64(defaultDraws), int64(0)
	known := map[string]any{}
	switch spec.Name {
	case quantilesName, intervalName, setName:
		known["levels"] = &levels
	case drawsName:
		known["count"], known["seed"], known["first_row"] = &count, &seed, &firstRow
	}
	for _, name := range slices.Sorted(maps.Keys(q.Parameters)) {
		if name == binaryData {
			continue
		}
		into, ok := known[name]
		if !ok {
			return out, badf("output %s has no parameter %s: it has %q", quote(spec.Name), quote(name),
				append(slices.Sorted(maps.Keys(known)), binaryData))
		}
		if err := json.Unmarshal(q.Parameters[name], into); err != nil {
			return out, badf("output %s, parameter %s: %s", quote(spec.Name), quote(name), faultOf(err))
		}
	}
	out = wantedOutput{spec, predict.Levels(), levels != nil, seed, int(firstRow)}
	out.Shape = slices.Clone(spec.Shape)
	last := len(out.Shape) - 1
	if spec.Name == drawsName {
		out.Shape[last] = count
		if count < 1 || count > maxWanted {
			return out, badf("count: %d must be from 1 to %d", count, maxWanted)
		}
		if firstRow < 0 || firstRow > math.MaxInt32 {
			return out, badf("first_row: %d must be from 0 to %d", firstRow, math.MaxInt32)
		}
	}
	if !out.hasLevels {
		return out, nil
	}
	if n := strings.Count(*levels, ",") + 1; n > maxWanted {
		return out, badf("levels: %d are given, and %d are the most", n, maxWanted)
	}
	out.levels = nil
	for word := range strings.SplitSeq(*levels, ",") {
		level, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(level > 0 && level < 1) {
			return out, badf("levels: %s is not between 0 and 1", quote(word))
		}
		out.levels = append(out.levels, level)
	}
	if spec.Name == quantilesName {
		out.Shape[last] = int64(len(out.levels))
	} else if len(out.levels) != 1 {
		return out, badf("levels: %s has one level, and %d are given", spec.Name, len(out.levels))
	}
	return out, nil
}
