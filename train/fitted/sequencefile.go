package fitted

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// The tensors of a model file that hold what a model of sequences keeps: X̄ and what was learnt of
// the features of all training sequences, the scaling of a projection, or a kernel of the rows'
// own.
const (
	sequencesPrefix = "sequences."
	basisCodes      = sequencesPrefix + "codes" // X̄, end to end
	basisStart      = sequencesPrefix + "start" // [M+1]: where each begins
	projectionMean  = sequencesPrefix + "mean"  // [P]
	projectionScale = sequencesPrefix + "scale" // [1]
	gramOwn         = sequencesPrefix + "gram"  // [M,M]
)

// sequencesHeader is the description of sequences in a model file.
type sequencesHeader struct {
	Kernel     string `json:"kernel,omitempty"`     // the feature maps
	Projection int    `json:"projection,omitempty"` // P of model drf
	Gram       bool   `json:"gram,omitempty"`       // a kernel of the rows' own, in place of maps

	Codebook *seq.Codebook `json:"codebook,omitempty"` // of sequences of vectors
}

// tensorOf is one that holds data, in rows of a width.
func tensorOf(name string, data []float64, width int) safetensors.Tensor {
	shape := []int{len(data)}
	if width > 1 {
		shape = []int{len(data) / width, width}
	}
	return safetensors.Tensor{Name: name, DType: safetensors.Narrowest(data), Shape: shape, Data: data}
}

func (g Gram) tensors() (*sequencesHeader, []safetensors.Tensor) {
	return &sequencesHeader{Gram: true}, []safetensors.Tensor{tensorOf(gramOwn, g.Own, g.M)}
}

func (s Sequences) tensors() (*sequencesHeader, []safetensors.Tensor) {
	h := &sequencesHeader{Kernel: s.Basis.Spec.String(), Codebook: s.Codebook}
	return h, append([]safetensors.Tensor{
		tensorOf(basisCodes, numbers(s.Basis.Set.Codes), 1),
		tensorOf(basisStart, numbers(s.Basis.Set.Start), 1),
	}, stateTensors(s.Basis.States())...)
}

func (p Projected) tensors() (*sequencesHeader, []safetensors.Tensor) {
	h := &sequencesHeader{Kernel: p.Projection.Spec.String(), Projection: p.Projection.P, Codebook: p.Codebook}
	return h, append([]safetensors.Tensor{
		tensorOf(projectionMean, p.Projection.Mean, 1),
		tensorOf(projectionScale, []float64{p.Projection.Scale}, 1),
	}, stateTensors(p.Projection.States())...)
}

// stateTensors hold what was learnt of the features under each map. A number beyond what a float64
// counts is in two halves of 32 bits.
func stateTensors(states []*seq.State) (tensors []safetensors.Tensor) {
	for i, s := range states {
		if s == nil {
			continue
		}
		tensors = append(tensors, tensorOf(stateName(i, "keys"), halves(s.Keys), 2),
			tensorOf(stateName(i, "rows"), append(numbers(s.Rows), float64(s.N)), 1))
		for j, t := range s.Tables {
			tensors = append(tensors, tensorOf(tableName(i, j), halves(t), 2))
		}
	}
	return tensors
}

func stateName(term int, what string) string {
	return fmt.Sprintf("%s%d.%s", sequencesPrefix, term, what)
}

func tableName(term, table int) string { return stateName(term, fmt.Sprintf("table.%d", table)) }

func numbers[T int | int32 | uint32](values []T) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

func halves(keys []uint64) []float64 {
	out := make([]float64, 0, 2*len(keys))
	for _, k := range keys {
		out = append(out, float64(k>>32), float64(uint32(k)))
	}
	return out
}

// sequencesReader takes tensors out of a model file; err is the first that was wrong.
type sequencesReader struct {
	tensors map[string]safetensors.Tensor
	err     error
}

