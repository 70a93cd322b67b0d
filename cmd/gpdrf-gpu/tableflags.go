package main

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// dialectFlags are the options of verbs that read a file like the training file.
func dialectFlags() []flagSpec {
	return []flagSpec{
		{group: "Data", name: "separator", arg: strings.Join(data.Separators(), "|"),
			help: "what separates the cells of FILE; default: detected"},
		{group: "Data", name: "decimal", arg: "auto|point|comma",
			help: "how decimals are written in FILE; default: detected"},
		{group: "Data", name: "header", arg: "auto|yes|no",
			help: "whether the first row of FILE names its columns; default: detected"},
	}
}

// tableFlags are those of verbs that read any table.
func tableFlags() []flagSpec {
	return append([]flagSpec{
		{group: "Data", name: "one-hot", arg: switchArg,
			help: "let a column of text in FILE have up to 1000 different values instead of 30"},
		{group: "Data", name: "ignore", arg: "COL[,COL]", help: "columns of FILE to leave out"},
		{group: "Data", name: "id", arg: "COL", help: "the column of FILE that names the rows"},
		{group: "Data", name: "missing", arg: strings.Join(data.MissingWays(), "|"),
			help: "what to do about missing cells of FILE; default: impute"},
	}, dialectFlags()...)
}

// tableOptions reads those flags.
func (c *call) tableOptions() (o data.TableOptions, err error) {
	for name, field := range map[string]*string{
		"ignore": &o.Ignore, "id": &o.ID, "missing": &o.Missing, "separator": &o.Separator,
		"decimal": &o.Decimal, "header": &o.Header,
	} {
		*field, _ = c.text(name)
	}
	o.OneHot, err = c.isOn("one-hot")
	return o, err
}
