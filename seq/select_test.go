package seq

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Of many classes, rows are drawn at all, and several of some classes. Labels are enough, without a number for each row
// and class.
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
		l, g := newBlockCV(p, places(n)), make([]float64, n*n)
		for i := range n {
			g[i*n+i] = 1.03
		}
		if f := l.score(l.predict(g)); f.nll != 0 || f.errors != 0 {
			t.Errorf("%g: %g, %g", y, f.nll, f.errors)
		}
	}
}

// Rows of a group are left out together, wherever they stand. One group says nothing.
func TestBlocksOfGroups(t *testing.T) {
	const n, groups = 100, 30
	targets := Targets{Columns: 1, Values: make([]float64, n), Groups: make([]int32, n)}
	if found := blocks(targets, places(n)); len(found) != maxBlocks {
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

// TestSelectNeighbours: neighbours in the file are copies of each other with small changes. A map that only recognises
// copies is not chosen.
func TestSelectNeighbours(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where other choices are tested")
	}
	r, p := rand.New(rand.NewPCG(6, 6)), &problem{kind: Bytes}
	for group := range 40 {
		x := letters(r, "abcdefghijklmnopqrstuvwxyz", 60)
		for range 8 {
			y := slices.Clone(x)
			y[r.IntN(len(y))] = 'z'
			p.classify(string(y), group%2 == 1)
		}
	}
	if found := p.selected(t); found.Scores[0].Errors < 0.3 { // nothing tells new groups
		t.Errorf("%s", strings.Join(found.Notes(), "\n"))
	}
}

// places returns the places of n rows in the order of their file.
func places(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// problem is drawn sequences with their targets.
type problem struct {
	kind    Kind
	lines   []string
	targets Targets
}

func (p *problem) add(line string, target ...float64) {
	p.lines = append(p.lines, line)
	p.targets.Values = append(p.targets.Values, target...)
	p.targets.Columns = len(target)
}

// classify adds a row of one of two classes.
func (p *problem) classify(line string, second bool) {
	p.targets.Classes = true
	if second {
		p.add(line, 0, 1)
	} else {
		p.add(line, 1, 0)
	}
}

func (p *problem) selected(t *testing.T) *Selection {
	t.Helper()
	set := encode(t, p.kind, p.lines...)
	return must.Get(Select(t.Context(), Candidates(set), set, p.targets, 1, 0))(t)
}

func letters(r *rand.Rand, from string, n int) []byte {
	x := make([]byte, n)
	for i := range x {
		x[i] = from[r.IntN(len(from))]
	}
	return x
}

// TestSelectPositions: in DNA of one length, the symbols at fixed places decide; what is where is all that counts.
func TestSelectPositions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where other choices are tested")
	}
	r, p := rand.New(rand.NewPCG(7, 7)), &problem{kind: DNA}
	for i := range 240 {
		x := letters(r, "ACGT", 60)
		copy(x[10:], "GT") // everywhere, so that it says nothing
		if i%2 == 1 {
			copy(x[30:], "AG")
		} else {
			copy(x[40:], "AG")
		}
		p.classify(string(x), i%2 == 1)
	}
	if found := p.selected(t); !strings.HasPrefix(found.Spec.String(), "degree") &&
		!strings.HasPrefix(found.Spec.String(), "placed") || found.Scores[0].Errors > 0.05 {
		t.Errorf("%s", strings.Join(found.Notes(), "\n"))
	}
}

// TestSelectCapitals: where capitals carry a meaning, they are not folded, and how many there are is seen.
func TestSelectCapitals(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where other choices are tested")
	}
	r, p := rand.New(rand.NewPCG(8, 8)), &problem{kind: Bytes}
	for range 240 {
		x := letters(r, "cccCCCNnOo()=1", 10+r.IntN(40))
		y := 0.0
		for _, b := range x {
			y += map[byte]float64{'c': 1, 'C': -1, 'O': 0.5}[b]
		}
		p.add(string(x), y)
	}
	found := p.selected(t)
	if strings.Contains(found.Spec.String(), "fold") || found.Scores[0].Errors > 0.1 {
		t.Errorf("%s", strings.Join(found.Notes(), "\n"))
	}
}