// readSequences takes what a model of sequences keeps out of the tensors of a model file, and
// returns the rest.
func (t *Trained) readSequences(h *sequencesHeader, all []safetensors.Tensor) (rest []safetensors.Tensor, err error) {
	r := &sequencesReader{tensors: map[string]safetensors.Tensor{}}
	for _, t := range all {
		if strings.HasPrefix(t.Name, sequencesPrefix) {
			r.tensors[t.Name] = t
		} else {
			rest = append(rest, t)
		}
	}
	if h.Gram {
		m := t.Model.Inducing
		t.Kind = Gram{Own: r.real(gramOwn, m*m), M: m}
		return rest, r.end()
	}
	spec, err := seq.Parse(h.Kernel)
	if err != nil {
		return nil, err
	}
	alphabet := t.Schema.Alphabet
	codes := Codes{Codebook: h.Codebook}
	if h.Codebook != nil {
		alphabet = h.Codebook.Alphabet(alphabet)
	}
	if err := spec.Check(alphabet); err != nil {
		return nil, err
	}
	states := make([]*seq.State, len(spec))
	for i, term := range spec {
		if term.TFIDF || h.Projection > 0 {
			states[i] = r.state(i)
		}
	}
	if h.Projection > 0 {
		p := &seq.Projection{Spec: spec, P: h.Projection, Seed: t.Seed, Mean: r.real(projectionMean, h.Projection)}
		if scale := r.real(projectionScale, 1); scale != nil {
			p.Scale = scale[0]
		}
		if err := r.end(); err != nil {
			return nil, err
		}
		if !(p.Scale > 0) {
			return nil, fmt.Errorf("the projection's scale is %g", p.Scale)
		}
		t.Kind = Projected{codes, p}
		return rest, p.Restore(alphabet, states)
	}
	set := r.set(alphabet, t.Model.Inducing)
	if err := r.end(); err != nil {
		return nil, err
	}
	if !slices.Equal(options.MapKinds(spec), t.Model.Maps) {
		return nil, fmt.Errorf("the maps %s are not those of the model", h.Kernel)
	}
	basis, err := seq.RestoreBasis(spec, set, states)
	t.Kind = Sequences{codes, basis}
	return rest, err
}

// end is the first error. A tensor that was not read is an error.
func (r *sequencesReader) end() error {
	for name := range r.tensors {
		r.fail("tensor %q belongs to no part of the model", name)
	}
	return r.err
}

// real is a tensor of n finite numbers; nil after an error.
func (r *sequencesReader) real(name string, n int) []float64 {
	t, ok := r.tensors[name]
	delete(r.tensors, name)
	if !ok {
		r.fail("tensor %q is missing", name)
	} else if len(t.Data) != n {
		r.fail("tensor %q has %d numbers, the model needs %d", name, len(t.Data), n)
	}
	for _, v := range t.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.fail("tensor %q holds %g", name, v)
		}
	}
	if r.err != nil {
		return nil
	}
	return t.Data
}

func (r *sequencesReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// take is the whole numbers of a tensor, from low to high; nil after an error.
func (r *sequencesReader) take(name string, low, high float64) []float64 {
	t, ok := r.tensors[name]
	delete(r.tensors, name)
	if !ok {
		r.fail("tensor %q is missing", name)
	}
	for _, v := range t.Data {
		if !(v >= low && v <= high) || v != math.Trunc(v) {
			r.fail("tensor %q holds %g", name, v)
		}
	}
	if r.err != nil {
		return nil
	}
	return t.Data
}

// keys are numbers in two halves.
func (r *sequencesReader) keys(name string) []uint64 {
	data := r.take(name, 0, math.MaxUint32)
	keys := make([]uint64, len(data)/2)
	for i := range keys {
		keys[i] = uint64(data[2*i])<<32 | uint64(data[2*i+1])
	}
	return keys
}

// set is X̄.
func (r *sequencesReader) set(a *seq.Alphabet, m int) *seq.Set {
	s := &seq.Set{Alphabet: a}
	most := float64(a.Letters - 1)
	if a.Kind.IsGraph() { // whose codes count nodes and edges, too
		most = math.MaxInt32
	}
	for _, c := range r.take(basisCodes, seq.Unknown, most) {
		s.Codes = append(s.Codes, int32(c))
	}
	for _, v := range r.take(basisStart, 0, float64(len(s.Codes))) {
		if n := len(s.Start); n > 0 && int(v) < s.Start[n-1] {
			r.fail("tensor %q is not in order", basisStart)
		}
		s.Start = append(s.Start, int(v))
	}
	if r.err == nil && (len(s.Start) != m+1 || s.Start[0] != 0 || s.Start[m] != len(s.Codes)) {
		r.fail("%d inducing points in tensor %q, the model needs %d", len(s.Start)-1, basisStart, m)
	}
	if r.err == nil && a.Kind.IsGraph() {
		r.err = s.CheckGraphs()
	}
	return s
}

// state is what was learnt for term i.
func (r *sequencesReader) state(i int) *seq.State {
	s := &seq.State{Keys: r.keys(stateName(i, "keys"))}
	rows := r.take(stateName(i, "rows"), 0, math.MaxInt32)
	if r.err == nil && len(rows) != len(s.Keys)+1 {
		r.fail("tensor %q has %d numbers, %d are needed", stateName(i, "rows"), len(rows), len(s.Keys)+1)
	}
	if r.err != nil {
		return s
	}
	for _, v := range rows[:len(s.Keys)] {
		s.Rows = append(s.Rows, uint32(v))
	}
	s.N = int(rows[len(s.Keys)])
	for j := 0; ; j++ {
		if _, more := r.tensors[tableName(i, j)]; !more {
			return s
		}
		s.Tables = append(s.Tables, r.keys(tableName(i, j)))
	}
}
