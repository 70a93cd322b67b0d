package data

// OneHot is a column of text that became an input for each of its values: 1 where the cell has that value, else 0. If
// it is Numbered, its only input is the number of the value.
type OneHot struct {
	Column string   `json:"column"`
	At     int      `json:"at"` // position among the input columns of the file, from 0
	Values []string `json:"values"`
	Others []string `json:"others,omitempty"` // rarer values, in order, that share one more input
	// Text means that digits and NA are words, as with TableOptions.Text.
	Text     bool `json:"text,omitempty"`
	Numbered bool `json:"numbered,omitempty"`
}

// otherText is the name of the input of rarer texts.
const otherText = "other"

// InputColumn is an input column of a file, and the use of its cells.
type InputColumn struct {
	Name   string
	Values []string // words, each of which is an input; nil if cells are numbers
	Others []string // rarer words, as in OneHot
	Text   bool     // digits and NA are words
	// The only input is the number of the word among Values, from 0; −1 for another word, and for a missing one.
	Numbered bool
	Boolean  bool // true and false are numbers
	// No other numbers than true and false may stand here.
	TrueFalse bool
	Fill      float64 // value for a missing number, with MissingImpute; NaN if it is not known yet
	// Notation tells how to read numbers that are not plain; nil for others.
	Notation *Notation
	Date     *Date // form of dates; nil for other cells
	Flag     bool  // an input, after the others, marks missing cells
}

// width returns the number of inputs that the column becomes.
func (c InputColumn) width() int {
	n := 1 + len(c.Date.names())
	if !c.Numbered {
		n += max(0, len(c.Values)-1)
	}
	if c.Others != nil {
		n++
	}
	if c.Flag {
		n++
	}
	return n
}

// expanded lists the names of the inputs: colour=red and colour=blue for the column colour.
func expanded(columns []InputColumn) []string {
	var names []string
	for _, c := range columns {
		if c.Values == nil || c.Numbered {
			names = append(append(names, c.Name), c.Date.names()...)
		} else {
			for _, v := range c.Values {
				names = append(names, c.Name+"="+v)
			}
		}
		if c.Others != nil {
			names = append(names, c.Name+"="+otherText)
		}
		if c.Flag {
			names = append(names, c.Name+"=missing")
		}
	}
	return names
}

// append adds the inputs of a cell. v is its number, or its time in seconds. hot is the number of its word, whose input
// is 1, or −1.
func (c *InputColumn) append(to []float64, v float64, hot int, missing bool) []float64 {
	switch {
	case c.Date != nil:
		to = c.Date.append(to, v, missing)
	case c.Values == nil:
		to = append(to, v)
	case c.Numbered:
		to = append(to, float64(hot))
	default:
		for k := range c.Values {
			to = append(to, boolToFloat(k == hot))
		}
	}
	if c.Others != nil {
		to = append(to, boolToFloat(hot == len(c.Values)))
	}
	if c.Flag {
		to = append(to, boolToFloat(missing))
	}
	return to
}
