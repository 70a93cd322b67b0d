// Package columnar reads and writes tables of typed columns: files of Parquet and of Arrow IPC. A program that imports
// it can train on such files, and write predictions into them:
//
//	import _ "github.com/gpdrf/gpdrf-gpu/data/columnar"
package columnar

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

func init() {
	tablefile.Register(tablefile.Library{OpenParquet: openParquet, OpenArrow: openArrow,
		OpenArrowStream: openArrowStream, NewParquet: newParquet, NewArrow: newArrow})
}

// These are limits for the rows that lie together in a file, and are held in memory.
const (
	rowsPerGroup = 1 << 16
	minPerGroup  = 1 << 10 // rows of a wide table
	maxCells     = 1 << 23 // cells of these rows, if there are more rows than minPerGroup
)

// rowsOf returns the number of rows of a table that lie together.
func rowsOf(columns int) int { return max(minPerGroup, min(rowsPerGroup, maxCells/max(1, columns))) }

// damaged turns a panic of a library over invalid bytes into an error.
func damaged(err *error) {
	if cause := recover(); cause != nil {
		*err = damage("%v", cause)
	}
}

// damage makes the error about an invalid file.
func damage(format string, args ...any) error {
	return fmt.Errorf("its data are damaged (%s): write it again", fmt.Sprintf(format, args...))
}

// errNoneRead is the error about a file that holds only lists, structs and bytes.
var errNoneRead = errors.New("has no column that can be read: numbers, text, dates and true or false can")

// markIndexes finds the columns that pandas has written as the index of a table, by its description in JSON.
func markIndexes(columns []tablefile.Column, pandas string) {
	var described struct {
		Indexes []any `json:"index_columns"` // names, and objects for ranges, which are no columns
	}
	if json.Unmarshal([]byte(pandas), &described) != nil {
		return // the description tells nothing
	}
	for i, c := range columns {
		columns[i].Index = slices.Contains(described.Indexes, any(c.Name))
	}
}

func number(v float64) string {
	if v != v {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// day writes the date n days after 1 January 1970.
func day(n int64) string { return time.Unix(n*86400, 0).UTC().Format(time.DateOnly) }

const timeForm = "2006-01-02 15:04:05.999999999"

// instant writes the time v units after 1 January 1970.
func instant(v int64, unit time.Duration) string {
	perSecond := int64(time.Second / unit)
	return time.Unix(v/perSecond, v%perSecond*int64(unit)).UTC().Format(timeForm)
}

// maxDigits is the largest number of digits of a decimal, in either format.
const maxDigits = 76

// scaled writes n over ten to the scale, a number from 0 to maxDigits.
func scaled(n *big.Int, scale int) string {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return new(big.Rat).SetFrac(n, ten).FloatString(scale)
}

// twosComplement reads a number of any size, the highest byte first.
func twosComplement(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}
