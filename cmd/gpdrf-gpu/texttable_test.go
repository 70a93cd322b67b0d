package main

import "testing"

// Numbers are aligned at the right of their column, and wide letters take two places.
func TestTextTable(t *testing.T) {
	table := newTable("class", "rows", "score")
	table.add("生命", 7, "0.5")
	table.add("b", 1234, "")
	table.right = []int{1, 2}
	const want = "  class  rows  score\n  生命      7    0.5\n  b      1234"
	if got := table.indented(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := label("生命生命生命生命生命生命生命"); got != "生命生命生命生命生命生…" {
		t.Errorf("label %s", got)
	}
}
