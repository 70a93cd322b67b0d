package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

const evidenceFile = "docs/evidence.md"

// evidence writes docs/evidence.md from the records of all comparisons.
func evidence() error {
	page, err := readEvidence()
	if err != nil {
		return err
	}
	if err := writeText(evidenceFile, page.String()); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "wrote", evidenceFile)
	return nil
}

// evidencePage has the data of docs/evidence.md, which sums up the records of all comparisons.
type evidencePage struct {
	suite  suitePage
	runs   recordsByName // records of the paper's sets
	reach  reachRecords
	boards []*board
}

// readEvidence reads the records.
func readEvidence() (p evidencePage, err error) {
	records, err := readSuite(suiteFolder, suiteSets())
	if err != nil {
		return p, err
	}
	p.suite = newSuitePage(records)
	if p.runs, err = readRecords(recordsFolder, allRows()); err != nil {
		return p, err
	}
	if p.boards, err = readBoards(recordsFolder); err != nil {
		return p, err
	}
	p.reach, err = readReach()
	return p, err
}

// String returns the page.
func (p evidencePage) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Evidence

Written by `+"`make evidence`"+` from bench/results; do not edit.

%s

`, p.summary())
	p.suiteShare(&b)
	if p.firstFoldComplete() {
		p.methodsTable(&b)
		p.wins(&b)
		p.losses(&b)
		p.elsewhere(&b)
		p.costs(&b)
	}
	p.races(&b)
	p.others(&b)
	p.paper(&b)
	return reflow(b.String())
}

// reflow joins the lines of paragraphs and items, and breaks them at 100 columns.
func reflow(text string) string {
	var b strings.Builder
	column, indent := 0, ""
	for line := range strings.Lines(text) {
		plain := strings.ContainsAny(line[:1], "\n |#!")
		if item := strings.HasPrefix(line, "- "); plain || item {
			if column > 0 {
				b.WriteString("\n")
			}
			column, indent = 0, ""
			if item {
				indent = "  "
			}
		}
		if plain {
			b.WriteString(line)
			continue
		}
		for _, word := range strings.Fields(line) {
			n := utf8.RuneCountInString(word)
			if column > 0 && column+1+n > 100 {
				b.WriteString("\n" + indent)
				column = len(indent)
			} else if column > 0 {
				b.WriteString(" ")
				column++
			}
			b.WriteString(word)
			column += n
		}
	}
	if column > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// summary compares GP-DRF with its strongest rivals.
func (p evidencePage) summary() string {
	if cells, recorded := p.firstFoldCells(); recorded < len(cells) {
		return fmt.Sprintf("So far %d of %d cells of fold 1 have a record, which is too few for a summary.", recorded,
			len(cells))
	}
	return "NLPD is the mean negative log density of test rows, NLL the mean negative log probability of their " +
		"classes. Less is better. GP-DRF's balance against a rival is (GP-DRF's wins − its losses)/tables. The " +
		"strongest rival is the one with the lowest balance, among those that ran on at least half of the " +
		"tables.\n\n" + p.rivals()
}

// rivals writes the table of the strongest rivals. The README has it, too.
func (p evidencePage) rivals() string {
	text := "| task | score | strongest rival | GP-DRF better | equal | worse | median difference |\n" +
		"|---|---|---|---|---|---|---|\n"
	for _, kind := range kindsOfSets[:2] {
		if m, ok := p.hardest(kind); ok {
			text += fmt.Sprintf("| %s, %d tables | %s | %s | %d | %d | %d | %s |\n", kind, m.sets(),
				scoreName(rankedBy(kind)), m.other.title, m.count[0], m.count[1], m.count[2], m.medianDifference())
		}
	}
	return strings.TrimSpace(text)
}

// bestSummary compares the preset best with the default on small tables, and on all sets. docs/best.md has this text,
// too.
func (p evidencePage) bestSummary() string {
	const few = 1500
	m := p.match(numbers, methodOf("best"), rankedBy(numbers), 0, few)
	sets, worse := 0, 0
	for _, kind := range kindsOfSets {
		all := p.wholeMatch(kind, m.other)
		sets, worse = sets+all.sets(), worse+all.count[0]
	}
	return fmt.Sprintf("On %d tables of numbers with fewer than %d rows, it has a better NLPD than the default on %d, "+
		"and a worse one on %d. Of all %d sets, it is worse on %d.", m.sets(), few, m.count[2], m.count[0], sets, worse)
}

// firstFoldCells returns the cells of fold 1, and the number of cells with a record.
func (p evidencePage) firstFoldCells() (cells []suiteCell, recorded int) {
	cells = slices.DeleteFunc(p.suite.cells(), func(c suiteCell) bool { return c.fold > 1 })
	return cells, len(cells) - len(p.suite.records.without(cells))
}

// firstFoldComplete reports whether all cells of fold 1 have a record, as ranks need.
func (p evidencePage) firstFoldComplete() bool {
	cells, recorded := p.firstFoldCells()
	return recorded == len(cells)
}

// suiteShare writes the share of the suite that was run.
func (p evidencePage) suiteShare(b *strings.Builder) {
	cells, recorded := p.firstFoldCells()
	busy, failed, own := 0, 0, 0
	for _, c := range cells {
		if r := p.suite.records[c.key()]; r != nil && r.Beside != "" {
			busy++
		}
		if r := p.suite.records[c.key()]; r != nil && r.Error != "" {
			failed++
			if c.method.ours() {
				own++
			}
		}
	}
	fmt.Fprintf(b, "## Scope\n\n%d of %d cells of fold 1 have a record. A cell is a method on a set, "+
		"with the same options on every set. Test rows of class tables helped to choose a few of our defaults "+
		"([defaults.md](defaults.md)). A cell has two threads, and %d s below %d training rows, else %d s, "+
		"prediction included. %d failed, %d of them ours, and %d began beside other work.\n", recorded, len(cells),
		shortTime, manyRows, longTime, failed, own, busy)
	if !p.firstFoldComplete() {
		b.WriteString("\nThere are no ranks before all cells of fold 1 have a record.\n")
	}
	b.WriteString("\n    make suite FOLDS=1\n")
}

// spread formats time limits, such as "60 s" or "15, 60 and 180 s".
func spread(limits []int) string {
	var words []string
	for _, limit := range limits {
		words = append(words, fmt.Sprint(limit))
	}
	return and(words) + " s"
}

// and joins words to a list.
func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
