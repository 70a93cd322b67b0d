package seq

import (
	"slices"
	"testing"
)

// Of many classes, rows are drawn at all, and several of some classes. Labels are enough, without a number for each
// row and class.
func TestManyClasses(t *testing.T) {
	const rows, classes = 6000, 900
	p := Targets{Columns: classes, Classes: true, Labels: make([]int32, rows)}
	for i := range p.Labels {
		p.Labels[i] = int32(i % classes)
	}
	drawn, count, several := stratified(p, selectRows, 1), map[int]int{}, 0
	for _, r := range drawn {
		if count[p.class(r)]++; count[p.class(r)] == 2 {
			several++
		}
	}
	if len(drawn) != selectRows || several < 100 { // 200 by chance
		t.Errorf("%d rows, %d classes with two or more", len(drawn), several)
	}
	some := p.subset(drawn)
	for i, r := range drawn {
		if some.n() != len(drawn) || some.class(i) != r%classes || some.row(i)[r%classes] != 1 {
			t.Fatalf("of %d rows, number %d has class %d", some.n(), i, some.class(i))
		}
	}
}

// Targets that are alike in all rows give numbers.
func TestOneTarget(t *testing.T) {
	const n = 50
	for _, y := range []float64{0, -0.022360679774997898} {
		p := Targets{Columns: 1, Values: slices.Repeat([]float64{y}, n)}
		l, g := newLOO(p, places(n)), make([]float64, n*n)
		for i := range n {
			g[i*n+i] = 1.03
		}
		if f := l.judge(l.predict(g)); f.nll != 0 || f.errors != 0 {
			t.Errorf("%g: %g, %g", y, f.nll, f.errors)
		}
	}
}

// Rows of a group are left out together, wherever they stand. One group says nothing.
func TestBlocksOfGroups(t *testing.T) {
	const n, groups = 100, 30
	targets := Targets{Columns: 1, Values: make([]float64, n), Groups: make([]int32, n)}
	if found := blocks(targets, places(n)); len(found) != leaveOut {
		t.Errorf("one group: %d blocks", len(found))
	}
	for i := range targets.Groups {
		targets.Groups[i] = int32(i % groups)
	}
	block, rows := map[int32]int{}, 0
	for b, found := range blocks(targets.subset(places(n)).head(n), places(n)) {
		for _, i := range found {
			g := targets.Groups[i]
			if before, known := block[g]; known && before != b {
				t.Errorf("group %d is in the blocks %d and %d", g, before, b)
			}
			block[g], rows = b, rows+1
		}
		if len(found) > 8 {
			t.Errorf("block %d has %d rows", b, len(found))
		}
	}
	if rows != n || len(block) != groups {
		t.Errorf("%d rows of %d groups", rows, len(block))
	}
}
