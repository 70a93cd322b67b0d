package seq

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// encode makes a set out of lines.
func encode(t testing.TB, k Kind, lines ...string) *Set {
	t.Helper()
	e := NewEncoder(k)
	for _, l := range lines {
		if err := e.Add([]byte(l)); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
	}
	s, _ := e.Set()
	return s
}

// randomLines returns sequences of lengths 0 … longest, with repeats so that they share features.
func randomLines(k Kind, n, longest int, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	switch k {
	case Graphs:
		return randomGraphs(n, r)
	case Trees:
		return randomTrees(n, r)
	}
	letters := map[Kind][]string{
		DNA:      strings.Split("A C G T A C G T A C G T N", " "),
		Protein:  strings.Split("A C D E A C D E W Y X", " "),
		Bytes:    strings.Split("a,b,c,A,B, , ,é,.,1", ","),
		Words:    strings.Split("the of cat dog The sat", " "),
		Integers: strings.Split("0 1 2 3 1000000 70000 2147483646", " "),
	}[k]
	between := ""
	if k == Words || k == Integers {
		between = " "
	}
	lines := make([]string, n)
	for i := range lines {
		var symbols []string
		for range r.IntN(longest + 1) {
			symbols = append(symbols, letters[r.IntN(len(letters))])
		}
		lines[i] = strings.Join(symbols, between)
		if between == "" {
			lines[i] = strings.TrimSpace(lines[i])
		}
	}
	return lines
}

// symbolKinds returns the alphabets that maps are for.
func symbolKinds() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return k == Vectors })
}

func reversed(s *Set) *Set {
	r := &Set{Alphabet: s.Alphabet, Codes: slices.Clone(s.Codes), Start: s.Start}
	for i := range r.N() {
		slices.Reverse(r.At(i))
	}
	return r
}

func mustFit(t testing.TB, spec string, s *Set) *Features {
	t.Helper()
	terms := must.Get(Parse(spec))(t)
	f, err := Fit(t.Context(), terms[0], s)
	if err != nil {
		t.Fatalf("%s over %s: %v", spec, s.Alphabet.Kind, err)
	}
	return f
}

// specsToTest returns terms of each map, over alphabets whose k-mers have a formula and over some whose k-mers are
// numbered as they come.
func specsToTest() map[string][]string {
	return map[string][]string{
		"double":       {"double:1,5", "double:2,3", "double:1,5/sqrt", "double:6,2/tfidf"},
		"triple":       {"triple:1,2", "triple:2,2/log", "triple:4,1"},
		"spectrum":     {"spectrum:1", "spectrum:3", "spectrum:9", "spectrum:31/presence", "spectrum:2/log/tfidf"},
		"blended":      {"blended:3", "blended:16/sqrt"},
		"gapped":       {"gapped:3,1", "gapped:5,2", "gapped:4,0", "gapped:7,5/presence", "gapped:2,1/tfidf"},
		"mismatch":     {"mismatch:3,1", "mismatch:3,2", "mismatch:2,1/log", "mismatch:1,0"},
		"degree":       {"degree:4", "degree:1", "degree:12/log", "degree:3/tfidf"},
		"placed":       {"placed:1,0", "placed:2,3/sqrt", "placed:4,1/tfidf"},
		"intersection": {"intersection:1", "intersection:3", "intersection:2/tfidf"},
		"words":        {"words:1", "words:3/tfidf", "words:2/log"},
	}
}

// TestMaps walks the table: every map against its naive definition, trained on some sequences and asked about those and
// others.
func TestMaps(t *testing.T) {
	for _, m := range allMaps() {
		specs := append(specsToTest()[m.Name], graphSpecs()[m.Name]...)
		define := naive(m.Name)
		if define == nil {
			define = naiveGraph(m.Name)
		}
		if define == nil || len(specs) == 0 {
			t.Errorf("%s has no naive definition or no terms to test", m.Name)
			continue
		}
		specs = append(specs, m.Example)
		if testing.Short() { // the race detector asks for each map once
			specs = specs[len(specs)-1:]
		}
		for _, kind := range symbolKinds() {
			if m.Kinds != nil && !slices.Contains(m.Kinds, kind) || m.Kinds == nil && kind.IsGraph() {
				continue
			}
			for _, spec := range specs {
				t.Run(spec+" "+string(kind), func(t *testing.T) { testMap(t, m, spec, kind, define) })
			}
		}
	}
}

