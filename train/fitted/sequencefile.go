package fitted

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// The tensors in the file of a model of sequences: X̄ and the state learnt from the features of all training sequences,
// the scaling of a projection, or the kernel of rows with a kernel of their own.
const (
	sequencesPrefix = "sequences."
	inducingCodes   = sequencesPrefix + "codes" // X̄, end to end
	inducingStart   = sequencesPrefix + "start" // [M+1]: start of each in the codes
	projectionMean  = sequencesPrefix + "mean"  // [P]
	projectionScale = sequencesPrefix + "scale" // [1]
	gramOwn         = sequencesPrefix + "gram"  // [M,M]
)

// sequencesDescription is the description of sequences in a model file.
type sequencesDescription struct {
	Kernel     string `json:"kernel,omitempty"`     // feature maps
	Projection int    `json:"projection,omitempty"` // P of model drf
	Gram       bool   `json:"gram,omitempty"`       // rows have a kernel of their own, in place of maps

	Codebook *seq.Codebook `json:"codebook,omitempty"` // codebook for sequences of vectors
}

// gramShape returns [M,M], or [1] for one inducing point.
func gramShape(m int) []int {
	if m == 1 {
		return []int{1}
	}
	return []int{m, m}
}

// tensors returns the parts of a model file that describe the Featurizer; nil for a table.
func (f Featurizer) tensors() (*sequencesDescription, []safetensors.Tensor) {
	d := &sequencesDescription{Kernel: f.maps().String(), Codebook: f.Codebook}
	switch b, p, g := f.Inducing, f.Projection, f.Gram; {
	case b != nil:
		codes, start := converted[float64](b.Set.Codes), converted[float64](b.Set.Start)
		return d, append([]safetensors.Tensor{tensorOf(inducingCodes, codes, len(codes)),
			tensorOf(inducingStart, start, len(start))}, stateTensors(b.States())...)
	case p != nil:
		d.Projection = p.P
		return d, append([]safetensors.Tensor{tensorOf(projectionMean, p.Mean, p.P),
			tensorOf(projectionScale, []float64{p.Scale}, 1)}, stateTensors(p.States())...)
	case g != nil:
		own := tensorOf(gramOwn, g.InducingDistances, gramShape(g.M)...)
		return &sequencesDescription{Gram: true}, []safetensors.Tensor{own}
	}
	return nil, nil
}

// stateTensors returns the tensors of the state learnt from the features under each map.
func stateTensors(states []*seq.State) (tensors []safetensors.Tensor) {
	for i, s := range states {
		if s == nil {
			continue
		}
		rows := append(converted[float64](s.Rows), float64(s.N))
		tensors = append(tensors, tensorOf(stateName(i, "keys"), halves(s.Keys), len(s.Keys), 2),
			tensorOf(stateName(i, "rows"), rows, len(rows)))
		for j, t := range s.Tables {
			tensors = append(tensors, tensorOf(tableName(i, j), halves(t), len(t), 2))
		}
	}
	return tensors
}

func stateName(term int, what string) string {
	return fmt.Sprintf("%s%d.%s", sequencesPrefix, term, what)
}

func tableName(term, table int) string { return stateName(term, fmt.Sprintf("table.%d", table)) }

// readFeaturizer reads the Featurizer of a model of sequences from the tensors of a model file.
func (m *Model) readFeaturizer(d *sequencesDescription, r *tensorReader) (f Featurizer, err error) {
	inducing := m.Config.Inducing
	if d.Gram {
		f.Gram = &Gram{InducingDistances: r.reals(gramOwn, gramShape(inducing)...), M: inducing}
		return f, r.err
	}
	spec, err := seq.Parse(d.Kernel)
	if err != nil {
		return f, err
	}
	alphabet := m.Schema.Alphabet
	if f.Codebook = d.Codebook; f.Codebook != nil {
		alphabet = f.Codebook.Alphabet(alphabet)
	}
	if err := spec.Check(alphabet); err != nil {
		return f, err
	}
	states := make([]*seq.State, len(spec))
	for i, term := range spec {
		if term.TFIDF || d.Projection > 0 {
			states[i] = r.state(i)
		}
	}
	if d.Projection > 0 {
		p := &seq.SignProjection{Spec: spec, P: d.Projection, Seed: m.Seed, Mean: r.reals(projectionMean, d.Projection)}
		if scale := r.reals(projectionScale, 1); scale != nil && !(scale[0] > 0) {
			r.refuse("the projection's scale is %g", scale[0])
		} else if scale != nil {
			p.Scale = scale[0]
		}
		if r.err != nil {
			return f, r.err
		}
		f.Projection = p
		return f, p.Restore(alphabet, states)
	}
	set := r.set(alphabet, inducing)
	if r.err != nil {
		return f, r.err
	}
	if !slices.Equal(options.MapKinds(spec), m.Config.Maps) {
		return f, fmt.Errorf("the maps %s are not those of the model", d.Kernel)
	}
	f.Inducing, err = seq.RestoreInducingSequences(spec, set, states)
	return f, err
}

// set reads X̄.
func (r *tensorReader) set(a *seq.Alphabet, m int) *seq.Set {
	s := &seq.Set{Alphabet: a}
	most := float64(a.Letters - 1)
	if a.Kind.IsGraph() { // the codes of a graph hold numbers of nodes and edges, too
		most = math.MaxInt32
	}
	s.Codes = converted[int32](r.wholeNumbers(inducingCodes, seq.Unknown, most))
	s.Start = converted[int](r.wholeNumbers(inducingStart, 0, float64(len(s.Codes))))
	switch {
	case r.err != nil:
	case !slices.IsSorted(s.Start):
		r.refuse("tensor %q is not in order", inducingStart)
	case len(s.Start) != m+1 || s.Start[0] != 0 || s.Start[m] != len(s.Codes):
		r.refuse("%d inducing points in tensor %q, the model needs %d", len(s.Start)-1, inducingStart, m)
	case a.Kind.IsGraph():
		r.err = s.CheckGraphs()
	}
	return s
}

// state returns the state learnt for term i.
func (r *tensorReader) state(i int) *seq.State {
	s := &seq.State{Keys: r.keys(stateName(i, "keys"))}
	rows := r.wholeNumbers(stateName(i, "rows"), 0, math.MaxInt32)
	if r.err == nil && len(rows) != len(s.Keys)+1 {
		r.refuse("tensor %q has %d numbers, %d are needed", stateName(i, "rows"), len(rows), len(s.Keys)+1)
	}
	if r.err != nil {
		return s
	}
	s.Rows = converted[uint32](rows[:len(s.Keys)])
	s.N = int(rows[len(s.Keys)])
	for j := 0; ; j++ {
		if _, more := r.all[tableName(i, j)]; !more {
			return s
		}
		s.Tables = append(s.Tables, r.keys(tableName(i, j)))
	}
}
