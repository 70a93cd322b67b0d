package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// failures lists the cells whose record is a failure.
func (p suitePage) failures(b *strings.Builder) {
	b.WriteString("\n## Failures\n\n")
	empty := true
	for _, c := range p.sorted() {
		if c.Error != "" {
			empty = false
			fmt.Fprintf(b, "- %s, fold %d, %s: %s\n", c.Set, c.Fold, titleOf(c.Method), strings.ReplaceAll(c.Error, "\n", " "))
		}
	}
	if empty {
		b.WriteString("None.\n")
	}
}

// sorted are the records in the order of the suite.
func (p suitePage) sorted() (out []*suiteRecord) {
	for _, c := range p.cells() {
		if r := p.records[c.key()]; r != nil {
			out = append(out, r)
		}
	}
	return out
}

// commands says what ran: the source and the machine, and the command of each method.
func (p suitePage) commands(b *strings.Builder) {
	b.WriteString("\n## Commands\n\n")
	made, dates := map[string]int{}, map[string][]string{}
	templates := map[string]map[string]bool{}
	for _, r := range p.sorted() {
		source := fmt.Sprintf("commit %s, %s, %d threads, %d s of training, seed %d", r.Commit, r.Processor, r.Threads, r.Limit, r.Seed)
		made[source]++
		dates[source] = append(dates[source], r.Date)
		if templates[r.Method] == nil {
			templates[r.Method] = map[string]bool{}
		}
		templates[r.Method][r.template()] = true
	}
	if len(made) == 0 {
		b.WriteString("None was run yet.\n")
		return
	}
	for _, source := range slices.Sorted(maps.Keys(made)) {
		first, last := slices.Min(dates[source]), slices.Max(dates[source])
		when := first
		if first < last {
			when += " to " + last
		}
		fmt.Fprintf(b, "- %d cells: %s, %s\n", made[source], source, when)
	}
	b.WriteString("\nWhat was run, with the name of a set for SET and its fold for FOLD. Each record has the whole\ncommand.\n\n")
	for _, m := range suiteMethods() {
		for _, t := range slices.SortedFunc(maps.Keys(templates[m.name]), func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) {
			fmt.Fprintf(b, "    %s\n", t)
		}
	}
	p.versions(b)
}

// template is the record's command without its set and its fold.
func (r *suiteRecord) template() string {
	return strings.NewReplacer(
		fmt.Sprintf("data/%s/%d", r.Set, r.Fold), "data/SET/FOLD",
		fmt.Sprintf("runs/%s/%d", r.Set, r.Fold), "runs/SET/FOLD",
	).Replace(r.Command)
}

// versions names the libraries of the peers.
func (p suitePage) versions(b *strings.Builder) {
	found := map[string]bool{}
	for _, r := range p.sorted() {
		if r.Version != "" {
			found[r.Version] = true
		}
	}
	if len(found) > 0 {
		fmt.Fprintf(b, "\nThe peers are of %s.\n", strings.Join(slices.Sorted(maps.Keys(found)), ", "))
	}
}