func testMap(t *testing.T, m Map, spec string, kind Kind, define func([]int32, []int, *Alphabet) bag) {
	lines := randomLines(kind, 20, 30, 7)
	if !kind.IsGraph() {
		lines = append(lines, "", "")
	}
	all := encode(t, kind, lines...)
	if kind.IsGraph() {
		forgetful(all)
	}
	if kind == DNA || kind == Protein { // lower case is the same
		low := encode(t, kind, strings.ToLower(strings.Join(lines, "")))
		if !slices.Equal(low.Codes, all.Codes) {
			t.Error("small letters have other codes")
		}
	}
	terms := must.Get(Parse(spec))(t)
	term := terms[0]
	// too many features is right for a large alphabet, if it names a remedy
	if _, err := term.extractor(all.Alphabet); err != nil {
		if kind != Integers && kind != Bytes || !strings.Contains(err.Error(), "smaller") {
			t.Error(err)
		}
		return
	}
	if m.Name == "mismatch" && math.Pow(float64(all.Alphabet.Letters), float64(term.Args[0])) > 10000 {
		t.Skip("the naive definition has all k-mers of an alphabet")
	}
	train := all.Subset(places(all.N() / 2))
	f := mustFit(t, spec, train)
	a, b := f.Rows(all), f.Rows(train)
	dots := innerProducts(a, b)

	rows := map[string]int{}
	counted := make([]bag, all.N())
	for i := range counted {
		counted[i] = define(all.At(i), term.Args, all.Alphabet)
		if term.Counts == Min {
			counted[i] = counted[i].each()
		}
		if i < train.N() {
			for name := range counted[i] {
				rows[name]++
			}
		}
	}
	if len(rows) != f.width() {
		t.Errorf("%d columns, want %d", f.width(), len(rows))
	}
	empty := 0
	for i := range all.N() {
		one := counted[i].unit(term, rows, train.N())
		if len(one) == 0 {
			empty++
		}
		if want := min(len(one), 1); a.Square[i] != float64(want) {
			t.Errorf("‖φ(%d)‖² is %g, want %d", i, a.Square[i], want)
		}
		for j := range train.N() {
			want := one.dot(counted[j].unit(term, rows, train.N()))
			got := dots[i*train.N()+j]
			if math.Abs(got-want) > 1e-12 {
				t.Fatalf("⟨φ(%d), φ(%d)⟩ is %.15g, want %.15g\n%v\n%v", i, j, got, want, all.At(i), all.At(j))
			}
			if i == j && math.Abs(got-a.Square[i]) > 1e-12 {
				t.Errorf("⟨φ(%d), φ(%d)⟩ is %.17g, not %g", i, i, got, a.Square[i])
			}
			if i < train.N() && got != dots[j*train.N()+i] {
				t.Errorf("not symmetric at %d, %d: %.17g and %.17g", i, j, got, dots[j*train.N()+i])
			}
			if math.IsNaN(got) {
				t.Errorf("NaN at %d, %d", i, j)
			}
		}
	}
	if emptyRows(a) != empty || empty < 2 {
		t.Errorf("%d empty vectors, want %d", emptyRows(a), empty)
	}
	testGram(t, dots[:train.N()*train.N()], train.N())
	if m.Reversal { // trained and asked backwards
		g := mustFit(t, spec, reversed(train))
		for i, v := range innerProducts(g.Rows(reversed(all)), g.Rows(reversed(train))) {
			if math.Abs(v-dots[i]) > 1e-12 {
				t.Fatalf("reversed, entry %d is %.15g, not %.15g", i, v, dots[i])
			}
		}
	}
	for i := range all.N() { // a row does not depend on those beside it
		if alone := f.Rows(all.Subset([]int{i})); !equalRows(alone, someRows(a, i)) {
			t.Fatalf("row %d differs where it is alone", i)
		}
	}
}

