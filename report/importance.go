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
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Importance is importance.json: how much worse a model predicts test rows when the values of one input are exchanged
// among them. It shows the inputs that the model uses, not causes.
type Importance struct {
	Rows    int     `json:"rows"`    // number of rows that were predicted
	Samples int     `json:"samples"` // number of Monte-Carlo samples of these predictions
	Left    int     `json:"left"`    // number of inputs that were left out
	Inputs  []Input `json:"inputs"`  // importance of each input, the largest first
}

// Input is the importance of an input. Log densities are in nats a row, of labels or of targets in training-sd units.
type Input struct {
	Name string  `json:"name"`
	Drop float64 `json:"drop"` // mean log density less that with this input shuffled
	SE   float64 `json:"se"`   // standard error of Drop over the rows
}

// The limits of an Importance: rows, inputs, samples, and a share of the rows and samples of the training. A pass
// forward and back takes about the time of three forward ones.
const (
	fewestRows     = 100
	maxRows        = 500
	maxInputs      = 32
	shuffleSamples = 20
	shareOfRun     = 0.02 * 3
)

// maxCells is the largest number of cells of shuffled rows in memory. Tests lower it.
var maxCells = 1 << 26

// permutationSite separates the permutation of rows from every other use of the seed.
const permutationSite = 0x73687566 // "shuf"

// permutationImportance measures the Importance of inputs on test rows. It is nil if there are no inputs to compare.
// Soon after ctx is done, it returns the cause of ctx as the error.
func permutationImportance(ctx context.Context, t *fitted.Model, c options.Config, steps int,
	dev device.Device, test *data.Dataset) (*Importance, error) {
	inputs := t.Schema.Inputs()
	if t.Featurizer.Gram != nil || test.N() < 2 || len(inputs) < 2 {
		return nil, nil
	}
	inputs = slices.DeleteFunc(inputs, func(in data.Input) bool { return !t.Projection.Reads(in.Columns) })
	lengths := lengthScales(t)
	slices.SortStableFunc(inputs,
		func(a, b data.Input) int { return cmp.Compare(shortest(a, lengths), shortest(b, lengths)) })

	all := len(inputs)
	copies := min(len(inputs), maxInputs) + 1
	for n := all; n > maxInputs; n /= 2 {
		copies += maxInputs + 1
	}
	samples := min(shuffleSamples, t.EvalSamples)
	affordable := shareOfRun * float64(steps) * float64(c.Batch) * float64(c.Samples) / float64(copies*samples)
	most := int(math.Min(maxRows, math.Max(fewestRows, affordable)))
	if test.Sequences != nil { // features of sequences take long, and training computes them once a row
		most = min(most, fewestRows)
	}
	s := &permuter{t: t, dev: dev, rows: test.EvenlySpaced(most), samples: samples}
	s.donors = make([]int, s.rows.N())
	philox.Permutation(s.donors, [2]uint32{uint32(t.Seed), uint32(t.Seed >> 32)}, permutationSite, 0, 0)
	inputs, err := s.narrow(ctx, inputs)
	if err != nil {
		return nil, err
	}
	measured, err := s.measure(ctx, inputs)
	if err != nil {
		return nil, err
	}
	measured = slices.DeleteFunc(measured, func(in Input) bool { // JSON cannot have them
		return !stats.AllFinite([]float64{in.Drop, in.SE})
	})
	slices.SortStableFunc(measured, byDrop)
	return &Importance{Rows: s.rows.N(), Samples: samples, Left: all - len(inputs), Inputs: measured}, nil
}

// byDrop sorts inputs, the most important first.
func byDrop(a, b Input) int { return cmp.Compare(b.Drop, a.Drop) }

// permuter predicts rows whose values of an input come from their donors.
type permuter struct {
	t       *fitted.Model
	dev     device.Device
	rows    *data.Dataset
	donors  []int
	samples int
}

// narrow reduces inputs to maxInputs or fewer. It shuffles blocks of neighbours and leaves out the less important
// blocks, until few inputs remain. So an important input stays, wherever it is.
func (p *permuter) narrow(ctx context.Context, inputs []data.Input) ([]data.Input, error) {
	for len(inputs) > maxInputs {
		blocks, members := make([]data.Input, maxInputs), make([][]data.Input, maxInputs)
		for i, in := range inputs {
			b := i * maxInputs / len(inputs)
			blocks[b].Columns = append(blocks[b].Columns, in.Columns...)
			members[b] = append(members[b], in)
		}
		measured, err := p.measure(ctx, blocks)
		if err != nil {
			return nil, err
		}
		if inputs[0].Columns == nil { // the first input is the sequences, which a block does not shuffle
			measured[0].Drop = math.Inf(1)
		}
		order := metrics.ArgSort(maxInputs, func(a, b int) int { return byDrop(measured[a], measured[b]) })
		most := max(maxInputs, len(inputs)/2)
		inputs = nil
		for _, b := range order {
			if len(inputs)+len(members[b]) > most {
				break
			}
			inputs = append(inputs, members[b]...)
		}
	}
	return inputs, nil
}

// measure shuffles one input after the other, and measures its importance.
func (p *permuter) measure(ctx context.Context, inputs []data.Input) (measured []Input, err error) {
	n := p.rows.N()
	atOnce := max(1, maxCells/(n*max(1, p.rows.D()))-1)
	for chunk := range slices.Chunk(inputs, atOnce) {
		all := p.rows.WithPermutedInputs(chunk, p.donors)
		predicted, err := p.t.Predict(ctx, p.dev, all, p.samples)
		if err != nil {
			return nil, err
		}
		density := p.t.LogDensities(predicted, all, 0).Log
		for k, in := range chunk {
			drop := make([]float64, n)
			for i := range drop {
				drop[i] = density[i] - density[(k+1)*n+i]
			}
			mean, se := metrics.Weights(p.rows.Weights).MeanStdErr(drop)
			measured = append(measured, Input{in.Name, mean, se})
		}
	}
	return measured, nil
}

// lengthScales returns the length-scale of each input in the kernel of vectors, in training-sd units: the geometric
// mean over latent functions, and the shorter one of two kernels. It is nil if inputs share a length-scale.
func lengthScales(t *fitted.Model) []float64 {
	width := t.Config.Inputs
	var lengths []float64
	names := []string{model.GPLogLength(0), model.GPLogLength(1)}
	if t.Config.Model == model.DRF {
		names = []string{model.DRFLogLength(0)}
	}
	for _, name := range names {
		for _, n := range t.Parameters {
			if n.Name != name || width < 2 || n.Shape[len(n.Shape)-1] != width {
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
	return t.Effects.LengthScales(t.Projection.LengthScales(lengths))
}

// shortest returns the shortest length-scale of the columns of an input; 0 for sequences.
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
