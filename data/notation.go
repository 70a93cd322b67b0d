package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// Notation is how the numbers of a column are written if they are not plain: 1,299.50 or 1.299,99, $1,200, 12 %, 5 kg.
// A number in parentheses or before a minus is negative, as in accounts.
type Notation struct {
	Column    string `json:"column"`
	Thousands string `json:"thousands,omitempty"` // the sign between groups of three digits
	Comma     bool   `json:"comma,omitempty"`     // decimals have a comma
	// Cells of the training file have commas between them, as decimals have.
	Quoted bool   `json:"quoted,omitempty"`
	Unit   string `json:"unit,omitempty"` // unit beside each number: %, a sign of money, kg
}

// plain returns the cell as a plain number; false for a cell that is written otherwise.
func (n *Notation) plain(cell string) (plain string, ok bool) {
	a, ok := cellformat.AmountOf(cell)
	if !ok || a.Unit != n.Unit {
		return "", false
	}
	plain, thousands, ok := a.Plain(n.Comma)
	return plain, ok && (thousands == "" || thousands == n.Thousands)
}

// parse returns the number in a cell, NaN for a missing one; false for a cell that is written otherwise.
func (n *Notation) parse(cell string) (v float64, ok bool) {
	cell = strings.TrimSpace(cell)
	if cellformat.IsNoNumber(cell) {
		return math.NaN(), true
	}
	if cell, ok = n.plain(cell); ok {
		v, _ = cellformat.ParseNumber(cell)
	}
	return v, ok
}

// Written writes a number of a request like the cells of the column. It returns a value that is not a number unchanged.
// n is nil for a column without a notation, whose numbers are also unchanged.
func (n *Notation) Written(value string) string {
	v, err := strconv.ParseFloat(value, 64)
	if n == nil || err != nil {
		return value
	}
	return n.write(strconv.FormatFloat(v, 'f', -1, 64))
}

// write formats a plain number as a cell of the column.
func (n *Notation) write(plain string) string {
	if n.Comma {
		plain = strings.Replace(plain, ".", ",", 1)
	}
	if first, _ := utf8.DecodeRuneInString(n.Unit); unicode.Is(unicode.Sc, first) && !n.Comma {
		return n.Unit + plain
	}
	return strings.TrimSpace(plain + " " + n.Unit)
}

// like describes the column, for the error about a cell that is written otherwise.
func (n *Notation) like(cell string) string {
	example := n.write("7.5")
	if n.Thousands != "" {
		example = strings.Replace(example, "7", "1"+n.Thousands+"007", 1)
	}
	lacks := ""
	if n.Unit != "" && !strings.Contains(cell, n.Unit) {
		lacks = "it lacks the unit " + phrase.Quote(n.Unit) + ": "
	}
	return lacks + "write it as the training cells are, such as " + phrase.Quote(example)
}

// digitGrouping are the findings about thousands and decimals in the cells of a column.
type digitGrouping struct {
	ways    [2]groupingReading // readings of the cells, with a decimal point and with a decimal comma
	units   []string           // different units, up to maxUnits+1; "" for a number alone
	hasText bool               // a cell is not a number
	// Some cell has neither parentheses nor a final minus, or has a point or a comma. Otherwise, they are names such as
	// (1).
	unparenthesised bool
	ambiguous       occurrences // the first cell whose number depends on the reading
	behind          occurrences // the first number with a minus after it
}

// groupingReading is the result of reading the column in one way.
type groupingReading struct {
	invalid   bool // a cell is not a number in this way
	thousands string
}

func (d *digitGrouping) way(comma bool) groupingReading { return d.ways[int(boolToFloat(comma))] }

// add examines a cell. A number in a file of typed cells is no evidence.
func (d *digitGrouping) add(rec *records, i int, cell string, isNumber bool) {
	point, comma := strings.Contains(cell, "."), strings.Contains(cell, ",")
	d.unparenthesised = d.unparenthesised || isNumber
	if d.hasText || isNumber && (rec.isTyped(i) || !(point && !d.ways[1].invalid || comma && !d.ways[0].invalid)) {
		return
	}
	a, ok := cellformat.AmountOf(cell)
	if !ok || a.Unit != "" && cellformat.IsCode(a.Digits) {
		d.hasText = !isNumber // a number may be written 1.5e3; 01A is a code
		return
	}
	behind := strings.HasSuffix(cell, "-") || strings.HasSuffix(cell, "−")
	if behind {
		d.behind.countCell(rec, i, cell)
	}
	d.unparenthesised = d.unparenthesised || point || comma || cell[0] != '(' && !behind
	if len(d.units) <= maxUnits && !slices.Contains(d.units, a.Unit) {
		d.units = append(d.units, strings.Clone(a.Unit))
	}
	for k := range d.ways {
		w := &d.ways[k]
		_, thousands, ok := a.Plain(k == 1)
		if w.thousands == "" {
			w.thousands = strings.Clone(thousands)
		}
		w.invalid = w.invalid || !ok || thousands != "" && thousands != w.thousands
	}
	if point || comma {
		d.ambiguous.countCell(rec, i, cell)
	}
}

