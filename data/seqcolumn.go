package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// A table may have one column of sequences beside its numbers, ReadOptions.Sequence.

// findSequence finds the column of sequences of a training file.
func (l *layout) findSequence(rec *records) error {
	at, err := columnNamed(l.name, l.opt.Sequence, rec.columnNames(), "of sequences")
	switch {
	case err != nil:
		return err
	case rec.header == nil:
		return rec.errorf("has no header: a table with a column of sequences needs one")
	case slices.Contains(l.targets, at):
		return rec.errorf("the column %s cannot be both the sequences and the target: name another with %s",
			phrase.Quote(rec.columnName(at)), asFlag("target"))
	}
	l.setSequence(rec, at)
	return nil
}

func (l *layout) setSequence(rec *records, at int) {
	l.sequence = at
	l.sequenceName = rec.columnName(at)
	l.texts = &sequenceTexts{input: l.input}
}

// isSequenceMissing reports whether the current row has no sequence where it should.
func (l *layout) isSequenceMissing(rec *records) bool {
	return l.texts != nil && cellformat.IsMissing(strings.TrimSpace(rec.row[l.sequence]))
}

func (l *layout) addText(rec *records) error {
	t := l.texts
	if l.isSequenceMissing(rec) {
		return rec.cellError(l.sequence, "the sequence in column %s is missing: fill it in, or remove the row",
			phrase.Quote(l.sequenceName))
	}
	t.append([]byte(rec.row[l.sequence]), rec.placeOf(l.sequence))
	if int64(len(t.text)) > l.lim.cells {
		return tooLong(l.name, l.lim.cells, rec.line)
	}
	return nil
}

// labelled reports whether targets are kept as text, as in a list of sequences, since they may be classes. Several
// targets are numbers.
func (l *layout) labelled() bool { return l.texts != nil && len(l.targets) == 1 }

// codeTexts makes the sequences of the table from the texts that were kept.
func (l *layout) codeTexts(made *table) (err error) {
	if l.texts == nil {
		return nil
	}
	auto := l.opt.Tokens == "" || l.opt.Tokens == TokensAuto
	if auto && l.opt.Schema == nil && strings.EqualFold(l.sequenceName, "smiles") {
		l.texts.kind = seq.Graphs
	}
	if made.Sequences, err = l.texts.encode(); err != nil {
		return err
	}
	made.schema.Sequence = l.sequenceName
	if len(l.targets) < 2 {
		if err := l.texts.setLabels(made); err != nil {
			return err
		}
	}
	beside := ""
	if n := len(made.schema.Columns); n > 0 {
		beside = fmt.Sprintf(", beside %s of numbers", phrase.Plural(n, "column"))
	}
	l.note("column %s holds the sequences%s", phrase.Quote(l.sequenceName), beside)
	return nil
}
