package seq

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func TestFrames(t *testing.T) {
	set := encode(t, Vectors, "1,2;3,4;1.0, 2e0", " -0,.5 ; 3,4\n", "0,0.5")
	if a := set.Alphabet; a.Letters != 3 || a.Width != 2 || !slices.Equal(a.Frames, []float32{1, 2, 3, 4, 0, 0.5}) {
		t.Errorf("%+v", a)
	}
	if !slices.Equal(set.Codes, []int32{0, 1, 0, 2, 1, 2}) || set.Alphabet.Text(set.At(1)) != "0,0.5;3,4" {
		t.Errorf("%v, %s", set.Codes, set.Alphabet.Text(set.At(1)))
	}
	for _, c := range []struct{ text, want string }{
		{"1,2;3,4,5", "4: a vector of 3 numbers, and those before have 2"},
		{"1,2;3", "4: a vector of 1 numbers, and those before have 2"},
		{"1,2;3,x", `6: found "x": vectors hold finite numbers`},
		{"1,2; 3, NaN", `8: found "NaN"`},
		{"1,Inf", `2: found "Inf"`},
		{"1,1e99", `2: found "1e99"`},
		{"1,;2,3", `2: found ""`},
		{"1,2;", `4: found ""`},
	} {
		t.Run(c.text, func(t *testing.T) {
			e := NewEncoder(Vectors)
			must.OK(t, e.Add([]byte("7,8")))
			err := e.Add([]byte(c.text))
			var bad *SymbolError
			if !errors.As(err, &bad) {
				t.Fatalf("%v is no error about a symbol", err)
			}
			if got := fmt.Sprintf("%d: %v", bad.At, err); !strings.HasPrefix(got, c.want[:3]) ||
				!strings.Contains(got, c.want[3:]) {
				t.Errorf("%s, want %s", got, c.want)
			}
			if after, _ := e.Set(); after.N() != 1 || len(after.Codes) != 1 {
				t.Errorf("%q left %v", c.text, after)
			}
		})
	}
	// Another file of the same kind: vectors that are known have their codes.
	e := EncoderFor(set.Alphabet)
	must.OK(t, e.Add([]byte("9,9;3,4")))
	if more, _ := e.Set(); !slices.Equal(more.Codes, []int32{3, 1}) || set.Alphabet.Letters != 3 {
		t.Errorf("codes %v, %d vectors of the first set", more.Codes, set.Alphabet.Letters)
	}
	if err := e.Add([]byte("1,2,3")); err == nil {
		t.Error("a vector of another width than those of the training data is read")
	}
	if _, err := Fit(t.Context(), Term{Map: "spectrum", Args: []int{1}}, set); err == nil ||
		!strings.Contains(err.Error(), "(codebook=N)") {
		t.Errorf("vectors are counted: %v", err)
	}
}

// FuzzFrames: any text is read or refused, and what was read is written so that it is read again.
func FuzzFrames(f *testing.F) {
	for _, text := range []string{"1,2;3,4", "1;2;;", "nan", "1e-50,-0;3,1e38", ",,;", "0x1p-2"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		e := NewEncoder(Vectors)
		if e.Add(text) != nil {
			return
		}
		set, _ := e.Set()
		must.OK(t, e.Add([]byte(set.Alphabet.Text(set.At(0)))))
		if again, _ := e.Set(); !slices.Equal(again.At(0), again.At(1)) {
			t.Fatalf("%q: %v, again %v", text, again.At(0), again.At(1))
		}
	})
}

// groups returns sequences of vectors around three points that are far apart, and the number of the point of each.
func groups(t testing.TB, scale float64, seed uint64) (set *Set, point []int) {
	r := rand.New(rand.NewPCG(seed, 8))
	var lines []string
	for range 40 {
		var line []string
		for range 1 + r.IntN(9) {
			p := r.IntN(3)
			point = append(point, p)
			line = append(line, fmt.Sprintf("%g,%g,7", float64(p)*10+r.NormFloat64(),
				scale*(float64(p*p)*8+r.NormFloat64())))
		}
		lines = append(lines, strings.Join(line, ";"))
	}
	return encode(t, Vectors, lines...), point
}

// A codebook finds groups, whatever the scale of a number, is the same on any number of processors, and after it was
// written and read.
func TestCodebook(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	set, point := groups(t, 1, 1)
	book := must.Get(FitCodebook(t.Context(), set, 3, 5))(t)
	coded := book.Encode(set)
	if coded.Alphabet.Kind != Integers || coded.Alphabet.Letters != 3 || !slices.Equal(coded.Start, set.Start) {
		t.Fatalf("%+v", coded.Alphabet)
	}
	names := map[int]int32{}
	for i, p := range point {
		if c, known := names[p]; known && c != coded.Codes[i] {
			t.Fatalf("vector %d of group %d has the code %d and not %d", i, p, coded.Codes[i], c)
		}
		names[p] = coded.Codes[i]
	}
	codes := slices.Compact(slices.Sorted(maps.Values(names)))
	if len(names) != 3 || len(codes) != 3 {
		t.Errorf("groups have the codes %v", names)
	}
	scaled, _ := groups(t, 1024, 1)
	other, err := FitCodebook(t.Context(), scaled, 3, 5)
	if err != nil || !slices.Equal(other.Encode(scaled).Codes, coded.Codes) {
		t.Errorf("a number that is 1024 times larger has other codes, %v", err)
	}
	large := must.Get(FitCodebook(t.Context(), set, 40, 5))(t)
	for _, n := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(n)
		again, _ := FitCodebook(t.Context(), set, 40, 5)
		if !slices.Equal(again.Centres, large.Centres) {
			t.Fatalf("%d processors learn another codebook", n)
		}
	}
	text := must.Get(json.Marshal(large))(t)
	var read Codebook
	if err := json.Unmarshal(text, &read); err != nil || read.Check() != nil ||
		!slices.Equal(read.Encode(set).Codes, large.Encode(set).Codes) {
		t.Errorf("after it was read: %v, %v", err, read.Check())
	}
	read.Centres = read.Centres[1:]
	if read.Check() == nil {
		t.Error("a damaged codebook passes")
	}
	few := encode(t, Vectors, "1,2;1,2;3,4", "3,4")
	if book, err := FitCodebook(t.Context(), few, 3, 1); err != nil || book.Letters() != 2 {
		t.Errorf("%d centres of two vectors: %v", book.Letters(), err)
	}
	if book, err := FitCodebook(t.Context(), encode(t, Vectors, "1,2;1,2"), 3, 1); err != nil ||
		book.Check() != nil || !slices.Equal(book.Centres, []float32{0, 0}) {
		t.Errorf("a single vector: %+v, %v", book, err)
	}
}