// testGram checks that a Gram matrix and its RBF are positive semi-definite.
func testGram(t *testing.T, dots []float64, n int) {
	t.Helper()
	rbf := make([]float64, n*n)
	for i := range n {
		for j := range n {
			rbf[i*n+j] = math.Exp(-(dots[i*n+i] + dots[j*n+j] - 2*dots[i*n+j]) / 2)
		}
	}
	for name, k := range map[string][]float64{"linear": dots, "RBF": rbf} {
		var e mat.EigenSym
		if !e.Factorize(mat.NewSymDense(n, slices.Clone(k)), false) {
			t.Fatal("no eigenvalues")
		}
		if low := slices.Min(e.Values(nil)); low < -1e-12 {
			t.Errorf("the %s Gram matrix has the eigenvalue %g", name, low)
		}
	}
}

func equalRows(a, b *SparseRows) bool {
	return a.Width == b.Width && slices.Equal(a.Start, b.Start) && slices.Equal(a.Column, b.Column) &&
		slices.Equal(a.Value, b.Value) && slices.Equal(a.Square, b.Square)
}

// TestLongSequence crosses the borders of blocks.
func TestLongSequence(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector has shorter sequences")
	}
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range block + 77 {
		b.WriteByte("ACGT"[r.IntN(4)])
		if r.IntN(5000) == 0 {
			b.WriteByte('N')
		}
	}
	set := encode(t, DNA, b.String(), b.String()[:1000])
	for _, spec := range []string{"double:1,5", "double:3,4", "triple:1,3", "spectrum:4",
		"spectrum:12", "blended:3", "gapped:5,2", "mismatch:3,1", "intersection:2", "degree:2", "placed:2,1"} {
		f := mustFit(t, spec, set)
		rows := f.Rows(set)
		define := naive(f.Term.Map)
		x, y := define(set.At(0), f.Term.Args, set.Alphabet).unit(f.Term, nil, 0),
			define(set.At(1), f.Term.Args, set.Alphabet).unit(f.Term, nil, 0)
		if got, want := innerProducts(rows, rows)[1], x.dot(y); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", spec, got, want)
		}
		if got := rows.Start[1]; got != len(x) {
			t.Errorf("%s: %d features, want %d", spec, got, len(x))
		}
	}
}

// TestManyProcessors: the same bits whatever the goroutines do.
func TestManyProcessors(t *testing.T) {
	for _, kind := range symbolKinds() {
		set := encode(t, kind, randomLines(kind, 300, 60, 3)...)
		specs := []string{"double:2,3/tfidf", "spectrum:13", "degree:3", "gapped:2,1"}
		switch kind {
		case Graphs:
			specs = []string{"wl:3/tfidf", "circular:2", "paths:9", "graphlets:4"}
		case Trees:
			specs = []string{"subtrees", "partial:3/tfidf"}
		}
		for _, spec := range specs {
			var first *SparseRows
			for range 4 {
				f := mustFit(t, spec, set)
				rows := f.Rows(set)
				if first == nil {
					first = rows
				}
				if !equalRows(first, rows) {
					t.Fatalf("%s %s: another result", kind, spec)
				}
			}
		}
	}
}

// TestFold: with fold, capitals are small letters.
func TestFold(t *testing.T) {
	set := encode(t, Bytes, "Hello World", "hELLO wORLD", "other")
	rows := mustFit(t, "double:1,5/fold", set).Rows(set)
	if d := innerProducts(rows, rows); math.Abs(d[1]-1) > 1e-15 {
		t.Errorf("folded, the inner products are %v: want 1 between the first two", d)
	}
	rows = mustFit(t, "double:1,5", set).Rows(set)
	if d := innerProducts(rows, rows); d[1] > 0.2 {
		t.Errorf("the inner products are %v: want 0.2 at most between the first two", d)
	}
}

