package philox

import (
	"math"
	"testing"
)

// The known answers of the Random123 distribution (kat_vectors, philox4x32 10).
func TestKnownAnswers(t *testing.T) {
	const ff = 0xffffffff
	for _, c := range []struct {
		ctr  [4]uint32
		key  [2]uint32
		want [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{ff, ff, ff, ff}, [2]uint32{ff, ff}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := Block(c.key, c.ctr); got != c.want {
			t.Errorf("Block(%x, %x) = %x, want %x", c.key, c.ctr, got, c.want)
		}
	}
}

// Element i of a row is word i mod 4 of the block {i/4, c1, c2, c3}.
func TestAddressing(t *testing.T) {
	key := [2]uint32{7, 8}
	for i := range 11 {
		w := Block(key, [4]uint32{uint32(i / 4), 1, 2, 3})
		if got := Uint32(key, 1, 2, 3, i); got != w[i%4] {
			t.Fatalf("word %d: %x, want %x", i, got, w[i%4])
		}
		if got, want := Normal(key, 1, 2, 3, i), Normals(w)[i%4]; got != want {
			t.Fatalf("normal %d: %g, want %g", i, got, want)
		}
	}
}

// The ends of the transform: the smallest u1 is 2⁻²⁴, the largest gives exactly 0, and u2 is an angle.
func TestNormalsEnds(t *testing.T) {
	z := Normals([4]uint32{0, 0, 0xffffffff, 0x40000000})
	if want := math.Sqrt(48 * math.Ln2); math.Abs(z[0]-want) > 1e-15*want || z[1] != 0 {
		t.Errorf("smallest u1: %v, want %g and 0", z[:2], want)
	}
	if z[2] != 0 || z[3] != 0 {
		t.Errorf("u1 = 1: %v, want zeros", z[2:])
	}
	z = Normals([4]uint32{0, 0x40000000, 0, 0x80000000})
	if math.Abs(z[0]) > 1e-15 || z[1] < 5.7 || z[2] > -5.7 || math.Abs(z[3]) > 1e-14 {
		t.Errorf("quarter and half turns: %v", z)
	}
}

// momentsOfNormals checks the first moments of n numbers, within five standard errors of normals.
func momentsOfNormals(t *testing.T, name string, z []float64) {
	t.Helper()
	n := float64(len(z))
	for k, want := range []float64{1, 0, 1, 0, 3} {
		m := 0.0
		for _, v := range z {
			m += math.Pow(v, float64(k)) / n
		}
		if se := math.Sqrt([]float64{0, 1, 2, 15, 96}[k] / n); math.Abs(m-want) > 5*se+1e-9 {
			t.Errorf("%s, moment %d: %g, want %g ± %g", name, k, m, want, 5*se)
		}
	}
}

func TestMoments(t *testing.T) {
	const n = 1 << 18
	all, lag, last := []float64{}, 0.0, 0.0
	for i := range n / 4 {
		for _, z := range Normals(Block([2]uint32{1, 2}, [4]uint32{uint32(i), 3, 4, 5})) {
			all = append(all, z)
			lag += z * last / n
			last = z
		}
	}
	momentsOfNormals(t, "normals", all)
	if math.Abs(lag) > 5/math.Sqrt(n) {
		t.Errorf("neighbours correlate: %g", lag)
	}
}

func TestPermutation(t *testing.T) {
	p := make([]int32, 1000)
	Permutation(p, [2]uint32{1, 2}, 3, 4, 5)
	seen := make([]bool, len(p))
	fixed := 0
	for i, v := range p {
		if seen[v] {
			t.Fatalf("%d appears twice", v)
		}
		seen[v] = true
		if int(v) == i {
			fixed++
		}
	}
	if fixed > 10 {
		t.Errorf("%d fixed points in a random order of 1000", fixed)
	}
	// every number is equally likely in every place
	const draws = 20000
	var count [3][3]int
	for s := range uint32(draws) {
		var q [3]int32
		Permutation(q[:], [2]uint32{s, 2}, 3, 4, 5)
		for i, v := range q {
			count[i][v]++
		}
	}
	for i := range count {
		for v, c := range count[i] {
			if math.Abs(float64(c)-draws/3.0) > 5*math.Sqrt(draws*2.0/9) {
				t.Errorf("number %d in place %d: %d times of %d", v, i, c, draws)
			}
		}
	}
}

func BenchmarkNormals(b *testing.B) {
	for i := range b.N {
		Normals(Block([2]uint32{1, 2}, [4]uint32{uint32(i)}))
	}
}

// Each number follows from its word, also in a block that is not whole.
func TestBelow(t *testing.T) {
	got := make([]int32, 7)
	Below(got, 10, [2]uint32{1, 2}, 3, 4, 5)
	for i, v := range got {
		if want := int32(uint64(Uint32([2]uint32{1, 2}, 3, 4, 5, i)) * 10 >> 32); v != want {
			t.Errorf("number %d is %d, want %d", i, v, want)
		}
	}
}