// fits reports whether the cells of the column are numbers in one way, by decimals with a comma or a point.
func (c *columnProfile) fits(comma bool) bool {
	s := &c.signs
	return !s.way(comma).invalid && !s.hasText && s.unparenthesised && c.codes.cell == "" && c.dates.texts.n == 0 &&
		c.filled() > c.doubtful.n
}

// decimals finds the sign of decimals in columns that may be read either way. It is the requested one, else the one
// that the other columns show; commas between cells imply points. It is not known if columns show both, or no column
// shows one.
func (p *profile) decimals(rec *records, d Dialect) (comma, known bool) {
	if d.Decimal != "" || rec.dialect.comma {
		return d.Decimal == "comma" || rec.dialect.comma, true
	}
	var shown [2]bool
	for i := range p.columns {
		c := &p.columns[i]
		point, comma := c.fits(false), c.fits(true)
		shown[0], shown[1] = shown[0] || point && !comma, shown[1] || comma && !point
	}
	return shown[1], shown[0] != shown[1] || !shown[0] && rec.dialect.separator == ','
}

// notations returns the notations of the columns of a training table that need one, nil for others, and notes about
// them. Columns that are neither inputs nor targets have none.
func (p *profile) notations(rec *records, unread, targets []int) (all []*Notation, notes []string) {
	opt := rec.opt
	for i := range p.columns {
		p.columns[i].signs.allow(opt.Thousands)
	}
	comma, known := p.decimals(rec, opt.Dialect)
	for i := range p.columns {
		c := &p.columns[i]
		words := c.keepsUnits(opt.OneHot)
		if slices.Contains(targets, i) {
			words = c.keepsUnitsAs(Task(opt.Task))
		}
		if slices.Contains(unread, i) || words || !known && c.isUnclear() {
			continue
		}
		if !known && c.mayHaveThousands() {
			rec.warnAt(c.signs.ambiguous.at, "reads %s in column %s as decimals, and its other cells are whole "+
				"numbers below 1000: %s",
				phrase.Quote(c.signs.ambiguous.cell), phrase.Quote(rec.columnName(i)), c.clearer())
		}
		if n := c.notation(known && comma || !known && !c.fits(false)); n != nil {
			if all == nil {
				all = make([]*Notation, rec.width)
			}
			all[i] = n
			n.Column = rec.columnName(i)
			n.Quoted = n.Comma && rec.dialect.separator == ','
			notes = append(notes, n.note(c))
		}
	}
	return all, notes
}

// notation returns the notation of the column; nil if its numbers are plain, or no single way reads all of them.
func (c *columnProfile) notation(comma bool) *Notation {
	n := &Notation{Comma: comma, Thousands: c.signs.way(comma).thousands}
	if c.texts.n == 0 && n.Thousands != "." || !c.fits(comma) || !c.sameUnit() || c.hasLoneMinus() {
		return nil
	}
	if len(c.signs.units) > 0 {
		n.Unit = c.signs.units[0]
	}
	return n
}

// sameUnit reports whether the numbers all have the same unit, or none.
func (c *columnProfile) sameUnit() bool {
	units := c.signs.units
	return len(units) == 0 || len(units) == 1 && (units[0] == "" || c.numbers == 0)
}

// maxUnits is the largest number of units of one quantity in a column, such as g and kg. It is also the largest number
// of different texts in a column that may be of words, such as 2wd and 4wd.
const maxUnits = 2

// keepsUnits reports whether the column is one of words that begin with numbers.
func (c *columnProfile) keepsUnits(asWords bool) bool {
	return (asWords || c.distinct() <= maxUnits) && c.hasUnits()
}

// keepsUnitsAs reports whether keepsUnits holds for a target.
func (c *columnProfile) keepsUnitsAs(task Task) bool {
	return task != Regression && c.keepsUnits(task == Classification)
}

