package data

import (
	"hash/maphash"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// profile holds the findings of a first reading of the columns of a training table. It decides what each column becomes
// (roles.go).
type profile struct {
	rows    int
	columns []columnProfile
}

// columnProfile counts the cells of a column by their kind.
type columnProfile struct {
	isEpoch        bool // the name is that of numbers that are times
	isWords        bool // the column is text, whatever its cells look like: TableOptions.Text
	late           bool // an earlier reading has found text in the column, after many numbers
	droppedNumbers bool // numbers were not kept
	numbers        int
	texts          occurrences
	missing        occurrences // missing cells in any kind of column, of rows that have a target
	doubtful       occurrences // words such as none, which are missing among numbers and values among texts
	dates          dates
	codes          occurrences // whole numbers with a leading zero
	booleans       int         // texts that are true or false
	// Texts that are true or false are no texts in this format, and stand for numbers.
	isTyped bool
	signs   digitGrouping

	// different cells that are not missing, up to maxKept+1, and their frequencies
	seen       map[string]int
	further    map[uint64]struct{} // hashes of the cells beyond seen
	covered    int                 // number of filled cells that seen and further cover; 0 for all
	maxNumbers int                 // largest size of seen while there is no text

	fractions   occurrences // numbers that are not whole ones of a usual size
	low, high   float64     // range of the numbers
	consecutive bool        // the numbers are first, first+1, … in the order of the rows
	last        float64
}

// occurrences is the number of cells of a kind, with the first of them and its place.
type occurrences struct {
	n    int
	cell string
	at   position
}

const (
	// different values of a text column that become inputs, and of a target that become classes
	maxTexts = 1000
	// different values of a text column that become inputs without TableOptions.OneHot
	fewTexts   = 30
	maxKept    = 1 << 14 // values kept of a text column, with those that share an input
	maxFurther = 1 << 20 // further values that are counted apart
	// texts of a column that are checked for dates, unless half of them are dates
	maxDates  = 1000
	wideTable = 1000 // columns of a table that keeps fewer numbers of each
)

// profileOf reads all rows. Missing cells of rows without a target do not count. Named columns are text, whatever their
// cells look like. The cells of late columns are kept like text.
func profileOf(rec *records, targets, late []int, text string) (*profile, error) {
	p := &profile{columns: make([]columnProfile, rec.width)}
	words, err := columnsNamed(rec.name, text, rec.columnNames(), "of text")
	if err != nil {
		return nil, err
	}
	for i := range p.columns {
		isWords := slices.Contains(words, i)
		p.columns[i] = columnProfile{seen: map[string]int{}, low: math.Inf(1), high: math.Inf(-1),
			isWords: isWords, signs: digitGrouping{hasText: isWords}, consecutive: true, maxNumbers: maxTexts,
			late: slices.Contains(late, i)}
		p.columns[i].isEpoch = epochName.MatchString(rec.columnName(i))
		if rec.width > wideTable && !slices.Contains(targets, i) {
			p.columns[i].maxNumbers = fewTexts
		}
	}
	for {
		if err := rec.next(); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		leftOut := slices.ContainsFunc(targets, func(i int) bool { return p.columns[i].lacks(rec, i) })
		for i := range p.columns {
			if c := &p.columns[i]; !leftOut || !c.lacks(rec, i) {
				c.add(rec, i)
			}
		}
		p.rows++
	}
	if p.rows == 0 {
		return nil, rec.errorf("has a header but no rows: a table with at least one row is needed")
	}
	return p, nil
}

// late returns the columns of text whose numbers were not kept.
func (p *profile) late() (at []int) {
	for i := range p.columns {
		if c := &p.columns[i]; c.droppedNumbers && c.isText() {
			at = append(at, i)
		}
	}
	return at
}

// countAt counts a cell at a place.
func (s *occurrences) countAt(cell string, at position) {
	if s.n++; s.n == 1 {
		s.cell, s.at = strings.Clone(cell), at
	}
}

func (s *occurrences) countCell(rec *records, i int, cell string) {
	if s.n++; s.n == 1 {
		s.cell, s.at = strings.Clone(cell), rec.placeOf(i)
	}
}

// lacks reports whether cell i of the current row is missing in any kind of column.
func (c *columnProfile) lacks(rec *records, i int) bool {
	cell := strings.TrimSpace(rec.row[i])
	return cellformat.IsMissing(cell) && !(c.isWords && cell != "")
}

// add counts cell i of the current row.
func (c *columnProfile) add(rec *records, i int) {
	cell := strings.TrimSpace(rec.row[i])
	if c.lacks(rec, i) {
		c.missing.countCell(rec, i, cell)
		c.consecutive = false
		return
	}
	v, err := rec.dialect.number(cell)
	isNumber := err == nil || cellformat.IsRange(err)
	if isNumber || !cellformat.IsDoubtful(cell) {
		c.signs.add(rec, i, cell, isNumber)
	}
	switch {
	case c.isWords:
		c.texts.countCell(rec, i, cell)
	case isNumber:
		c.addNumber(rec, i, cell, v)
		if cellformat.IsCode(cell) && !rec.hasType(i, "numeric", "integer", "real") {
			c.codes.countCell(rec, i, cell)
		}
	case cellformat.IsDoubtful(cell):
		c.doubtful.countCell(rec, i, cell)
		c.consecutive = false
	default:
		c.texts.countCell(rec, i, cell)
		if _, ok := cellformat.Boolean(cell); ok {
			c.booleans++
			c.isTyped = c.isTyped || rec.isTyped(i)
		}
		if (c.texts.n <= maxDates || 2*c.dates.texts.n >= c.texts.n) && cellformat.LooksLikeTime(cell) {
			c.dates.add(rec, i, cell)
		}
	}
	c.remember(cell)
}

func (c *columnProfile) addNumber(rec *records, i int, cell string, v float64) {
	c.consecutive = c.consecutive && (c.numbers == 0 || v == c.last+1)
	if v != math.Trunc(v) || math.Abs(v) > maxMagnitude {
		c.fractions.countCell(rec, i, cell)
	}
	if c.isEpoch {
		c.dates.spans[0].add(v)
		c.dates.spans[1].add(v / 1000)
	}
	c.numbers++
	c.last = v
	c.low, c.high = min(c.low, v), max(c.high, v)
}

// remember keeps the different cells while they are few, and then their hashes.
func (c *columnProfile) remember(cell string) {
	if n, known := c.seen[cell]; known {
		c.seen[cell] = n + 1
		return
	}
	most := maxKept
	numbers := c.texts.n == 0 && c.codes.cell == "" && !c.late
	if numbers {
		most = c.maxNumbers
	}
	if len(c.seen) <= most {
		c.seen[strings.Clone(cell)] = 1
		return
	}
	if numbers {
		c.droppedNumbers = true
		return // numbers are not distinguished
	}
	if len(c.further) >= maxFurther {
		if c.covered == 0 {
			c.covered = c.filled() - 1
		}
		return
	}
	if c.further == nil {
		c.further = map[uint64]struct{}{}
	}
	c.further[maphash.String(hashSeed, cell)] = struct{}{}
}

var hashSeed = maphash.MakeSeed()

// distinct counts the different cells, up to the limit of remember.
func (c *columnProfile) distinct() int { return len(c.seen) + len(c.further) }

// filled counts the cells that are not missing.
func (c *columnProfile) filled() int { return c.numbers + c.texts.n + c.doubtful.n }

// compared counts the cells that distinct covers.
func (c *columnProfile) compared() int {
	if c.covered > 0 {
		return c.covered
	}
	return c.filled()
}

// mistakes is the number of cells from which on a single word among numbers is a mistake.
const mistakes = 20

// isText reports whether the column is text. Where a few words stand among numbers, the words are mistakes.
func (c *columnProfile) isText() bool {
	return c.isCodes() || c.texts.n > 0 && (c.texts.n > c.numbers ||
		mistakes*c.texts.n >= c.filled() && c.distinct() <= fewTexts)
}

// isDates reports whether most of the texts are dates.
func (c *columnProfile) isDates() bool { return c.dates.texts.n > 0 && 2*c.dates.texts.n >= c.texts.n }

// isIdentifier reports whether the texts hardly repeat, so that they cannot inform about another row.
func (c *columnProfile) isIdentifier() bool {
	return c.isUnique() || c.isText() && c.distinct() > fewTexts && 2*c.distinct() > c.compared()
}

const fewRows = 10 // fewest rows that are evidence

// isUnique reports whether no text repeats.
func (c *columnProfile) isUnique() bool {
	return c.isText() && c.filled() >= fewRows && c.distinct() == c.compared()
}

// isStray reports whether a few words stand among more numbers, and no cell repeats.
func (c *columnProfile) isStray() bool { return !c.isCodes() && c.texts.n < c.numbers && c.isUnique() }

// numbersRows reports whether the numbers count the rows. They start at 0 or 1, or at any number if the name is that of
// an identifier.
func (c *columnProfile) numbersRows(name string) bool {
	return c.consecutive && c.fractions.cell == "" &&
		(isIDName(name) || c.numbers >= fewRows && (c.low == 0 || c.low == 1))
}

// firstText returns the first cell that makes the column text.
func (c *columnProfile) firstText() occurrences {
	if c.texts.cell == "" {
		return c.codes
	}
	return c.texts
}

// whyText returns the reason why numbers are text.
func (c *columnProfile) whyText() string {
	if !c.isCodes() || c.texts.n > 0 {
		return ""
	}
	return ", since " + phrase.Quote(c.codes.cell) + " has a leading zero"
}

// collapses reports whether different whole numbers of the column are the same in double precision.
func (c *columnProfile) collapses() bool {
	const exact = 1 << 53
	if c.texts.n > 0 || max(-c.low, c.high) < exact {
		return false
	}
	met := map[float64]bool{}
	for cell := range c.seen {
		v, _ := cellformat.ParseNumber(cell)
		if math.Abs(v) < exact || strings.Trim(cell, "-0123456789") != "" {
			continue
		}
		if met[v] {
			return true
		}
		met[v] = true
	}
	return false
}

// isNumbering reports whether the cells are different whole numbers without large gaps, in any order.
func (c *columnProfile) isNumbering() bool {
	different := c.distinct() == c.filled() || c.distinct() > c.maxNumbers
	return c.texts.n == 0 && c.fractions.cell == "" && different && c.high-c.low < 2*float64(c.filled())
}

// missingCells returns the missing cells of a column, whose kind decides about doubtful words.
func (c *columnProfile) missingCells() occurrences {
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

// frequent returns the most frequent texts, in order, and the others, in order; nil if there are none. The text "other"
// is always among the others.
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

// values returns the different texts, in order.
func (c *columnProfile) values() []string {
	return slices.Sorted(maps.Keys(c.seen))
}
