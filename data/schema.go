package data

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Schema holds the facts of a training set that are needed to read another file the same way. A model file holds it.
type Schema struct {
	Columns  []string `json:"columns"`
	Target   string   `json:"target"`
	TargetAt int      `json:"target_at"` // position in the file, from 0, for files without a header
	Task     Task     `json:"task"`
	Classes  []string `json:"classes,omitempty"`
	// OneHot are columns of a file that several of Columns stand for.
	OneHot []OneHot `json:"one_hot,omitempty"`

	Alphabet *seq.Alphabet `json:"alphabet,omitempty"` // alphabet of the sequences; nil if rows have none
	// Sequence is the column of sequences in a table, if rows hold more than a sequence.
	Sequence string `json:"sequence,omitempty"`

	// Targets and TargetsAt are several target columns, in the order of the model's outputs.
	Targets   []string `json:"targets,omitempty"`
	TargetsAt []int    `json:"targets_at,omitempty"`

	LeftOut []LeftOutColumn `json:"left_out,omitempty"` // columns of the file that are no inputs
	ID      string          `json:"id,omitempty"`       // column of LeftOut that names the rows
	Roles   RowRoles        `json:"roles,omitzero"`     // columns of LeftOut that describe the rows
	// TimeForm is the form of Roles.Time, as ParseTime takes it; nil if times are numbers.
	TimeForm *string `json:"time_form,omitempty"`
	// Booleans are columns of numbers that hold only 1 and 0, and may also be written as true and false.
	Booleans []string `json:"booleans,omitempty"`
	// TrueFalse are the Booleans that are written as true and false, where no other number can stand.
	TrueFalse []string `json:"true_false,omitempty"`
	// Notations tell how to read the columns and targets whose numbers are not plain.
	Notations []Notation `json:"notations,omitempty"`

	// Dates are the columns of dates.
	Dates []Date `json:"dates,omitempty"`

	Missing string       `json:"missing,omitempty"` // as TableOptions.Missing
	Fills   []Imputation `json:"fills,omitempty"`   // values for missing cells
	// Dialect is the notation of the training file, if it was requested or is unusual.
	Dialect Dialect `json:"dialect,omitzero"`
}

// HasColumn reports whether the training file had the column, as an input, a target or a column left out.
func (s Schema) HasColumn(name string) bool {
	return slices.Contains(s.names(), name)
}

// names returns all columns of the training file.
func (s Schema) names() []string {
	names := slices.Concat(s.Outputs(), leftNames(s.LeftOut), s.namesOf(func(InputColumn) bool { return true }))
	if s.Sequence != "" {
		names = append(names, s.Sequence)
	}
	return names
}

// Outputs returns the names of the target columns.
func (s Schema) Outputs() []string { return outputs(s.Target, s.Targets) }

// places returns the positions of the target columns in the file.
func (s Schema) places() []int {
	if s.Targets != nil {
		return s.TargetsAt
	}
	return []int{s.TargetAt}
}

// keptPlaces returns the positions of the targets in a file without the columns that are left out.
func (s Schema) keptPlaces() []int {
	kept := slices.Clone(s.places())
	for i, at := range s.places() {
		for _, out := range s.LeftOut {
			if out.At < at {
				kept[i]--
			}
		}
	}
	return kept
}

// Plain returns the schema that a model keeps: it lacks the vectors that sequences of vectors consist of.
func (s Schema) Plain() Schema {
	if s.Alphabet != nil {
		s.Alphabet = s.Alphabet.Plain()
	}
	return s
}

// Check refuses a schema that no training set can have had, since a schema may come from a file.
func (s Schema) Check() error {
	sound, lacks := false, "columns"
	if s.Alphabet != nil {
		sound, lacks = s.hasSoundAlphabet(), "alphabet"
	} else {
		sound = len(s.Columns) > 0 && s.TargetAt < s.width() && !slices.Contains(s.Classes, "") &&
			s.hasSoundTargets() &&
			s.hasSoundFills()
	}
	sorted := slices.Sorted(slices.Values(s.Classes))
	classes := len(sorted) > 0 && len(slices.Compact(sorted)) == len(s.Classes)
	if !sound || s.Target == "" || s.TargetAt < 0 || !(s.Task == Regression || s.Task == Classification && classes) ||
		slices.ContainsFunc(s.Dates, func(d Date) bool { return !d.sound() }) ||
		slices.ContainsFunc(s.OneHot, func(h OneHot) bool {
			return len(h.Values) == 0 || h.Numbered && h.Others != nil
		}) ||
		!slices.Equal(expanded(s.FileColumns()), s.Columns) {
		return errorf("", "the description of the training data is damaged: it lacks %s, target, task or classes",
			lacks)
	}
	return nil
}

