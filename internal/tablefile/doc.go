// Package tablefile has the interfaces of the readers and writers of tables of typed columns, and their registry.
// Package data/columnar reads and writes the files, which are Parquet and Arrow IPC. It makes a program 6 MB larger, so
// a program links it by its import.
package tablefile

import (
	"bytes"
	"errors"
	"io"
)

// Reader gives the rows of a file one by one, as the text cells of a CSV file: "" is a missing cell, a number keeps all
// its digits, and booleans are the words true and false.
type Reader interface {
	// Columns are in the order of the file.
	Columns() []Column
	// Read gives the next row, which is valid until another is read, or io.EOF after the last.
	Read() (row []string, err error)
}

// Column is a column of a file: numbers in double, or text. Any cell may be missing.
type Column struct {
	Name   string
	Text   bool
	Unread string // type of a column that cannot be read, such as a list: its cells are missing; "" for others
	Index  bool   // pandas has written the column as the index of a table
}

// Writer writes a file row by row. Each row has a cell for each column, in order: Number for a column of numbers, Text
// for a column of text, or Missing. EndRow follows.
type Writer interface {
	Number(v float64)
	Text(v string)
	Missing()
	EndRow() error
	Close() error // writes the end of the file
}

// IsParquet looks at the first bytes.
func IsParquet(head []byte) bool { return bytes.HasPrefix(head, []byte("PAR1")) }

// IsArrow looks at the first bytes of a file of Arrow IPC, also called Feather.
func IsArrow(head []byte) bool { return bytes.HasPrefix(head, []byte("ARROW1\x00\x00")) }

// IsArrowStream looks at the first bytes of a stream of Arrow IPC.
func IsArrowStream(head []byte) bool { return bytes.HasPrefix(head, []byte{0xff, 0xff, 0xff, 0xff}) }

// Library are the functions that open and begin files.
type Library struct {
	OpenParquet, OpenArrow func(file io.ReaderAt, size int64) (Reader, error)
	OpenArrowStream        func(r io.Reader) (Reader, error)
	NewParquet, NewArrow   func(w io.Writer, columns []Column) (Writer, error)
}

var linked *Library

// Register sets the functions, in the init of the package that has them.
func Register(l Library) { linked = &l }

// Linked returns the functions, or an error if the program does not link them.
func Linked() (*Library, error) {
	if linked == nil {
		return nil, errors.New(`files of Parquet and Arrow are for programs that import ` +
			`_ "github.com/gpdrf/gpdrf-gpu/data/columnar"`)
	}
	return linked, nil
}
