package seq

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func TestParse(t *testing.T) {
	for _, text := range []string{
		"double:1,5", "double:1,5+spectrum:3", "words:2/log/tfidf+double:1,5/sqrt/fold",
		"gapped:6,2/presence", "spectrum:3+spectrum:3/log", "gapped:6,2/sqrt/rc",
	} {
		s, err := Parse(text)
		if err != nil || s.String() != text {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	must.Equal(t, must.Get(Parse(" double:1, 5 + spectrum:3/raw"))(t).String(), "double:1,5+spectrum:3")
	for _, c := range []struct{ text, want string }{
		{"", `kernel "": a feature map is missing: write for example double:1,5+spectrum:3`},
		{"double:1,5+", "a feature map is missing"},
		{"doubel:1,5", `there is no feature map "doubel": did you mean "double"?`},
		{"xyzzy", `there is no feature map "xyzzy": use one of double, triple, spectrum, `},
		{"double", "double takes 2 numbers: write double:k,d, for example double:1,5"},
		{"double:1", "double takes 2 numbers"},
		{"spectrum:1,2", "spectrum takes 1 number: write spectrum:k"},
		{"double:1,x", `double: d must be a whole number and is "x"`},
		{"double:0,5", "double: k must be from 1 to 31 and is 0"},
		{"gapped:3,3", "gapped: m must be below g"},
		{"gapped:31,15", "leaves symbols out in 300540195 ways"},
		{"mismatch:2,2", "mismatch: m must be below k"},
		{"spectrum:3/preesnce", `spectrum: "preesnce" is not a way to count: did you mean "presence"?`},
		{"spectrum:3/log/sqrt", "counts are given twice, as log and sqrt"},
		{"spectrum:3/", "a word is missing after the /"},
		{"spectrum:3+spectrum:3", "spectrum:3 is given twice"},
		{"spectrum:99999999999999", "k must be from 1 to 31 and is 99999999999999"},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, err := Parse(c.text)
			if !errors.As(err, new(*SpecError)) {
				t.Fatalf("%v is no error about a spec", err)
			}
			if at := fmt.Sprintf("kernel %q: ", c.text); !strings.HasPrefix(err.Error(), at) {
				t.Errorf("%q does not begin with %q", err, at)
			}
			must.Contain(t, err.Error(), c.want)
		})
	}
}

// TestExamples: what the help shows works, and its usage is right.
func TestExamples(t *testing.T) {
	for _, m := range allMaps() {
		s, err := Parse(m.Example)
		if err != nil || s.String() != m.Example || strings.Count(m.usage(), ",") != max(0, len(m.Parameters)-1) {
			t.Errorf("%s: %v, %v", m.usage(), s, err)
		}
	}
}

func TestTermsForOtherAlphabets(t *testing.T) {
	for _, c := range []struct {
		spec, want string
		kind       Kind
	}{
		{"words:2", "words is for sequences of bytes or words; these are dna", DNA},
		{"mismatch:3,1", "mismatch is for sequences of dna or protein or bytes; these are ints", Integers},
		{"double:1,5/fold", "only text (bytes) has capitals to fold; these sequences are protein", Protein},
		{"double:1,5/rc", "only DNA has a reverse complement", Protein},
		{"degree:3/rc", "maps with positions cannot count both", DNA},
		{"mismatch:4,2", "for more than 20000 others: make m smaller", Bytes},
		{"gapped:12,2", "gapped has too many possible features over the 256 symbols of bytes", Bytes},
	} {
		s := must.Get(Parse(c.spec))(t)
		_, err := Fit(t.Context(), s[0], encode(t, c.kind, "1 2"[:0], "A"[:0]))
		var e *SpecError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s over %s:\n got %v\nwant %s", c.spec, c.kind, err, c.want)
		}
	}
}