// TestReverseComplement: with rc, a sequence has the features of both strands, and is like its reverse complement.
func TestReverseComplement(t *testing.T) {
	set := encode(t, DNA, "ACGTTNACGGA", "TCCGTNAACGT", "AAAA", "TTTTT", "ACAC", "")
	for _, spec := range []string{"double:1,5/rc", "double:31,64/rc", "triple:2,16/rc",
		"spectrum:31/rc", "gapped:5,2/rc", "mismatch:3,1/rc", "blended:3/sqrt/rc"} {
		f := mustFit(t, spec, set)
		rows := f.Rows(set)
		dots := innerProducts(rows, rows)
		define := naive(f.Term.Map)
		var bags []bag
		for i := range set.N() {
			b := define(set.At(i), f.Term.Args, set.Alphabet)
			other := slices.Clone(set.At(i))
			slices.Reverse(other)
			for j, c := range other {
				if c != Unknown {
					other[j] = 3 - c
				}
			}
			for name, n := range define(other, f.Term.Args, set.Alphabet) {
				b[name] += n
			}
			bags = append(bags, b.unit(f.Term, nil, 0))
		}
		for i := range bags {
			for j := range bags {
				if want := bags[i].dot(bags[j]); math.Abs(dots[i*set.N()+j]-want) > 1e-12 {
					t.Errorf("%s: %d, %d: %g, want %g", spec, i, j, dots[i*set.N()+j], want)
				}
			}
		}
		if rows.Square[0] == 1 && math.Abs(dots[1]-1) > 1e-12 {
			t.Errorf("%s: a strand and the other: %g", spec, dots[1])
		}
	}
}

// fuzzMap compares any two sequences over a small, a middling and a large alphabet with the naive definition.
func fuzzMap(f *testing.F, spec func(a, b uint8) string) {
	f.Add([]byte("ACGTACGTNNACGT"), []byte("ACGACGTTT"), uint8(2), uint8(3), uint8(0))
	f.Add([]byte("MKVLAAGIVXMKVLA"), []byte("MKVMKLVV"), uint8(0), uint8(4), uint8(1))
	f.Add([]byte("a stitch in time"), []byte("saves nine"), uint8(1), uint8(1), uint8(2))
	f.Add([]byte(""), []byte("\xff\x00"), uint8(0), uint8(0), uint8(2))
	f.Fuzz(func(t *testing.T, x, y []byte, a, b, kind uint8) {
		x, y = x[:min(len(x), 200)], y[:min(len(y), 200)]
		alphabet := [...]Alphabet{{Kind: DNA, Letters: 4}, {Kind: Protein, Letters: 20},
			{Kind: Integers, Letters: 1024}}[kind%3]
		set := &Set{Alphabet: &alphabet, Start: []int{0, len(x), len(x) + len(y)}}
		for _, c := range slices.Concat(x, y) {
			set.Codes = append(set.Codes, int32(int(c)*37%(alphabet.Letters+1))-1)
		}
		s := must.Get(Parse(spec(a, b)))(t)
		term, err := Fit(t.Context(), s[0], set.Subset([]int{0}))
		if err != nil { // too many possible features
			t.Skip(err)
		}
		rows := term.Rows(set)
		define := naive(term.Term.Map)
		u := define(set.At(0), term.Term.Args, set.Alphabet).unit(term.Term, nil, 0)
		v := define(set.At(1), term.Term.Args, set.Alphabet).unit(term.Term, nil, 0)
		got := innerProducts(rows, someRows(rows, 0))
		if math.Abs(got[0]-u.dot(u)) > 1e-12 || math.Abs(got[1]-u.dot(v)) > 1e-12 {
			t.Fatalf("%v: %v, want %g, %g", term.Term, got, u.dot(u), u.dot(v))
		}
	})
}

// FuzzDouble compares the double map.
func FuzzDouble(f *testing.F) {
	fuzzMap(f, func(a, b uint8) string { return fmt.Sprintf("double:%d,%d", 1+a%20, 1+b%9) })
}

// FuzzGapped compares the gapped map.
func FuzzGapped(f *testing.F) {
	fuzzMap(f, func(a, b uint8) string { return fmt.Sprintf("gapped:%d,%d", 1+a%8, b%(1+a%8)) })
}
