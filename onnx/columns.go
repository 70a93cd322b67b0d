package onnx

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/onnxfile"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// columns returns the inputs of the model [B,D] in their units, from the columns of a table. The columns of numbers are
// one tensor, and each column of words is a separate tensor. It does what data.Schema.Rows does: words become an input
// for each, and missing cells are filled in.
func (g graph) columns(s data.Schema) value {
	s = s.InNumbers() // a graph takes plain numbers
	var numbers value
	if width := len(s.NumberColumns()); width > 0 {
		numbers = g.Input(s.NumbersName(), onnxfile.Double, -1, width)
	}
	words := s.TextColumns()
	var parts []value
	at := 0
	for _, c := range s.FileColumns() {
		var missing func() value // [B,1], true or false
		if c.Values == nil {
			cell := g.column(numbers, at)
			at++
			missing = func() value { return g.Op("IsNaN", cell) }
			inputs := []value{cell}
			fill := c.Fill
			if c.Date != nil {
				inputs = g.date(c.Date, cell)
			}
			for _, x := range inputs {
				if s.Missing == data.MissingImpute {
					x = g.Op("Where", missing(), g.Scalar(fill), x)
				}
				parts = append(parts, x)
				fill = 0
			}
		} else {
			name := inputName(c.Name, words)
			word := g.Op("Unsqueeze", g.Input(name, onnxfile.String, -1), g.Ints(1))
			missing = func() value { return g.Op("Equal", word, g.Strings([]string{""}, 1)) }
			same := g.double(g.Op("Equal", word, g.Strings(c.Values, 1, len(c.Values))))
			if c.Numbered {
				same = g.wordNumber(same, len(c.Values))
			}
			if s.Missing != data.MissingImpute { // there is no prediction without the word
				same = g.Op("Where", missing(), g.Scalar(math.NaN()), same)
			}
			parts = append(parts, same)
			if c.Others != nil {
				known := g.sum(same, 1)
				parts = append(parts, g.sub(g.sub(g.Scalar(1), known), g.double(missing())))
			}
		}
		if c.Flag {
			parts = append(parts, g.double(missing()))
		}
	}
	return g.concat(1, parts)
}

// date returns the elapsed time, in days, of times [B,1], and the cosine and sine of each phase.
func (g graph) date(d *data.Date, cell value) []value {
	const day = 24 * 3600
	seconds := g.mul(cell, g.Scalar(d.Seconds(1)))
	inputs := []value{g.div(g.sub(seconds, g.Scalar(d.Start)), g.Scalar(day))}
	for _, period := range d.Periods() {
		turns := g.div(g.sub(seconds, g.Scalar(data.PhaseOrigin)), g.Scalar(period))
		angle := g.mul(g.sub(turns, g.Op("Floor", turns)), g.Scalar(2*math.Pi))
		inputs = append(inputs, g.Op("Cos", angle), g.Op("Sin", angle))
	}
	return inputs
}

// inputName returns the name of the tensor of a column of words: the column's name, unless an output has it. Another
// name is then chosen, which no column has.
func inputName(column string, columns []string) string {
	if slices.Contains([]string{"mean", "sd", "label", "probabilities", offsetName}, column) {
		for slices.Contains(columns, column) {
			column += "_"
		}
	}
	return column
}

// scaled applies scaling.Scaler.Apply to x.
func (g graph) scaled(s scaling.Scaler, x value) value {
	d := len(s.Center)
	if s.Log != nil {
		over := g.max(g.sub(x, g.Doubles(s.Log.Min, d)), 0)
		x = g.Op("Log", g.add(g.div(over, g.Doubles(s.Log.Unit, d)), g.Scalar(1)))
	}
	if s.Tails != nil {
		x = g.tails(s.Tails, x, d)
	}
	x = g.div(g.sub(x, g.Doubles(s.Center, d)), g.Doubles(s.Scale, d))
	bound := scaling.MaxScaled
	if s.Clip > 0 {
		bound = math.Min(bound, s.Clip)
	}
	return g.Op("Min", g.max(x, -bound), g.Scalar(bound))
}

// tails applies scaling.AsinhScale to d columns: asinh z = sign z · log(|z| + √(z² + 1)), since runtimes have Asinh in
// single precision only.
func (g graph) tails(t *scaling.AsinhScale, x value, d int) value {
	const most = 1e150 // a number whose square is finite
	units := slices.Clone(t.Unit)
	for j, u := range units {
		if u == 0 {
			units[j] = 1
		}
	}
	z := g.div(g.sub(x, g.Doubles(t.Middle, d)), g.Doubles(units, d))
	size := g.Op("Min", g.Op("Abs", z), g.Scalar(most))
	root := g.Op("Sqrt", g.add(g.square(size), g.Scalar(1)))
	long := g.mul(g.Op("Sign", z), g.Op("Log", g.add(size, root)))
	return g.Op("Where", g.Op("Equal", g.Doubles(t.Unit, d), g.Scalar(0)), x, long)
}