func TestCrowded(t *testing.T) {
	e := NewEncoder(Integers)
	r := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	b.WriteString("2000000000 ")
	for range 150000 {
		fmt.Fprintf(&b, "%d ", r.IntN(1e9))
	}
	must.OK(t, e.Add([]byte(b.String())))
	set, _ := e.Set()
	s, _ := Parse("triple:1,16")
	if _, err := Fit(t.Context(), s[0], set); err == nil ||
		!strings.Contains(err.Error(), "too many possible features") {
		t.Error(err)
	}
	mustFit(t, "double:1,5", set)
}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		kind       Kind
		text, want string
		codes      []int32
	}{
		{DNA, "acgtu\nNACG", "ACGTTNACG", []int32{0, 1, 2, 3, 3, -1, 0, 1, 2}},
		{DNA, "R-.", "NNN", []int32{-1, -1, -1}},
		{DNA, "ACGT ACGT \nAC\t\nG", "ACGTACGTACG", []int32{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2}},
		{DNA, " 1 ACGT ACGT 8\n9 AC\n", "ACGTACGTAC",
			[]int32{0, 1, 2, 3, 0, 1, 2, 3, 0, 1}}, // positions
		{Bytes, "a \nb", "a b", []int32{'a', ' ', 'b'}}, // a text may be wrapped after a blank
		{Protein, "ACY\r\nXZ*", "ACYXXX", []int32{0, 1, 19, -1, -1, -1}},
		{Bytes, " é A ", "é A", []int32{0xc3, 0xa9, ' ', 'A'}},
		{Words, " to be  or to\tbe", "to be or to be", []int32{0, 1, 2, 0, 1}},
		{Integers, "7 0 2147483646 07", "7 0 2147483646 7", []int32{7, 0, 2147483646, 7}},
	} {
		s := encode(t, c.kind, c.text)
		if !slices.Equal(s.Codes, c.codes) || s.Alphabet.Text(s.At(0)) != c.want {
			t.Errorf("%q: %v %q, want %v %q", c.text, s.Codes, s.Alphabet.Text(s.At(0)), c.codes, c.want)
		}
		e := EncoderFor(s.Alphabet)
		if err := e.Add([]byte(c.text)); err != nil {
			t.Error(err)
		}
		if again, _ := e.Set(); !slices.Equal(again.Codes, c.codes) {
			t.Errorf("%q again: %v", c.text, again.Codes)
		}
	}
	trained := encode(t, Words, "a b").Alphabet
	e := EncoderFor(trained)
	must.OK(t, e.Add([]byte("b c a")))
	must.Equal(t, len(trained.Words), 2)
	s, unknown := e.Set()
	must.Equal(t, fmt.Sprintln(unknown, s.Codes, trained.Text(s.Codes)), "1 [1 -1 0] b ? a\n")
	for _, c := range []struct {
		kind   Kind
		text   string
		at     int
		symbol string
	}{
		{DNA, "ACG\nAQ", 5, "Q"}, {DNA, "ACé", 2, "é"}, {DNA, "AC\xff", 2, "\xff"},
		{DNA, "AC GT!", 5, "!"}, {Protein, "AC1", 2, "1"}, {DNA, "ACG 1 C", 4, "1"},
		{Integers, "1 -2", 2, "-2"}, {Integers, "12 x y", 3, "x"},
		{Integers, "2147483647", 0, "2147483647"}, {Integers, "1.5", 0, "1.5"},
	} {
		e := NewEncoder(c.kind)
		err := e.Add([]byte(c.text))
		var s *SymbolError
		if !errors.As(err, &s) || s.At != c.at || s.Symbol != c.symbol {
			t.Errorf("%q: %v", c.text, err)
		}
		if set, _ := e.Set(); set.N() != 0 || len(set.Codes) != 0 {
			t.Errorf("%q leaves %v", c.text, set)
		}
	}
}

