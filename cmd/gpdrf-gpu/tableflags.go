package main

import "github.com/gpdrf/gpdrf-gpu/data"

// dialectKeys are the keys of verbs that read a file with the columns of the training file.
func dialectKeys() []flagSpec { return flagsOf("separator decimal header") }

// tableKeys are the keys of verbs that read any table.
func tableKeys() []flagSpec {
	return flagsOf("separator decimal header thousands dates text id one-hot tokens")
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
