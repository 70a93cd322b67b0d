package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// failures lists the cells whose record is a failure.
func (p suitePage) failures(b *strings.Builder) {
	b.WriteString("\n## Failures\n\n")
	empty := true
	for _, c := range p.recordsInOrder() {
		if c.Error != "" {
			empty = false
			fmt.Fprintf(b, "- %s, fold %d, %s: %s\n", c.Set, c.Fold, titleOf(c.Method),
				strings.ReplaceAll(c.Error, "\n", " "))
		}
	}
	if empty {
		b.WriteString("None.\n")
	}
}

// recordsInOrder returns the records in the order of the suite.
func (p suitePage) recordsInOrder() (out []*suiteRecord) {
	for _, c := range p.cells() {
		if r := p.records[c.key()]; r != nil {
			out = append(out, r)
		}
	}
	return out
}

// commands lists the runs: the source and the machine, and the commands.
func (p suitePage) commands(b *strings.Builder) {
	b.WriteString("\n## Commands\n\n")
	dates, methods, templates := map[string][]string{}, map[string][]string{}, []string{}
	for _, r := range p.recordsInOrder() {
		source := fmt.Sprintf("commit %s, seed %d, %s, %d threads", r.Commit, r.Seed, r.Processor, r.Threads)
		if r.Beside != "" {
			source += ". Beside " + r.Beside
		}
		dates[source] = append(dates[source], r.Date)
		if title := titleOf(r.Method); !slices.Contains(methods[source], title) {
			methods[source] = append(methods[source], title)
		}
		if t := r.template(); !slices.Contains(templates, t) {
			templates = append(templates, t)
		}
	}
	if len(dates) == 0 {
		b.WriteString("None was run yet.\n")
		return
	}
	for _, source := range slices.Sorted(maps.Keys(dates)) {
		when := slices.Min(dates[source])
		if last := slices.Max(dates[source]); last > when {
			when += " to " + last
		}
		fmt.Fprintf(b, "- %d cells, %s: %s. %s.\n", len(dates[source]), when, source,
			strings.Join(methods[source], ", "))
	}
	b.WriteString("\nThe commands, with words in capitals where they differ. ROWS are the files, the target and the " +
		"fold. Each record has its whole command.\n\n")
	for _, t := range templates {
		fmt.Fprintf(b, "    %s\n", t)
	}
	p.versions(b)
}

// rowsOfRun matches the options of a command of ours that name its rows: files, target and kind, or a fold.
var rowsOfRun = regexp.MustCompile(`--data \S+( --test \S+)?( --target target --task \w+)?( --folds \d+ --fold \d+)?`)

// taskAndRows matches the arguments of a peer's command before its limit.
var taskAndRows = regexp.MustCompile(`\w+ build/suite/data/\S+`)

// template returns the record's command with words in capitals for its rows, method and limit.
func (r *suiteRecord) template() string {
	command := taskAndRows.ReplaceAllString(rowsOfRun.ReplaceAllString(r.Command, "ROWS"), "ROWS")
	return strings.NewReplacer(
		fmt.Sprintf("runs/%s/%d/%s", r.Set, r.Fold, r.Method), "runs/SET/FOLD/METHOD",
		"--model "+r.Method, "--model METHOD",
		"suite.py "+r.Method, "suite.py METHOD",
		fmt.Sprintf(" %d ", r.Limit), " SECONDS ", fmt.Sprintf(" %ds ", r.Limit), " SECONDS ",
	).Replace(command)
}

// versions names the libraries of the peers.
func (p suitePage) versions(b *strings.Builder) {
	found := map[string]bool{}
	for _, r := range p.recordsInOrder() {
		if r.Version != "" {
			found[r.Version] = true
		}
	}
	if len(found) > 0 {
		fmt.Fprintf(b, "\nThe peers are of %s.\n", strings.Join(slices.Sorted(maps.Keys(found)), ", "))
	}
}
