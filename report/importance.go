package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Importance is importance.json: how much worse a model predicts test rows when the values of one
// input are exchanged among them. It shows the inputs that the model uses, not causes.
type Importance struct {
	Rows    int     `json:"rows"`    // that were predicted
	Samples int     `json:"samples"` // Monte-Carlo samples of these predictions
	Left    int     `json:"left"`    // inputs that were left out: they have longer length-scales
	Inputs  []Input `json:"inputs"`  // the most important one first
}

// Input is one of them. Log densities are in nats a row, of targets in training-sd units or of
// labels.
type Input struct {
	Name string  `json:"name"`
	Drop float64 `json:"drop"` // mean log density less that with this input shuffled
	SE   float64 `json:"se"`   // its standard error over the rows
}

// What an Importance may cost: rows, inputs and samples, and a share of the rows and samples that
// the training itself went through. A pass forward and back is about three forward ones.
const (
	fewestRows     = 100
	mostRows       = 500
	mostInputs     = 32
	shuffleSamples = 20
	shareOfRun     = 0.02 * 3
)

// mostCells is how many cells shuffled rows may have in memory. Tests have fewer.
var mostCells = 1 << 26

// shuffleSite keeps the permutation of rows apart from every other use of the seed.
const shuffleSite = 0x73687566 // "shuf"

// shuffle measures the Importance of inputs on test rows. It is nil where there are no inputs to
// compare. Soon after ctx ends, its cause is the error.
func shuffle(ctx context.Context, t *fitted.Trained, c *options.Config, steps int,
	dev device.Device, test *data.Dataset) (*Importance, error) {
	inputs := t.Schema.Inputs()
	if t.Kind.Gram != nil || test.N() < 2 || len(inputs) < 2 {
		return nil, nil
	}
	inputs = slices.DeleteFunc(inputs, func(in data.Input) bool { return !t.Projection.Reads(in.Columns) })
	lengths := lengthScales(t)
	if lengths != nil {
		slices.SortStableFunc(inputs,
			func(a, b data.Input) int { return cmp.Compare(shortest(a, lengths), shortest(b, lengths)) })
	}
	left := max(0, len(inputs)-mostInputs)
	inputs = inputs[:len(inputs)-left]

	samples := min(shuffleSamples, t.EvalSamples)
	affordable := shareOfRun * float64(steps) * float64(c.Batch) * float64(c.Samples) / float64((len(inputs)+1)*samples)
	most := int(math.Min(mostRows, math.Max(fewestRows, affordable)))
	if test.Sequences != nil { // whose features take long, and training computes them once a row
		most = min(most, fewestRows)
	}
	rows := test.Spread(most)
	from := make([]int32, rows.N())
	philox.Permutation(from, [2]uint32{uint32(t.Seed), uint32(t.Seed >> 32)}, shuffleSite, 0, 0)
	donors := make([]int, len(from))
	for i, f := range from {
		donors[i] = int(f)
	}
	out := &Importance{Rows: rows.N(), Samples: samples, Left: left}
	atOnce := max(1, mostCells/(rows.N()*max(1, rows.D()))-1)
	for some := range slices.Chunk(inputs, atOnce) {
		if err := out.measure(ctx, t, dev, rows, some, donors); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out.Inputs, func(a, b Input) int { return cmp.Compare(b.Drop, a.Drop) })
	return out, nil
}

// measure adds some inputs, whose values come from the donors of the rows.
func (m *Importance) measure(ctx context.Context, t *fitted.Trained, dev device.Device, rows *data.Dataset,
	inputs []data.Input, donors []int) error {
	all := rows.Shuffled(inputs, donors)
	p, err := t.Predict(ctx, dev, all, m.Samples)
	if err != nil {
		return err
	}
	density, n := t.DensitiesOf(p, all, 0).Log, m.Rows
	for k, in := range inputs {
		drop := make([]float64, n)
		for i := range drop {
			drop[i] = density[i] - density[(k+1)*n+i]
		}
		mean, se := metrics.Weights(rows.Weights).MeanError(drop)
		if math.IsNaN(mean) || math.IsInf(mean, 0) || math.IsNaN(se) || math.IsInf(se, 0) {
			continue // JSON has no word for it
		}
		m.Inputs = append(m.Inputs, Input{in.Name, mean, se})
	}
	return nil
}

// lengthScales of the inputs are in the kernel of vectors, and in training-sd units: the
// geometric mean over latent functions, and the shorter of two kernels. They are nil where inputs
// share one. Columns that a projection leaves out have an infinite one.
func lengthScales(t *fitted.Trained) []float64 {
	width := t.Model.Inputs
	var lengths []float64
	for _, name := range []string{"gp.log_lengthscale", "gp.log_lengthscale_2", "drf.1.log_lengthscale"} {
		for _, n := range t.Named {
			if n.Name != name || width < 2 || n.Shape[len(n.Shape)-1] != width || name[:3] == "drf" && lengths != nil {
				continue
			}
			kernels := len(n.Data) / width
			for d := range width {
				sum := 0.0
				for k := range kernels {
					sum += n.Data[k*width+d]
				}
				length := math.Exp(sum / float64(kernels))
				if len(lengths) < width {
					lengths = append(lengths, length)
				} else {
					lengths[d] = math.Min(lengths[d], length)
				}
			}
		}
	}
	return t.Projection.Lengths(lengths)
}

// shortest is the shortest length-scale of the columns that an input became; 0 of sequences.
func shortest(in data.Input, lengths []float64) float64 {
	if in.Columns == nil {
		return 0
	}
	least := math.Inf(1)
	for _, c := range in.Columns {
		if c < len(lengths) {
			least = math.Min(least, lengths[c])
		}
	}
	return least
}
