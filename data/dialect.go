package data

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// Dialect is the notation of a table of text. The first rows decide parts that are empty or "auto".
type Dialect struct {
	Separator string `json:"separator,omitempty"` // a word of Separators, or the character itself
	Decimal   string `json:"decimal,omitempty"`   // "point" or "comma"
	Thousands string `json:"thousands,omitempty"` // the sign between thousands: ",", ".", "space" or "none"
	// Header is "yes" or "no": whether the first row names the columns.
	Header string `json:"header,omitempty"`
}

// separators are the characters between cells by their names. If several cut the first lines into equal numbers of
// cells, the first wins: a comma may be a decimal comma.
var separators = []struct {
	name string
	r    rune
}{{"tab", '\t'}, {"semicolon", ';'}, {"pipe", '|'}, {"comma", ','}, {"space", ' '}}

// Separators returns the words for [Dialect].Separator.
func Separators() []string {
	words := []string{"auto"}
	for _, s := range separators {
		words = append(words, s.name)
	}
	return words
}

// CheckSeparator tells why a word is no separator; "" if it is one.
func CheckSeparator(word string) string {
	if _, ok := separatorOf(word); ok || word == "" || word == "auto" {
		return ""
	}
	return "is not a separator" + didyoumean.Hint(word, Separators())
}

// separatorOf returns the separator of a name, or of a character that stands for itself.
func separatorOf(word string) (rune, bool) {
	for _, s := range separators {
		if word == s.name {
			return s.r, true
		}
	}
	if word == `\t` {
		return '\t', true
	}
	r, size := utf8.DecodeRuneInString(word)
	single := size == len(word) && word != ""
	return r, single && r != utf8.RuneError && !strings.ContainsRune("\"'\r\n.#+-", r) && !isAlphanumeric(r)
}

func isAlphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// decimals are the words for [Dialect].Decimal; a sign stands for its word.
var decimals = map[string]string{"": "", "auto": "", "point": "point", ".": "point", "comma": "comma", ",": "comma"}

// headers are the words for [Dialect].Header.
var headers = map[string]string{"": "", "auto": "", "yes": "yes", "true": "yes", "no": "no", "false": "no"}

// check replaces the words by their first forms, and refuses unknown words.
func (d *Dialect) check() error {
	if wrong := CheckSeparator(d.Separator); wrong != "" {
		return errorf("", "%s %s", phrase.Quote(d.Separator), wrong)
	}
	decimal, known := decimals[d.Decimal]
	if !known {
		return errorf("", "there is no decimal %s: give point or comma", phrase.Quote(d.Decimal))
	}
	header, known := headers[d.Header]
	if !known {
		return errorf("", "there is no header %s: give yes or no", phrase.Quote(d.Header))
	}
	d.Separator = strings.TrimPrefix(d.Separator, "auto")
	if d.Thousands == "auto" {
		d.Thousands = ""
	}
	if _, known := thousandsSigns[d.Thousands]; !known && d.Thousands != "" {
		return errorf("", "there is no separator of thousands %s: give a comma, a point, space or none",
			phrase.Quote(d.Thousands))
	}
	implied := map[string]string{",": "point", ".": "comma"}[d.Thousands]
	if implied != "" && decimal != "" && decimal != implied {
		return errorf("", "the %s cannot mark both thousands and decimals: leave out decimal or thousands", decimal)
	}
	d.Decimal = cmp.Or(decimal, implied)
	d.Header = header
	decimal = d.Decimal
	if sep, _ := separatorOf(d.Separator); sep == ',' && decimal == "comma" {
		return errorf("", "the comma cannot both separate cells and mark decimals: give another "+
			"separator, or the decimal point")
	}
	return nil
}

// detectedDialect is the notation of a table, as its first rows show it.
type detectedDialect struct {
	separator    rune
	comma        bool // decimals have a comma
	header       bool // the first row names the columns
	shortHeader  bool // all rows below the first have one more cell
	rowNames     bool // the additional cell of a short table is the name of the row, as in tables of R
	comments     bool // lines that start with # are comments
	blanks       bool // blanks may stand before the quotes of a cell
	singleColumn bool // rows have one cell, so a blank line is a row with an empty cell
	// The first row holds data, but its numbers may be names, such as those that pandas makes up.
	maybeHeader   bool
	numericHeader bool // the first row names the columns by numbers alone, as in the training data
	names         []string
}

// sampleSize is the number of rows that tell how a table is written.
const sampleSize = 200

// detectDialect finds the dialect of a table from its first bytes. Names are those of the training columns, if known.
// Inputs are the ones among them that a prediction reads.
func detectDialect(head []byte, given Dialect, names, inputs []string) detectedDialect {
	d := firstDialect(head, given)
	rows := d.sample(head)
	d.comma = given.Decimal == "comma" || given.Decimal == "" && d.separator != ',' && commaDecimals(rows)
	if len(rows) == 0 || commentedRows(head, d.separator, rows) {
		d.comments = false
		rows = d.sample(head)
	}
	d.shortHeader = isShort(rows)
	d.rowNames = d.shortHeader && given.Header != "no" && haveNames(head, rows[1:])
	d.header, d.numericHeader = d.findHeader(rows, given, names, inputs)
	if !d.header && given.Header == "" {
		d.names = d.commentedHeader(head, rows)
		d.maybeHeader = d.names == nil && d.maybeNames(rows, names)
	}
	d.singleColumn = len(rows) > 0 && len(rows[0]) == 1 && !d.rowNames
	return d
}

