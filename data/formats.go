package data

import (
	"bufio"
	"io"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// input is a file on its way to a table.
type input struct {
	name  string
	src   io.Reader     // the file as it lies there
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
	text  bool // a column may be text
	apart bool // the targets may be in another file, ReadOptions.Labels
	read  func(*input) (*table, error)

	sequences bool // rows are sequences, not vectors
}

// formats are all kinds, the first that fits is taken: CSV, the last, takes what is left and
// says what is wrong with it.
func formats() []format {
	return []format{
		{"an IDX file of images", isIDX, false, true, readIDX, false},
		{"an npy array", isNpy, false, true, readNpy, false},
		{"an npz archive", isZip, false, true, readNpz, false},
		{"a LIBSVM file", isLIBSVM, false, false, readLIBSVM, false},
		{"an ARFF table", isARFF, true, false, readCSV, false},
		{"a Parquet file", tablefile.IsParquet, true, false, readCSV, false},
		{"an Arrow file", tablefile.IsArrow, true, false, readCSV, false},
		{"an Arrow stream", tablefile.IsArrowStream, true, false, readCSV, false},
		{"rows in JSON", isJSONRows, true, false, readCSV, false},
		{"graphs in JSON", isGraphLines, false, true, readGraphLines, true},
		{"an SDF file", isSDF, false, true, readSDF, true},
		{"a FASTA file", isFASTA, false, true, readFASTA, true},
		sequenceLines(),
		csvTable(),
	}
}

func csvTable() format {
	return format{"a CSV table", func([]byte) bool { return true }, true, false, readCSV, false}
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