// wordNumber returns the number of a word [B,1], −1 for none, from the indicators of K words [B,K].
func (g graph) wordNumber(same value, k int) value {
	ordinals := make([]float64, k)
	for i := range ordinals {
		ordinals[i] = float64(i + 1)
	}
	return g.sub(g.matMul(same, g.Doubles(ordinals, k, 1)), g.Scalar(1))
}

// effects applies scaling.CategoryEffects.Apply to x with d columns.
func (g graph) effects(e *scaling.CategoryEffects, x value, d int) value {
	if e == nil {
		return x
	}
	p := len(e.Targets)
	var parts []value
	at := 0
	numbers := func(end int) {
		if at < end {
			parts = append(parts, g.Op("Slice", x, g.Ints(at), g.Ints(end), g.Ints(1)))
		}
	}
	for _, c := range e.Columns {
		numbers(c.At)
		number := g.column(x, c.At) // a NaN has no row of the table; the prediction is NaN in the end
		if c.Codes != nil {
			number = g.wordNumber(g.double(g.Op("Equal", number, g.Doubles(c.Codes, 1, c.Words))), c.Words)
		}
		row := g.add(g.Op("Where", g.Op("IsNaN", number), g.Scalar(-1), number), g.Scalar(1))
		table := g.Doubles(append(make([]float64, p), c.Values...), c.Words+1, p)
		row = g.Op("Squeeze", row, g.Ints(1))
		whole := g.With("Cast", []onnxfile.Attr{{Name: "to", Int: int(onnxfile.Int64)}}, row)
		parts = append(parts, g.With("Gather", []onnxfile.Attr{{Name: "axis", Int: 0}}, table, whole))
		at = c.At + 1
	}
	numbers(d)
	return g.concat(1, parts)
}

// wordCopies returns the scaled inputs x [B,d] for each effect of fitted.Model.NewWords [copies·B,d]. A word is new if
// its effects, in plain inputs [B,d], are 0.
func (g graph) wordCopies(words []fitted.NewWord, plain, x value, d int) value {
	var copies []value
	for q := range fitted.WordCopies {
		var parts []value
		at := 0
		add := func(end int) {
			if at < end {
				parts = append(parts, g.Op("Slice", x, g.Ints(at), g.Ints(end), g.Ints(1)))
			}
		}
		for k, c := range words {
			p := len(c.Zero)
			add(c.At)
			at = c.At + p
			slice := func(of value) value { return g.Op("Slice", of, g.Ints(c.At), g.Ints(at), g.Ints(1)) }
			isNew := g.Op("Equal", g.sum(g.Op("Abs", slice(plain)), 1), g.Scalar(0))
			effects := g.Doubles(c.Effects[fitted.CopyOf(q, k)], 1, p)
			parts = append(parts, g.Op("Where", isNew, effects, slice(x)))
		}
		add(d)
		copies = append(copies, g.concat(1, parts))
	}
	return g.concat(0, copies)
}

// asSamples returns the C outputs of copies of rows [S,copies·B,C] as those of samples [copies·S,B,C].
func (g graph) asSamples(h value, outputs int) value {
	apart := g.Op("Reshape", h, g.Ints(0, fitted.WordCopies, -1, outputs))
	var samples []value
	for q := range fitted.WordCopies {
		one := g.Op("Slice", apart, g.Ints(q), g.Ints(q+1), g.Ints(1))
		samples = append(samples, g.Op("Squeeze", one, g.Ints(1)))
	}
	return g.concat(0, samples)
}

// projected applies scaling.Projection.Apply to x.
func (g graph) projected(p *scaling.Projection, x value) value {
	if p == nil {
		return x
	}
	gathered := g.With("Gather", []onnxfile.Attr{{Name: "axis", Int: 1}}, x, g.Ints(p.Columns...))
	read := g.scaled(p.Scaler, gathered)
	weights := g.Doubles(p.Weights, len(p.Columns), len(p.OutputNames))
	return g.sub(g.Op("MatMul", read, weights), g.Doubles(p.Offsets, len(p.OutputNames)))
}

// column returns column i of x as [B,1].
func (g graph) column(x value, i int) value {
	return g.Op("Slice", x, g.Ints(i), g.Ints(i+1), g.Ints(1))
}
