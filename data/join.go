package data

import (
	"slices"

	"github.com/gpdrf/gpdrf-gpu/seq"
)

// join is the rows of a and then those of b, which was read like a. Its name is a's; a row knows
// its own file.
func (a *Dataset) join(b *Dataset) *Dataset {
	j := *a
	if a.X != nil {
		j.X = joinRows(a.X, b.X)
	}
	if a.Sequences != nil {
		j.Sequences = seq.Join(a.Sequences, b.Sequences)
	}
	j.Y = slices.Concat(a.Y, b.Y)
	j.Labels = slices.Concat(a.Labels, b.Labels)
	j.ids = slices.Concat(a.ids, b.ids)
	if len(j.ids) != j.N() {
		j.ids = nil
	}
	if a.lines != nil {
		j.lines = slices.Concat(a.lines, b.lines)
		j.files = append(slices.Repeat([]string{a.Path}, a.N()), slices.Repeat([]string{b.Path}, b.N())...)
	}
	j.Fingerprint = j.fingerprint()
	return &j
}