func TestSet(t *testing.T) {
	a := encode(t, DNA, "ACGT", "AC", "", "GG", "AC")
	low, mean, high := a.Lengths()
	must.Equal(t, low, 0)
	must.Equal(t, high, 4)
	must.Equal(t, mean, 2)
	s := a.Subset([]int{3, 0})
	must.Equal(t, s.N(), 2)
	must.Equal(t, s.Alphabet.Text(s.At(0)), "GG")
	must.Equal(t, s.Alphabet.Text(s.At(1)), "ACGT")
	must.Equal(t, a.DuplicatesOf(s), 2)
	must.Equal(t, s.DuplicatesOf(encode(t, DNA, "A")), 0)
}

// TestTable puts, finds and forgets, against a map.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tab := newTable()
	for round := range 30 {
		known := map[uint64]int{}
		size := []int{10, 5000, 200000, 40}[round%4]
		if round > 8 {
			size = min(size, 3000)
		}
		for range size {
			key := r.Uint64() >> (r.UintN(60))
			want, ok := known[key]
			if !ok {
				want = -1
			}
			if got := tab.find(key); got != want {
				t.Fatalf("find(%d) is %d, want %d", key, got, want)
			}
			if !ok {
				known[key] = len(known)
			}
			if got := tab.put(key); got != known[key] {
				t.Fatalf("put(%d) is %d, want %d", key, got, known[key])
			}
		}
		var ask []uint64
		var want []int32
		for range 1000 {
			key := tab.keys[r.IntN(tab.len())] ^ r.Uint64N(2)
			ask, want = append(ask, key), append(want, int32(tab.find(key)))
		}
		got := make([]int32, len(ask))
		if tableOf(tab.keys).findAll(got, ask); !slices.Equal(got, want) {
			t.Fatal("findAll is not find")
		}
		if tableOf(nil).findAll(got, ask); slices.Max(got) >= 0 {
			t.Fatal("an empty table has keys")
		}
		tab.reset()
		for i, s := range tab.slots {
			if s != 0 {
				t.Fatalf("slot %d is not empty after reset", i)
			}
		}
	}
}

func TestSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s sorter
	for _, n := range []int{0, 1, 5000, 100, 20, 256, 20000} {
		for _, width := range []uint64{1, 300, 1 << 31, 1 << 62} {
			var keys []uint64
			for range n {
				keys = append(keys, r.Uint64N(width))
			}
			want := slices.Sorted(slices.Values(keys))
			if got := s.sort(keys); !slices.Equal(got, want) {
				t.Errorf("%d keys below %d are not sorted", n, width)
			}
		}
	}
}

func TestDistances(t *testing.T) {
	set := encode(t, DNA, "ACGTACGT", "ACGTACGT", "", "GGGG")
	rows := mustFit(t, "spectrum:2", set).Rows(set)
	d2 := distances(device.Squared, innerProducts(rows, rows), rows.Square, rows.Square)
	want := []float64{0, 0, 1, 2, 0, 0, 1, 2, 1, 1, 0, 1, 2, 2, 1, 0}
	for i := range want {
		if math.Abs(d2[i]-want[i]) > 1e-15 {
			t.Fatalf("squared distances %v, want %v", d2, want)
		}
	}
}

// Columns that no row of z has go, and products stay.
func TestColumnsOfOtherRows(t *testing.T) {
	set := encode(t, Protein, randomLines(Protein, 40, 60, 3)...)
	rows := mustFit(t, "double:1,5", set).Rows(set)
	z := someRows(rows, 3, 17, 30)
	x, own := rows.within(z), z.within(z)
	must.Equal(t, x.Width, own.Width)
	must.Equal(t, x.Square, rows.Square)
	if x.Width >= rows.Width {
		t.Errorf("all %d columns of %d stay", x.Width, rows.Width)
	}
	if len(x.Value) >= len(rows.Value) {
		t.Errorf("all %d numbers of %d stay", len(x.Value), len(rows.Value))
	}
	if got, want := innerProducts(x, own), innerProducts(rows, z); !slices.Equal(got, want) {
		t.Errorf("products %v, want %v", got, want)
	}
	v := invert(t.Context(), own)
	for c := range own.Width {
		if v.Start[c+1] == v.Start[c] || !slices.IsSorted(v.Row[v.Start[c]:v.Start[c+1]]) {
			t.Errorf("column %d has the rows %v", c, v.Row[v.Start[c]:v.Start[c+1]])
		}
	}
}

