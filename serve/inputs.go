package serve

import (
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// inputsOf returns the tensors that a model reads: "inputs" holds all columns of numbers, in the order of the training
// file, and each column of words or sequences is a tensor of its own.
func inputsOf(s data.Schema) (specs []TensorSpec) {
	if width := len(s.RequestNumbers()); width > 0 {
		specs = append(specs, TensorSpec{s.NumbersName(), FP64, []int64{-1, int64(width)}})
	}
	texts := s.TextColumns()
	if name := s.SequenceColumn(); name != "" {
		texts = append(texts, name)
	}
	for _, name := range texts {
		specs = append(specs, TensorSpec{name, Bytes, []int64{-1}})
	}
	return specs
}

// rowsOf turns the tensors of a request into rows. It fails for unknown, missing and misshapen inputs.
func rowsOf(s data.Schema, inputs []Tensor) (data.Request, error) {
	g := data.Request{N: -1, Texts: map[string][]string{}}
	given := map[string]bool{}
	specs := inputsOf(s)
	for _, t := range inputs {
		at := slices.IndexFunc(specs, func(want TensorSpec) bool { return want.Name == t.Name })
		switch {
		case at < 0:
			return g, invalidf("there is no input %s: the model's metadata list %s", quote(t.Name), specNames(specs))
		case given[t.Name]:
			return g, invalidf("input %s is given twice", quote(t.Name))
		}
		given[t.Name] = true
		n, err := specs[at].rows(t)
		if err != nil {
			return g, err
		}
		if g.N >= 0 && n != g.N {
			return g, invalidf("input %s has %d rows, the one before %d", quote(t.Name), n, g.N)
		}
		g.N = n
		switch {
		case t.Type != Bytes:
			g.Numbers = t.Numbers
		case t.Name == s.SequenceColumn():
			g.Sequences = t.Texts
		default:
			g.Texts[t.Name] = t.Texts
		}
	}
	for _, want := range specs {
		if !given[want.Name] {
			return g, invalidf("input %s is missing: the model reads %s", quote(want.Name), specNames(specs))
		}
	}
	return g, nil
}

// rows checks a tensor of a request against an input of the model, and returns its rows. A column may also come as
// [N,1].
func (s TensorSpec) rows(t Tensor) (int, error) {
	width := int64(1)
	if len(s.Shape) == 2 {
		width = s.Shape[1]
	}
	fits := len(t.Shape) == 2 && t.Shape[1] == width || len(t.Shape) == 1 && width == 1
	switch {
	case !fits:
		return 0, invalidf("input %s has the shape %v, and the model reads %v, where -1 is the number of rows",
			quote(t.Name), t.Shape, s.Shape)
	case (s.Type == Bytes) != (t.Type == Bytes):
		return 0, invalidf("input %s is %s, and the model reads %s", quote(t.Name), t.Type, s.Type)
	}
	return int(t.Shape[0]), nil
}

func specNames(specs []TensorSpec) string {
	var names []string
	for _, s := range specs {
		names = append(names, quote(s.Name))
	}
	return strings.Join(names, ", ")
}
