package data

import (
	"io"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// parquetRows are the rows of a Parquet file. They have no lines: a place is a row and a column,
// both from 1.
type parquetRows struct {
	*tablefile.Reader
	name string
	row  int
}

func (p *parquetRows) Read() ([]string, error) {
	p.row++
	cells, err := p.Reader.Read()
	if err != nil && err != io.EOF {
		err = &Error{File: p.name, Line: p.row, Msg: err.Error(), Err: err}
	}
	return cells, err
}

func (p *parquetRows) FieldPos(cell int) (row, column int) { return p.row, cell + 1 }
func (p *parquetRows) InputOffset() int64                  { return 0 }

// openParquet reads the names of the columns, and the first row.
func (r *records) openParquet(in *input) error {
	file, size, err := in.whole()
	if err != nil {
		return err
	}
	rows, err := tablefile.Open(file, size)
	if err != nil {
		return &Error{File: r.name, Msg: err.Error(), Err: err}
	}
	if len(rows.Columns()) == 0 {
		return errorf(r.name, "has no columns: a table with at least one row is needed")
	}
	r.rows, r.style = &parquetRows{Reader: rows, name: r.name}, style{separator: ',', names: rows.Columns()}
	if err := r.readFirst(); err != nil {
		return err
	}
	return r.nameColumns(rows.Columns())
}

// whole is a file whose index is at its end.
func (in *input) whole() (file io.ReaderAt, size int64, err error) {
	at, ok := in.src.(interface {
		io.ReaderAt
		io.Seeker
	})
	if ok {
		var magic [4]byte
		size, err = at.Seek(0, io.SeekEnd)
		if _, short := at.ReadAt(magic[:], 0); err == nil && short == nil && tablefile.IsParquet(magic[:]) {
			return at, size, nil
		}
	}
	return nil, 0, errorf(in.name, "is a Parquet file that cannot be read from its end: undo its gzip")
}