// width returns the number of columns the training file has.
func (s Schema) width() int { return len(s.FileColumns()) + len(s.Outputs()) + len(s.LeftOut) }

// hasSoundFills reports whether a training set can have handled missing cells like this.
func (s Schema) hasSoundFills() bool {
	last := -1
	for _, f := range s.Fills {
		if f.At <= last || math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
			return s.Missing == MissingImpute && f.At > last // the value may be not set yet
		}
		last = f.At
	}
	return s.Missing == "" || slices.Contains(MissingWays(), s.Missing)
}

// hasSoundTargets reports whether a training set can have had these several targets.
func (s Schema) hasSoundTargets() bool {
	bad := func(at int) bool { return at < 0 || at >= s.width() }
	return s.Targets == nil && s.TargetsAt == nil ||
		len(s.Targets) > 1 && len(s.Targets) == len(s.TargetsAt) && s.Task == Regression &&
			!slices.ContainsFunc(s.TargetsAt, bad)
}

func (s Schema) hasSoundAlphabet() bool {
	a := s.Alphabet
	v := a.OfVectors()
	return slices.Contains(seq.Kinds(), a.Kind) &&
		(a.Kind != seq.Words && !a.Kind.IsGraph() || len(a.Words) == a.Letters) &&
		(v == nil || v.Width > 0) && (a.Attributes == nil || a.Kind == seq.Graphs) && a.Letters >= 0
}

// FileColumns returns the input columns of a file, in order, without the column of sequences.
func (s Schema) FileColumns() []InputColumn {
	columns := make([]InputColumn, 0, len(s.Columns))
	hot := s.OneHot
	fills := s.Fills
	booleans := setOf(s.Booleans)
	trueFalse := setOf(s.TrueFalse)
	notations, dates := s.notations(), s.dates()
	for i := 0; i < len(s.Columns); {
		c := InputColumn{Name: s.Columns[i]}
		at := len(columns)
		if len(hot) > 0 && hot[0].At == at {
			c.Name = hot[0].Column
			c.Values = hot[0].Values
			c.Others = hot[0].Others
			c.Text = hot[0].Text
			c.Numbered = hot[0].Numbered
			hot = hot[1:]
		}
		c.Boolean, c.TrueFalse = booleans[c.Name], trueFalse[c.Name]
		c.Notation, c.Date = notations[c.Name], dates[c.Name]
		if len(fills) > 0 && fills[0].At == at {
			c.Fill = fills[0].Value
			c.Flag = fills[0].Flag
			fills = fills[1:]
		}
		columns = append(columns, c)
		i += c.width()
	}
	return columns
}

// notations returns the notations of columns of numbers that are not plain, by the names of the columns.
func (s Schema) notations() map[string]*Notation {
	return byName(s.Notations, func(n Notation) string { return n.Column })
}

// dates returns the columns of dates by their names.
func (s Schema) dates() map[string]*Date {
	return byName(s.Dates, func(d Date) string { return d.Column })
}

// describe writes the roles of the columns into a schema.
func (s *Schema) describe(columns []InputColumn, missing string) {
	s.Columns = expanded(columns)
	for at, c := range columns {
		if c.Values != nil {
			s.OneHot = append(s.OneHot, OneHot{c.Name, at, c.Values, c.Others, c.Text, c.Numbered})
		}
		if c.Boolean {
			s.Booleans = append(s.Booleans, c.Name)
		}
		if c.TrueFalse {
			s.TrueFalse = append(s.TrueFalse, c.Name)
		}
		if c.Date != nil {
			s.Dates = append(s.Dates, *c.Date)
		}
		if missing == MissingImpute && (c.Values == nil || c.Flag) {
			s.Fills = append(s.Fills, Imputation{c.Name, at, c.Fill, c.Flag})
		}
	}
}