// TestSelectRare: enough rows of a rare class are drawn. Its map is found by density, where the number of errors is the
// same for all maps.
func TestSelectRare(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where other choices are tested")
	}
	r, p := rand.New(rand.NewPCG(9, 9)), &problem{kind: Bytes}
	for i := range 1500 {
		x := letters(r, "abcdefghijklmnopqrst", 40)
		if i%60 == 0 { // 25 rows
			at := r.IntN(30)
			copy(x[at:], "kvyvyq")
			copy(x[(at+15)%30:], "yqkvyv")
		}
		p.classify(string(x), i%60 == 0)
	}
	rows := stratified(p.targets, 800, 1)
	rare, early := 0, 0
	for i, row := range rows {
		if p.targets.class(row) == 1 {
			rare++
			if i < 400 {
				early++
			}
		}
	}
	must.Equal(t, rare, 25)
	if early < 10 || early > 15 {
		t.Errorf("%d of 25 rare rows are among the first 400", early)
	}
	if len(rows) > 820 {
		t.Errorf("%d rows, and 800 are enough", len(rows))
	}
	specs := mustParse(t, "words:1/log/tfidf/linear", "degree:1/linear", "intersection:2/linear",
		"blended:3/log/linear")
	found := must.Get(Select(t.Context(), specs, encode(t, p.kind, p.lines...), p.targets, 1, 0))(t)
	if found.Scores[0].AUC < 0.99 || found.Scores[0].Rows != len(rows) {
		t.Errorf("%s", strings.Join(found.Notes(), "\n"))
	}
}

// TestSelectFamily: held-out rows choose the map of a protein family, whose mark is six residues of which two change.
func TestSelectFamily(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where other choices are tested")
	}
	const residues = "ACDEFGHIKLMNPQRSTVWY"
	r, p := rand.New(rand.NewPCG(11, 11)), &problem{kind: Protein}
	for i := range 240 {
		x := letters(r, residues, 60)
		for k := 0; i%4 == 0 && k < 3; k++ {
			mark := []byte("WCHMFY")
			for range 2 {
				mark[r.IntN(len(mark))] = residues[r.IntN(len(residues))]
			}
			copy(x[20*k+r.IntN(14):], mark)
		}
		p.classify(string(x), i%4 == 0)
	}
	if found := p.selected(t); found.Spec[0].Map != "gapped" || found.Spec[0].Args[0] > 8 ||
		found.Scores[0].Errors > 0.1 {
		t.Errorf("%s", strings.Join(found.Notes(), "\n"))
	}
}

// TestSelectTime: with a time limit the best so far is taken; without, what is not tried does not depend on the clock;
// and a context ends it at once.
func TestSelectTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where other choices are tested")
	}
	r, p := rand.New(rand.NewPCG(1, 9)), &problem{kind: DNA}
	for i := range 1200 {
		p.classify(string(letters(r, "ACGT", 400+r.IntN(100))), i%2 == 1)
	}
	set := encode(t, p.kind, p.lines...)
	specs := Candidates(set)
	start := time.Now()
	found, err := Select(t.Context(), specs, set, p.targets, 1, 4*time.Millisecond)
	must.OK(t, err)
	must.Equal(t, found.Spec.String(), specs[0].String())
	must.Equal(t, len(found.Late)+len(found.Costly), len(specs))
	if took := time.Since(start); took > time.Second {
		t.Errorf("a limit of 4 ms took %s", took)
	}
	must.Contain(t, strings.Join(found.Notes(), "\n"), "not tried, since ")
	found, err = Select(t.Context(), specs, set, p.targets, 1, 10*time.Second)
	must.OK(t, err)
	if len(found.Late)+len(found.Costly) == 0 {
		t.Errorf("a quarter of 10 s is enough for all of %v", specs)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("a limit of 10 s took %s, and a quarter is for the choice", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var stopped time.Time
	time.AfterFunc(50*time.Millisecond, func() { stopped = time.Now(); cancel() })
	if _, err := Select(ctx, specs, set, p.targets, 1, 0); !errors.Is(err, context.Canceled) ||
		time.Since(stopped) > time.Second {
		t.Errorf("%v after %s", err, time.Since(stopped))
	}
}

// TestSelectSum: two maps that tell a half each are added.
func TestSelectSum(t *testing.T) {
	r, p := rand.New(rand.NewPCG(6, 6)), &problem{kind: Bytes}
	for range 400 {
		x := letters(r, "abcdefgh", 30)
		y := r.NormFloat64() * 0.05
		for i, b := range x { // symbols with their places, and pairs anywhere
			y += map[int]float64{3: 1, 17: -1, 25: 1}[i] * float64(int(b)-'d')
			if i > 0 && x[i-1] < 'e' && b < 'e' {
				y++
			}
		}
		p.add(string(x), y)
	}
	set := encode(t, p.kind, p.lines...)
	found, err := Select(t.Context(), mustParse(t, "degree:1", "spectrum:2", "spectrum:4"), set, p.targets, 1, 0)
	if err != nil || !strings.HasPrefix(found.Spec.String(), "degree:1/linear+spectrum:2/linear") {
		t.Errorf("%s %v", strings.Join(found.Notes(), "\n"), err)
	}
	// with one candidate there is nothing to add
	found, err = Select(t.Context(), mustParse(t, "degree:1"), set, p.targets, 1, 0)
	if err != nil || len(found.Scores) != 1 {
		t.Errorf("%+v %v", found, err)
	}
}

func mustParse(t *testing.T, texts ...string) (specs []Spec) {
	for _, text := range texts {
		specs = append(specs, must.Get(Parse(text))(t))
	}
	return specs
}
