package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/written"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// A table may have one column of sequences beside its numbers, ReadOptions.Sequence.

// findSequence finds the column of sequences of a training file.
func (l *layout) findSequence(rec *records, column string) error {
	at, err := columnNamed(rec.name, column, rec.columnNames(), "of sequences")
	switch {
	case err != nil:
		return err
	case rec.header == nil:
		return errorf(rec.name, "has no header: a table with a column of sequences needs one")
	case slices.Contains(l.targets, at):
		return errorf(rec.name,
			"the column %s cannot be both the sequences and the target: name another with %s",
			phrase.Quote(rec.columnName(at)), asFlag("target"))
	}
	l.setSequence(rec, at)
	return nil
}

func (l *layout) setSequence(rec *records, at int) {
	l.sequence, l.sequenceName, l.texts = at, rec.columnName(at), &texts{name: rec.name}
}

// checkMissingSequences refuses missing sequences unless --missing drop is set.
func (l *layout) checkMissingSequences(rec *records, p *profile) error {
	if l.texts == nil || l.missing != MissingError || p.columns[l.sequence].missing.n == 0 {
		return nil
	}
	missing := p.columns[l.sequence].missing
	return errorAt(rec.name, missing.at, "the column %s lacks %s: %s drop leaves their rows out",
		phrase.Quote(l.sequenceName), phrase.Plural(missing.n, "sequence"), asFlag("missing"))
}

// isSequenceMissing reports whether the current row has no sequence where it should.
func (l *layout) isSequenceMissing(rec *records) bool {
	return l.texts != nil && written.IsMissing(strings.TrimSpace(rec.row[l.sequence]))
}

func (l *layout) addText(rec *records, most int64) error {
	t := l.texts
	if l.isSequenceMissing(rec) {
		return rec.cellError(l.sequence, "the sequence in column %s is missing: fill it in, or remove the row",
			phrase.Quote(l.sequenceName))
	}
	t.append([]byte(rec.row[l.sequence]), rec.placeOf(l.sequence))
	if int64(len(t.text)) > most {
		return tooLong(rec.name, most, rec.line)
	}
	return nil
}

// removeLast removes the text that was added last.
func (t *texts) removeLast() {
	last := t.n() - 1
	t.text = t.text[:len(t.text)-len(t.of(last))]
	t.end, t.at = t.end[:last], t.at[:last]
}

// labelled reports whether targets are kept as text, as in a list of sequences, since they may be classes.
// Several targets are numbers.
func (l *layout) labelled() bool { return l.texts != nil && len(l.targets) == 1 }

// codeTexts makes the sequences of the table from the texts that were kept.
func (l *layout) codeTexts(in *input, made *table) (err error) {
	if l.texts == nil {
		return nil
	}
	auto := in.opt.Tokens == "" || in.opt.Tokens == TokensAuto
	if auto && in.opt.Schema == nil && strings.EqualFold(l.sequenceName, "smiles") {
		l.texts.kind = seq.Graphs
	}
	if made.sequences, err = l.texts.encode(in.opt); err != nil {
		return err
	}
	made.schema.Sequence = l.sequenceName
	if len(l.targets) < 2 {
		if err := l.texts.setLabels(in, made); err != nil {
			return err
		}
	}
	made.notes = append(made.notes, l.texts.notes...)
	beside := ""
	if n := len(made.schema.Columns); n > 0 {
		beside = fmt.Sprintf(", beside %s of numbers", phrase.Plural(n, "column"))
	}
	made.notes = append(made.notes, fmt.Sprintf("%s: column %s holds the sequences%s", in.name,
		phrase.Quote(l.sequenceName), beside))
	return nil
}