// NumberColumns returns the input columns of a file that hold plain numbers, in order. They include times that are
// numbers.
func (s Schema) NumberColumns() []string {
	return s.namesOf(func(c InputColumn) bool { return !c.isText() })
}

// RequestNumbers returns the numbers of a row of a request: NumberColumns and the offset.
func (s Schema) RequestNumbers() []string {
	names := s.NumberColumns()
	if s.Roles.Offset != "" {
		names = append(names, s.Roles.Offset)
	}
	return names
}

// TextColumns returns the input columns of a file that hold words, dates, or numbers that are not plain, in order.
func (s Schema) TextColumns() []string { return s.namesOf(InputColumn.isText) }

func (c InputColumn) isText() bool {
	return c.Values != nil || c.Notation != nil || c.Date != nil && c.Date.isText()
}

// InNumbers returns the schema of rows whose numbers are plain, and whose dates are numbers. Dates have the unit of the
// training table, or are seconds since 1970 if they are texts there.
func (s Schema) InNumbers() Schema {
	s.Notations = nil
	s.Dates = slices.Clone(s.Dates)
	for i := range s.Dates {
		if s.Dates[i].isText() {
			s.Dates[i].Form = cellformat.EpochSeconds
		}
	}
	return s
}

func (s Schema) namesOf(want func(InputColumn) bool) (names []string) {
	for _, c := range s.FileColumns() {
		if want(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// SequenceColumn returns the name of the sequences of rows. It is that of their column or, if a file has no columns,
// "sequence". It is "" if rows have none.
func (s Schema) SequenceColumn() string {
	switch {
	case s.Alphabet == nil:
		return ""
	case s.Sequence == "":
		return sequenceName
	}
	return s.Sequence
}

const sequenceName = "sequence"

// NumbersName returns the name of a tensor of all columns of numbers: "inputs", unless a column of words or sequences
// has that name.
func (s Schema) NumbersName() string {
	name := "inputs"
	for slices.Contains(s.TextColumns(), name) || name == s.SequenceColumn() {
		name += "_"
	}
	return name
}

// InputColumns returns the names of all columns of a file that a prediction reads, in order. The offset and the
// sequences are the last.
func (s Schema) InputColumns() []string {
	names := s.namesOf(func(InputColumn) bool { return true })
	if s.Roles.Offset != "" {
		names = append(names, s.Roles.Offset)
	}
	if name := s.SequenceColumn(); name != "" {
		names = append(names, name)
	}
	return names
}

// NumberedWords are the words of a column that is one input: their numbers.
type NumberedWords struct {
	At     int // position among the D inputs
	Column string
	Words  []string
}

// NumberedWords returns the columns of numbered words, in order.
func (s Schema) NumberedWords() (all []NumberedWords) {
	at := 0
	for _, c := range s.FileColumns() {
		if c.Numbered {
			all = append(all, NumberedWords{at, c.Name, c.Values})
		}
		at += c.width()
	}
	return all
}

// NumberColumnsAt returns the positions, among the D inputs, of the columns of numbers without missing cells.
func (s Schema) NumberColumnsAt() (all []int) {
	at := 0
	for _, c := range s.FileColumns() {
		if c.Values == nil && c.Date == nil && !c.Flag {
			all = append(all, at)
		}
		at += c.width()
	}
	return all
}

// Input holds the inputs that one column of a file, or the sequences, become.
type Input struct {
	Name    string
	Columns []int // positions among the D inputs; nil for the sequences
}

// Inputs returns the inputs of the schema, in the order of the file, the sequences last.
func (s Schema) Inputs() (all []Input) {
	at := 0
	for _, c := range s.FileColumns() {
		in := Input{Name: c.Name}
		for range c.width() {
			in.Columns = append(in.Columns, at)
			at++
		}
		all = append(all, in)
	}
	if name := s.SequenceColumn(); name != "" {
		all = append(all, Input{Name: name})
	}
	return all
}