// sample cuts the first rows into cells. It leaves a row out that the end of head may cut.
func (d *detectedDialect) sample(head []byte) (rows [][]string) {
	if len(head) >= headSize/2 {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	r := d.rows(bytes.NewReader(head))
	for len(rows) < sampleSize {
		row, err := r.Read()
		if err != nil {
			break
		}
		rows = append(rows, slices.Clone(row))
	}
	return rows
}

// commaDecimals reports whether some cells are decimals with a comma, and no cell has a point. A comma before three
// digits may part thousands, so it is no evidence.
func commaDecimals(rows [][]string) bool {
	commas := false
	for _, row := range rows {
		for _, cell := range row {
			cell = strings.TrimSpace(cell)
			if _, err := cellformat.ParseNumber(cell); err == nil && strings.Contains(cell, ".") {
				return false
			}
			commas = commas || oneComma(cell) && !cellformat.AreThousands(cell, ",")
		}
	}
	return commas
}

// oneComma reports whether the cell is a number once its only comma is a point.
func oneComma(cell string) bool {
	if strings.Count(cell, ",") != 1 || strings.Contains(cell, ".") {
		return false
	}
	_, err := cellformat.ParseNumber(strings.Replace(cell, ",", ".", 1))
	return err == nil
}

// commentedRows reports whether some lines among the rows start with # and have as many cells as a row. Such a row may
// begin with the name of a colour.
func commentedRows(head []byte, sep rune, rows [][]string) bool {
	if len(rows) == 0 || len(rows[0]) < 2 {
		return false
	}
	first := true
	for line := range bytes.Lines(head) {
		hash := bytes.HasPrefix(line, []byte("#"))
		if !hash && len(bytes.TrimSpace(line)) > 0 {
			first = false
		}
		if !hash || first || bytes.Count(line, []byte(string(sep))) < len(rows[0])-1 {
			continue
		}
		// A cell in quotes may hold separators, and several blanks may separate cells.
		bare := detectedDialect{separator: sep}
		if cells, err := bare.rows(bytes.NewReader(line)).Read(); err == nil && len(cells) == len(rows[0]) {
			return true
		}
	}
	return false
}

// commentedHeader returns the names in the last comment before the first row, if their number is that of its cells.
// numpy writes headers so. It is nil if there are none.
func (d *detectedDialect) commentedHeader(head []byte, rows [][]string) []string {
	if len(rows) == 0 || !d.comments {
		return nil
	}
	var last []byte
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		} else if line[0] != '#' {
			break
		}
		last = bytes.TrimLeft(line, "#")
	}
	for _, blanks := range []string{" ", " \t"} { // a tab after # may separate names
		names, err := d.rows(bytes.NewReader(bytes.TrimLeft(last, blanks))).Read()
		if err == nil && len(names) > 1 && len(names) == len(rows[0]) && slices.ContainsFunc(names, d.isText) {
			return slices.Clone(names)
		}
	}
	return nil
}

func (d *detectedDialect) number(cell string) (float64, error) {
	if d.comma && strings.Contains(cell, ",") {
		if strings.Contains(cell, ".") {
			return cellformat.ParseNumber("") // a syntax error
		}
		cell = strings.Replace(cell, ",", ".", 1)
	}
	return cellformat.ParseNumber(cell)
}

// point writes the cell with a decimal point.
func (d *detectedDialect) point(cell string) string {
	if d.comma && oneComma(cell) {
		return strings.Replace(cell, ",", ".", 1)
	}
	return cell
}

// firstDialect returns the dialect with the separator, lines of comments, and blanks before quotes.
func firstDialect(head []byte, d Dialect) detectedDialect {
	sep, given := separatorOf(d.Separator)
	if !given {
		sep = separator(head)
	}
	return detectedDialect{comments: true, separator: sep, blanks: bytes.Contains(head, []byte(string(sep)+` "`))}
}

func (d *detectedDialect) isNumber(cell string) bool {
	_, err := d.number(strings.TrimSpace(cell))
	return err == nil
}

// isText reports whether the cell is neither empty nor a number.
func (d *detectedDialect) isText(cell string) bool {
	cell = strings.TrimSpace(cell)
	_, err := d.number(cell)
	return cell != "" && err != nil && !cellformat.IsRange(err)
}

// separator finds the character that cuts the first lines into the same number of cells, more than one. If there is
// none, it is the most frequent one in the first line.
func separator(head []byte) rune {
	lines := firstLines(head)
	best, most := ',', 0
	for _, s := range separators {
		cells := func(line string) int { return strings.Count(line, string(s.r)) }
		if s.r == ' ' {
			if most > 0 {
				break // blanks also stand beside other separators
			}
			cells = func(line string) int { return len(strings.Fields(line)) - 1 }
		}
		count := cells(lines[0])
		named := areNamed(lines, s.r)
		same, below := count > 0 || named, count
		if named || s.r == ' ' && len(lines) > 1 && cells(lines[1]) == count+1 {
			below++
		}
		for _, line := range lines[1:] {
			same = same && cells(line) == below
		}
		if same {
			return s.r
		}
		if count > most && s.r != ' ' {
			best, most = s.r, count
		}
	}
	return best
}

// separatorLines is the number of lines that tell the separator of cells.
const separatorLines = 5

// firstLines returns the first whole lines that are neither blank nor comments, without quoted text. The first line is
// always among them.
func firstLines(head []byte) []string {
	var lines []string
	var line []byte
	quoted := false
	for _, c := range head {
		switch {
		case c == '"':
			quoted = !quoted
			line = append(line, '"') // a quoted cell counts as a cell
		case quoted:
		case c != '\n':
			line = append(line, c)
		default:
			if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
				lines = append(lines, string(line))
			}
			if len(lines) == separatorLines {
				return lines
			}
			line = line[:0]
		}
	}
	if len(lines) == 0 {
		lines = append(lines, string(line))
	}
	return lines
}
