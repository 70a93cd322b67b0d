package seq

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestLeaveBlockOut refits without each block.
func TestLeaveBlockOut(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const n, columns = 131, 2 // more than two panels
	targets := Targets{Columns: columns}
	k, x := make([]float64, n*n), make([]float64, n)
	for i := range x {
		x[i] = 3 * r.Float64()
		targets.Values = append(targets.Values, math.Sin(x[i])+5, r.Float64())
	}
	l := newLOO(targets, r.Perm(n))
	for i := range n {
		for j := range n {
			k[i*n+j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]))
		}
		k[i*n+i] += 0.1
	}
	got := l.predict(slices.Clone(k))
	for _, b := range [][]int{l.blocks[0], l.blocks[7], l.blocks[leaveOut-1]} {
		var rest []int
		for i := range n {
			if !slices.Contains(b, i) {
				rest = append(rest, i)
			}
		}
		g := mat.NewSymDense(len(rest), nil)
		for u, i := range rest {
			for v, j := range rest[:u+1] {
				g.SetSym(u, v, k[i*n+j])
			}
		}
		var chol mat.Cholesky
		chol.Factorize(g)
		for _, i := range b {
			cross, weights := mat.NewVecDense(len(rest), nil), new(mat.VecDense)
			for u, j := range rest {
				cross.SetVec(u, k[i*n+j])
			}
			must.OK(t, chol.SolveVecTo(weights, cross))
			if want := k[i*n+i] - mat.Dot(weights, cross); math.Abs(got.variance[i]-want) > 1e-10 {
				t.Errorf("row %d: variance %g, want %g", i, got.variance[i], want)
			}
			for c := range columns {
				want := l.centred[c*n+i]
				for u, j := range rest {
					want -= weights.AtVec(u) * l.centred[c*n+j]
				}
				if math.Abs(got.residual[i*columns+c]-want) > 1e-9 {
					t.Errorf("row %d: residual %g, want %g", i, got.residual[i*columns+c], want)
				}
			}
		}
	}
}

// TestBlocks: neighbours in a file are left out together, a share of each class at a time, and
// every row once.
func TestBlocks(t *testing.T) {
	const n = 400
	targets, places := Targets{Columns: 2, Classes: true, Values: make([]float64, 2*n)},
		rand.New(rand.NewPCG(4, 4)).Perm(n)
	for i, p := range places {
		class := 0 // the last 100 rows of the file are of class 1
		if p >= 300 {
			class = 1
		}
		targets.Values[2*i+class] = 1
	}
	seen := 0
	for b, rows := range blocks(targets, places) {
		var at []int
		for _, i := range rows {
			at = append(at, places[i])
		}
		slices.Sort(at)
		var want []int
		for k := range 15 {
			want = append(want, 15*b+k)
		}
		for k := range 5 {
			want = append(want, 300+5*b+k)
		}
		if !slices.Equal(at, want) {
			t.Errorf("block %d: %v, want %v", b, at, want)
		}
		seen += len(rows)
	}
	if seen != n {
		t.Errorf("%d rows of %d", seen, n)
	}
	few := Targets{Columns: 1, Values: []float64{1, 2, 3}}
	if got := blocks(few, []int{9, 2, 5}); len(got) != 3 {
		t.Errorf("of three rows: %v", got)
	}
}

// TestSelectNeighbours: neighbours in the file are copies of each other with small changes. A map
// that only recognises copies is not chosen.
func TestSelectNeighbours(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where other choices are tested")
	}
	r, p := rand.New(rand.NewPCG(6, 6)), &problem{kind: Bytes}
	for group := range 40 {
		x := letters(r, "abcdefghijklmnopqrstuvwxyz", 60)
		for range 12 {
			y := slices.Clone(x)
			y[r.IntN(len(y))] = 'z'
			p.classify(string(y), group%2 == 1)
		}
	}
	if found := p.selected(t); found.Scores[0].Errors < 0.3 { // nothing tells new groups
		t.Errorf("%s", strings.Join(found.Notes(), "\n"))
	}
}