// hasUnits reports whether all texts of the column are numbers, and the first has a unit that is a word.
func (c *columnProfile) hasUnits() bool {
	if c.texts.n == 0 || c.signs.hasText || len(c.signs.units) > maxUnits {
		return false
	}
	first, _ := utf8.DecodeRuneInString(c.signs.units[0])
	return c.signs.units[0] != "" && !cellformat.IsSign(first)
}

// otherUnit describes the cells that do not have the first unit.
func (c *columnProfile) otherUnit() string {
	switch units := c.signs.units; {
	case len(units) > 1 && units[1] != "":
		return ", where others have " + phrase.Quote(units[1])
	case len(units) > 1 || c.numbers > 0:
		return ", where others have none"
	}
	return ""
}

// isUnclear reports whether the cells are numbers in which a comma or a point may separate thousands or decimals.
func (c *columnProfile) isUnclear() bool {
	return c.texts.n > 0 && c.signs.ambiguous.cell != "" && c.fits(false) && c.fits(true) && c.sameUnit()
}

// mayHaveThousands reports whether some cells are whole numbers below 1000, and all others have a point before three
// digits, as plain numbers of both sizes have. Few such decimals would not end in another place.
func (c *columnProfile) mayHaveThousands() bool {
	const several = 5 // different numbers of each kind
	if c.texts.n > 0 || c.signs.way(true).thousands != "." || !c.fits(true) || max(c.high, -c.low) >= 1000 {
		return false
	}
	whole := 0
	for cell := range c.seen {
		whole += int(boolToFloat(!strings.Contains(cell, ".")))
	}
	return min(whole, len(c.seen)-whole) >= several
}

// hasLoneMinus reports whether the cells are numbers of which one has a minus after it, as in 2020-. Where this is the
// style of negative numbers, there are more of them.
func (c *columnProfile) hasLoneMinus() bool {
	return c.signs.behind.n == 1 && (c.fits(false) || c.fits(true)) && c.sameUnit()
}

// clearer returns the advice about an unclear column.
func (c *columnProfile) clearer() string {
	sign, name := ",", "comma"
	if !strings.Contains(c.signs.ambiguous.cell, ",") {
		sign, name = ".", "point"
	}
	return fmt.Sprintf("the %s may stand before thousands or before decimals: say which by %s=none or "+
		"%s=%s", name, asKey("thousands"), asKey("thousands"), sign)
}

// note describes how the column is read.
func (n *Notation) note(c *columnProfile) string {
	example := c.signs.ambiguous.cell
	if example == "" {
		example = c.texts.cell
	}
	v, _ := n.parse(example)
	unit := ""
	if n.Unit != "" {
		unit = ", with the unit " + phrase.Quote(n.Unit)
	}
	return fmt.Sprintf("column %s is read as numbers: %s is %s%s", phrase.Quote(n.Column), phrase.Quote(example),
		strconv.FormatFloat(v, 'f', -1, 64), unit)
}

// thousandsSigns are the words for [Dialect].Thousands, and what they stand for.
var thousandsSigns = map[string]string{",": ",", ".": ".", "space": " ", "none": ""}

// allow rules out the ways whose separator of thousands is not the one a user has requested.
func (d *digitGrouping) allow(word string) {
	sign, known := thousandsSigns[word]
	for k := range d.ways {
		w := &d.ways[k]
		w.invalid = w.invalid || known && w.thousands != "" && w.thousands != sign
	}
}

// readNotations makes the numbers of the current row plain, in the columns that have a notation.
func (r *records) readNotations() {
	if r.notations == nil {
		return
	}
	r.row = slices.Clone(r.row)
	r.strays = make([]bool, r.width)
	for i, n := range r.notations {
		cell := strings.TrimSpace(r.row[i])
		if n != nil && !cellformat.IsNoNumber(cell) && !r.isTyped(i) {
			plain, ok := n.plain(cell)
			// In another file, whose cells have commas between them, 1.234 may have decimals.
			ok = ok && !(n.Comma && !n.Quoted && r.dialect.separator == ',' && strings.Contains(cell, ".") &&
				!strings.Contains(cell, ","))
			r.strays[i] = !ok
			if ok {
				r.row[i] = plain
			}
		}
	}
}

// isStray reports whether cell i of the current row does not have the notation of its column.
func (r *records) isStray(i int) bool { return r.notations != nil && r.strays[i] }
