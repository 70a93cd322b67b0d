// Package tablefile reads and writes tables of typed columns, which are Parquet files. It gives
// rows as text cells, as a CSV file has them: "" is a missing cell, a number keeps all its digits,
// and true and false are 1 and 0.
package tablefile

import (
	"fmt"
	"strconv"
)

// damaged turns a panic of a library over bytes that make no sense into an error.
func damaged(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("its data are damaged (%v): write it again", cause)
	}
}

// notFlat is the error about a column of lists, structs or bytes.
func notFlat(column, kind string) error {
	return fmt.Errorf("column %q is of type %s: only numbers, text, dates and true or false can be "+
		"read; leave it out when writing the file", column, kind)
}

func number(v float64) string {
	if v != v {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func oneIf(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