// TestCalibrated: at the link that fits best, the likelihood does not change with slope and
// offsets, by central differences.
func TestCalibrated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const n, columns = 400, 3
	targets := Targets{Columns: columns, Classes: true, Values: make([]float64, n*columns)}
	score := make([]float64, n*columns)
	for i := range n {
		class := min(2, r.IntN(8)/3)
		targets.Values[i*columns+class] = 1
		for c := range columns {
			score[i*columns+c] = 0.3 * r.NormFloat64()
		}
		score[i*columns+class] += 0.4
	}
	l := newLOO(targets, places(targets.n()))
	prob := l.calibrated(score)
	// log density of logits moved by step·direction
	density := func(step float64, direction func(i, c int) float64) (sum float64) {
		for i := range n {
			row, zero := make([]float64, columns), make([]float64, columns)
			for c := range columns {
				zero[c] = math.Log(prob[i*columns+c]) + step*direction(i, c)
			}
			softmax(row, zero, 1, make([]float64, columns))
			sum += math.Log(row[l.class(i)])
		}
		return sum / n
	}
	directions := []func(i, c int) float64{func(i, c int) float64 { return score[i*columns+c] }}
	for at := range columns {
		directions = append(directions, func(_, c int) float64 { return map[bool]float64{true: 1}[c == at] })
	}
	for d, direction := range directions {
		if slope := (density(1e-4, direction) - density(-1e-4, direction)) / 2e-4; math.Abs(slope) > 1e-5 {
			t.Errorf("direction %d: slope %g", d, slope)
		}
	}
}

// TestAreas: the area under the curve by all pairs, with ties.
func TestAreas(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const n = 60
	targets, score := Targets{Columns: 2, Classes: true, Values: make([]float64, 2*n)}, make([]float64, 2*n)
	for i := range n {
		targets.Values[2*i+i%2], score[2*i+1] = 1, float64(r.IntN(10)+i%2*2)
	}
	l := newLOO(targets, places(targets.n()))
	want := 0.0
	for i := 1; i < n; i += 2 {
		for j := 0; j < n; j += 2 {
			switch a, b := score[2*i+1], score[2*j+1]; {
			case a > b:
				want++
			case a == b:
				want += 0.5
			}
		}
	}
	if got := l.auc(score, 1); math.Abs(got-want*4/(n*n)) > 1e-12 {
		t.Errorf("%g, want %g", got, want*4/(n*n))
	}
	for i := range n / 2 { // scores that are no numbers come last, and to an end
		score[4*i+1] = math.NaN()
	}
	l.auc(score, 1)
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

// TestSelectPositions: in DNA of one length, the symbols at fixed places decide; what is where is
// all that counts.
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

// TestSelectCapitals: where capitals carry a meaning, they are not folded, and how many there are
// is seen.
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

// TestSelectRare: enough rows of a rare class are drawn. Its map is found by density, where the
// number of errors is the same for all maps.
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
	if rare != 25 || early < 10 || early > 15 || len(rows) > 820 {
		t.Errorf("%d rows, %d rare ones, %d of them early", len(rows), rare, early)
	}
	if found := p.selected(t); found.Scores[0].AUC < 0.99 || found.Scores[0].Rows != len(rows) {
		t.Errorf("%s", strings.Join(found.Notes(), "\n"))
	}
}

// TestSelectFamily: held-out rows choose the map of a protein family, whose mark is six residues of
// which two change.
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

// TestSelectTime: with a time limit the best so far is taken; without, what is not tried does not
// depend on the clock; and a context ends it at once.
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
	if err != nil || found.Spec.String() != specs[0].String() ||
		len(found.Late)+len(found.Costly) != len(specs) || time.Since(start) > time.Second {
		t.Errorf("%v, %v after %s", found, err, time.Since(start))
	}
	if notes := strings.Join(found.Notes(), "\n"); !strings.Contains(notes, "not tried, since ") {
		t.Error(notes)
	}
	found, err = Select(t.Context(), specs, set, p.targets, 1, 10*time.Second)
	if err != nil || len(found.Late)+len(found.Costly) == 0 || time.Since(start) > 5*time.Second {
		t.Errorf("%v, %v after %s", found, err, time.Since(start))
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

// TestCandidates: candidates fit their alphabets, and candidates with positions are for
// sequences of one length.
func TestCandidates(t *testing.T) {
	for _, k := range symbolKinds() {
		set := encode(t, k, randomLines(k, 10, 10, 1)...)
		specs := Candidates(set)
		if len(specs) < 2 {
			t.Errorf("%s has %d candidates", k, len(specs))
		}
		for _, s := range specs {
			for _, term := range s {
				if _, err := Fit(t.Context(), term, set); err != nil {
					t.Errorf("%s over %s: %v", s, k, err)
				}
				if m, _ := mapNamed(term.Map); m.Positions {
					t.Errorf("%s of sequences of many lengths", s)
				}
			}
		}
	}
}
