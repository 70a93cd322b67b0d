package data

import (
	"bufio"
	"strings"
)

// input is a file on its way to a table.
type input struct {
	name  string
	bytes *bufio.Reader // without gzip
	head  []byte        // its first bytes, which are not yet taken from it
	opt   ReadOptions
	task  Task // "" if it is to be found out
	lim   limits
}

// format is one kind of file. What a file is, its first bytes say and never its name.
type format struct {
	what  string // as messages call it
	is    func(head []byte) bool
	apart bool // the targets may be in another file, ReadOptions.Labels
	read  func(*input) (*table, error)
}

// formats are all kinds, the first that fits is taken: CSV, the last, takes what is left and
// says what is wrong with it.
func formats() []format {
	return []format{
		{"an IDX file of images", isIDX, true, readIDX},
		{"a CSV table", func([]byte) bool { return true }, false, readCSV},
	}
}

func formatOf(head []byte) format {
	for _, f := range formats() {
		if f.is(head) {
			return f
		}
	}
	panic("data: no format takes what is left")
}

// knownFormats is "a CSV table or an IDX file of images".
func knownFormats() string {
	var known []string
	for _, f := range formats() {
		known = append([]string{f.what}, known...)
	}
	last := len(known) - 1
	return strings.Join(known[:last], ", ") + " or " + known[last]
}
