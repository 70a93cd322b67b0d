package data

import (
	"errors"
	"hash/maphash"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// profile holds the findings of a first reading of the columns of a training table. It decides what
// each column becomes (roles.go).
type profile struct {
	rows    int
	columns []columnProfile
}

// columnProfile counts the cells of a column by their kind.
type columnProfile struct {
	isEpoch  bool // its name is that of numbers that are times
	isWords  bool // whatever its cells look like: TableOptions.Text
	late     bool // an earlier reading has found text in it, behind many numbers
	forgot   bool // numbers were not kept
	numbers  int
	texts    sighting
	missing  sighting // of any kind of column
	doubtful sighting // words such as none, which are missing among numbers and values among texts
	dates    dates
	codes    sighting // whole numbers with a leading zero
	booleans int      // texts that are true or false
	isTyped  bool     // which are no texts in this format, and stand for numbers
	signs    digitSigns

	// the different cells that are not missing, up to mostKept+1, and how often they are there
	seen        map[string]int
	further     map[uint64]struct{} // hashes of those beyond
	looked      int                 // filled cells that these two are of; 0: all
	mostNumbers int                 // of seen, as long as there is no text

	fractions sighting // numbers that are no whole ones of a usual size
	low, high float64  // of the numbers
	counting  bool     // the numbers are first, first+1, … in the order of the rows
	last      float64
}

// sighting is how many cells of a kind there are, the first of them, and its place.
type sighting struct {
	n    int
	cell string
	at   place
}

const (
	// different values of a text column that become inputs, and of a target that become classes
	mostTexts   = 1000
	fewTexts    = 30      // of a text column that nobody has asked for
	mostKept    = 1 << 14 // of a text column, with those that share an input
	mostFurther = 1 << 20 // further values that are distinguished
	mostDates   = 1000    // texts of a column that are looked at for dates, unless half of them are
	wideTable   = 1000    // columns of a table that remembers fewer numbers of each
)

// profileOf reads all rows. Columns that are named are text, whatever their cells look like. The cells of late
// columns are kept as those of text.
func profileOf(rec *records, targets, late []int, text string) (*profile, error) {
	p := &profile{columns: make([]columnProfile, rec.width)}
	words, err := columnsNamed(rec.name, text, rec.columnNames(), "of text")
	if err != nil {
		return nil, err
	}
	for i := range p.columns {
		isWords := slices.Contains(words, i)
		p.columns[i] = columnProfile{seen: map[string]int{}, low: math.Inf(1), high: math.Inf(-1),
			isWords: isWords, signs: digitSigns{other: isWords}, counting: true, mostNumbers: mostTexts,
			late: slices.Contains(late, i)}
		p.columns[i].isEpoch = epochName.MatchString(rec.columnName(i))
		if rec.width > wideTable && !slices.Contains(targets, i) {
			p.columns[i].mostNumbers = fewTexts
		}
	}
	for {
		if err := rec.next(); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		for i := range p.columns {
			p.columns[i].add(rec, i)
		}
		p.rows++
	}
	if p.rows == 0 {
		return nil, errorf(rec.name, "has a header but no rows: a table with at least one row is needed")
	}
	return p, nil
}

// late are the columns of text that have forgotten numbers.
func (p *profile) late() (at []int) {
	for i := range p.columns {
		if c := &p.columns[i]; c.forgot && c.isText() {
			at = append(at, i)
		}
	}
	return at
}

// countAt counts a cell. countCell does so with cell i of the current row, whose place is found for the first alone.
func (s *sighting) countAt(cell string, at place) {
	if s.n++; s.n == 1 {
		s.cell, s.at = strings.Clone(cell), at
	}
}

func (s *sighting) countCell(rec *records, i int, cell string) {
	if s.n++; s.n == 1 {
		s.cell, s.at = strings.Clone(cell), rec.placeOf(i)
	}
}

// add counts cell i of the current row.
func (c *columnProfile) add(rec *records, i int) {
	cell := strings.TrimSpace(rec.row[i])
	if isMissing(cell) && !(c.isWords && cell != "") {
		c.missing.countCell(rec, i, cell)
		c.counting = false
		return
	}
	v, err := rec.style.number(cell)
	isNumber := err == nil || isRange(err)
	if isNumber || !isDoubtful(cell) {
		c.signs.add(rec, i, cell, isNumber)
	}
	switch {
	case c.isWords:
		c.texts.countCell(rec, i, cell)
	case isNumber:
		c.addNumber(rec, i, cell, v)
		if isCode(cell) && !rec.hasType(i, "numeric", "integer", "real") {
			c.codes.countCell(rec, i, cell)
		}
	case isDoubtful(cell):
		c.doubtful.countCell(rec, i, cell)
		c.counting = false
	default:
		c.texts.countCell(rec, i, cell)
		if _, ok := boolean(cell); ok {
			c.booleans++
			c.isTyped = c.isTyped || rec.isTyped(i)
		}
		if (c.texts.n <= mostDates || 2*c.dates.texts.n >= c.texts.n) && looksLikeTime(cell) {
			c.dates.add(rec, i, cell)
		}
	}
	c.remember(cell)
}

func (c *columnProfile) addNumber(rec *records, i int, cell string, v float64) {
	if c.counting = c.counting && (c.numbers == 0 || v == c.last+1); v != math.Trunc(v) || math.Abs(v) > largest {
		c.fractions.countCell(rec, i, cell)
	}
	if c.isEpoch {
		c.dates.spans[0].add(v)
		c.dates.spans[1].add(v / 1000)
	}
	c.numbers++
	c.last, c.low, c.high = v, min(c.low, v), max(c.high, v)
}

// remember keeps the different cells: themselves as long as they are few, then their hashes.
func (c *columnProfile) remember(cell string) {
	if n, known := c.seen[cell]; known {
		c.seen[cell] = n + 1
		return
	}
	most, numbers := mostKept, c.texts.n == 0 && c.codes.cell == "" && !c.late
	if numbers {
		most = c.mostNumbers
	}
	if len(c.seen) <= most {
		c.seen[strings.Clone(cell)] = 1
		return
	}
	if numbers {
		c.forgot = true
		return // numbers are not told apart
	}
	if len(c.further) >= mostFurther {
		if c.looked == 0 {
			c.looked = c.filled() - 1
		}
		return
	}
	if c.further == nil {
		c.further = map[uint64]struct{}{}
	}
	c.further[maphash.String(hashSeed, cell)] = struct{}{}
}

var hashSeed = maphash.MakeSeed()

// distinct is the number of different cells, up to the limit of remember.
func (c *columnProfile) distinct() int { return len(c.seen) + len(c.further) }

// filled is how many cells are not missing.
func (c *columnProfile) filled() int { return c.numbers + c.texts.n + c.doubtful.n }

// compared is how many of these distinct is about.
func (c *columnProfile) compared() int {
	if c.looked > 0 {
		return c.looked
	}
	return c.filled()
}

// isText: the column is text. Where a few words stand among numbers, the words are mistakes.
func (c *columnProfile) isText() bool {
	const mistakes = 20 // a word in more than this many cells is a mistake
	return c.isCodes() || c.texts.n > 0 && (c.texts.n > c.numbers ||
		mistakes*c.texts.n >= c.filled() && c.distinct() <= fewTexts)
}

// isDates: most of the texts are dates.
func (c *columnProfile) isDates() bool { return c.dates.texts.n > 0 && 2*c.dates.texts.n >= c.texts.n }

// isIdentifier: the texts hardly repeat, so that they say nothing of another row.
func (c *columnProfile) isIdentifier() bool {
	return c.isUnique() || c.isText() && c.distinct() > fewTexts && 2*c.distinct() > c.compared()
}

const fewRows = 10 // that tell nothing

// isUnique: no text repeats.
func (c *columnProfile) isUnique() bool {
	return c.isText() && c.filled() >= fewRows && c.distinct() == c.compared()
}

// numbersRows: the numbers count the rows from 0 or 1, or from any where the name says so.
func (c *columnProfile) numbersRows(name string) bool {
	return c.counting && c.fractions.cell == "" &&
		(isIDName(name) || c.numbers >= fewRows && (c.low == 0 || c.low == 1))
}

// firstText is the first cell that makes the column text.
func (c *columnProfile) firstText() sighting {
	if c.texts.cell == "" {
		return c.codes
	}
	return c.texts
}

// whyText tells why numbers are text.
func (c *columnProfile) whyText() string {
	if !c.isCodes() || c.texts.n > 0 {
		return ""
	}
	return ", since " + quote(c.codes.cell) + " has a leading zero"
}

// isNumbering: the cells are different whole numbers without large gaps, in any order.
func (c *columnProfile) isNumbering() bool {
	different := c.distinct() == c.filled() || c.distinct() > c.mostNumbers
	return c.texts.n == 0 && c.fractions.cell == "" && different && c.high-c.low < 2*float64(c.filled())
}

// missingCells are the missing cells of a column of this kind.
func (c *columnProfile) missingCells() sighting {
	if c.isText() && !c.isDates() || c.doubtful.n == 0 {
		return c.missing
	}
	all := c.missing
	if all.n == 0 || c.doubtful.at.line < all.at.line {
		all.at = c.doubtful.at
	}
	all.n += c.doubtful.n
	return all
}

// frequent are the most frequent texts, in order, and the others, in order; nil where there are
// none. The text "other" is always among the others.
func (c *columnProfile) frequent(most int) (values, others []string) {
	values = c.values()
	if len(values) <= most {
		return values, nil
	}
	slices.SortStableFunc(values, func(a, b string) int { return c.seen[b] - c.seen[a] })
	values, others = values[:most:most], values[most:]
	if at := slices.Index(values, otherText); at >= 0 {
		values, others = slices.Delete(values, at, at+1), append(others, otherText)
	}
	slices.Sort(values)
	slices.Sort(others)
	return values, others
}

// values are the different texts, in order.
func (c *columnProfile) values() []string {
	return slices.Sorted(maps.Keys(c.seen))
}

// isMissing: the cell says that there is no value.
func isMissing(cell string) bool {
	switch strings.ToLower(cell) {
	case `\n`, "nat": // of databases; of times in pandas
		return cell == `\N` || cell == "NaT"
	case "", "na", "n/a", "nan", "null", "?", "#n/a", "<na>", "#na", "nil":
		return true
	}
	return false
}

// isDoubtful: the cell says so among numbers. Among texts it may be a value like others.
func isDoubtful(cell string) bool {
	switch strings.ToLower(cell) {
	case "none", "missing", "unknown", "-", "--", "−", "–", "—", ".", "*":
		return true
	}
	return false
}

func isRange(err error) bool { return errors.Is(err, strconv.ErrRange) }
