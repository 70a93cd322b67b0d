package main

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/written"
)

// dialectKeys are the keys of verbs that read a file with the columns of the training file.
func dialectKeys() []flagSpec {
	return []flagSpec{
		{name: "separator", arg: strings.Join(data.Separators(), "|"), help: "what separates the cells; default: detected"},
		{name: "decimal", arg: "auto|point|comma", help: "how decimals are written; default: detected"},
		{name: "header", arg: "auto|yes|no", help: "the first row names the columns; default: detected"},
	}
}

// tableKeys are the keys of verbs that read any table.
func tableKeys() []flagSpec {
	return append(dialectKeys(),
		flagSpec{name: "thousands", arg: "auto|,|.|space|none",
			help: "the sign between thousands; default: detected"},
		flagSpec{name: "dates", arg: strings.Join(written.DateOrders(), "|"),
			help: "the order of day and month in 1/2/2020; default: detected"},
		flagSpec{name: "text", arg: "COL[,COL]", help: "columns of words, whatever their cells look like"},
		flagSpec{name: "id", arg: "COL", help: "the column that names the rows"},
		flagSpec{name: "one-hot", arg: switchArg,
			help: "make inputs of the 1000 most frequent values of a column of text, instead of 30"},
		flagSpec{name: "tokens", arg: strings.Join(data.Tokens(), "|"), help: "how sequences are cut into symbols"})
}

// tableOptions reads the flags and keys about tables.
func (c *call) tableOptions() (o data.TableOptions, _ error) {
	for name, field := range map[string]*string{
		"ignore": &o.Ignore, "id": &o.ID, "text": &o.Text, "missing": &o.Missing, "dates": &o.Dates,
		"separator": &o.Separator,
		"decimal":   &o.Decimal, "thousands": &o.Thousands, "header": &o.Header,
	} {
		*field, _ = c.text(name)
	}
	o.OneHot = c.isOn("one-hot")
	return o, c.err
}
