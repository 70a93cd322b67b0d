package data

import "gorgonia.org/tensor"

// Input is what one column of a file became, or the sequences.
type Input struct {
	Name    string
	Columns []int // among the D inputs; nil of the sequences
}

// Inputs are those of the schema, in the order of the file, the sequences last.
func (s Schema) Inputs() (all []Input) {
	at := 0
	for _, c := range s.fileColumns() {
		in := Input{Name: c.name}
		for range c.width() {
			in.Columns = append(in.Columns, at)
			at++
		}
		all = append(all, in)
	}
	if s.Alphabet != nil {
		name := s.Sequence
		if name == "" {
			name = "sequence"
		}
		all = append(all, Input{Name: name})
	}
	return all
}

// Shuffled is d followed by a copy of it for each of some inputs. In the copy, row i has that input
// from row from[i].
func (d *Dataset) Shuffled(inputs []Input, from []int) *Dataset {
	n := d.N()
	var rows, sequences []int
	for k := range len(inputs) + 1 {
		for i := range n {
			rows = append(rows, i)
		}
		if k > 0 && inputs[k-1].Columns == nil {
			sequences = append(sequences, from...)
		} else {
			sequences = append(sequences, rows[:n]...)
		}
	}
	s := d.Subset(rows)
	if d.Sequences != nil {
		s.Sequences = d.Sequences.Subset(sequences)
	}
	for k, in := range inputs {
		lo := (k + 1) * n
		if in.Columns == nil {
			continue
		}
		if d.X.Dtype() == tensor.Float64 {
			moveColumns(s.X.Float64s()[lo*d.D():], d.X.Float64s(), d.D(), in.Columns, from)
		} else {
			moveColumns(s.X.Float32s()[lo*d.D():], d.X.Float32s(), d.D(), in.Columns, from)
		}
	}
	s.Fingerprint = s.fingerprint()
	return s
}

// moveColumns copies cells of rows of a width: to row i from row from[i].
func moveColumns[T any](to, source []T, width int, columns, from []int) {
	for i, donor := range from {
		for _, c := range columns {
			to[i*width+c] = source[donor*width+c]
		}
	}
}