func TestChooseInducing(t *testing.T) {
	// Three clusters, with twins and an empty sequence.
	var lines []string
	for i := range 30 {
		lines = append(lines, strings.Repeat("A", 20+i%7), strings.Repeat("AC", 10+i%5)+"T",
			strings.Repeat("GGT", 9+i%3))
	}
	lines = append(lines, "")
	set := encode(t, DNA, lines...)
	spec := must.Get(Parse("spectrum:2+double:1,3"))(t)
	for _, method := range []string{ChooseRandom, ChooseKMedoids} {
		for _, m := range []int{1, 3, 20, len(lines)} {
			a, err := ChooseInducing(t.Context(), spec, set, InducingOptions{method, m, 11})
			if err != nil || len(a) != m {
				t.Fatalf("%s chose %v, want %d: %v", method, a, m, err)
			}
			b, _ := ChooseInducing(t.Context(), spec, set, InducingOptions{method, m, 11})
			if !slices.Equal(a, b) {
				t.Errorf("%s: not the same choice twice", method)
			}
			if s := slices.Compact(slices.Sorted(slices.Values(a))); len(s) != m {
				t.Errorf("%s: a sequence is chosen twice: %v", method, a)
			}
		}
	}
	for _, bad := range []int{0, len(lines) + 1} {
		if _, err := ChooseInducing(t.Context(), spec, set, InducingOptions{ChooseRandom, bad, 1}); err == nil {
			t.Errorf("%d of %d were chosen", bad, len(lines))
		}
	}
	if _, err := ChooseInducing(t.Context(), spec, set, InducingOptions{"kmeans", 1, 1}); err == nil {
		t.Error("any method is taken")
	}
}

// TestMedoids: the result is a local optimum that the definition allows.
func TestMedoids(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	const n, m = 60, 4
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(10*(i%m)) + r.Float64()
	}
	d2 := make([]float64, n*n)
	for i := range n {
		for j := range n {
			d2[i*n+j] = (x[i] - x[j]) * (x[i] - x[j])
		}
	}
	at := medoids(t.Context(), d2, n, m) // the first four are of four clusters
	for c, i := range at {
		sum := func(i int) (s float64) {
			for j := range n {
				if j%m == c {
					s += d2[i*n+j]
				}
			}
			return s
		}
		for j := c; j < n; j += m {
			if sum(j) < sum(i) {
				t.Errorf("%d is nearer the middle of cluster %d than %d", j, c, i)
			}
		}
	}
}

// A text of more than 128 different bytes has them all as letters where they fit.
func TestManyBytes(t *testing.T) {
	var text []byte
	for c := 33; c < 256; c++ {
		text = append(text, byte(c))
	}
	set := encode(t, Bytes, string(text), "ab")
	if got, want := mustFit(t, "gapped:2,1", set).width(), 2*222; got != want {
		t.Errorf("%d features, want %d", got, want)
	}
	s, _ := Parse("gapped:11,4")
	if _, err := Fit(t.Context(), s[0], set); err == nil {
		t.Error("256^7 features under each of 330 patterns")
	}
}

// A byte that training lacks counts for the length of a vector, also one beyond the first 128.
func TestStrangeBytes(t *testing.T) {
	f := mustFit(t, "gapped:2,0", encode(t, Bytes, "abcd"))
	for text, features := range map[string]float64{"abcdz": 4, "abcdé": 5} { // é has two bytes
		if got, want := f.Rows(encode(t, Bytes, text)).Value[0], 1/math.Sqrt(features); math.Abs(got-want) > 1e-15 {
			t.Errorf("%s: one of %g features is %g, want %g", text, features, got, want)
		}
	}
}
