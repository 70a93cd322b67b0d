package data

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// sdfOf returns an SDF file of methane and others, each with a title and items.
func sdfOf(molecules ...[]string) string {
	const block = "%s\n\n\n  1  0  0  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 C   0  0\nM  END\n"
	var b strings.Builder
	for _, m := range molecules {
		fmt.Fprintf(&b, block, m[0])
		for i := 1; i < len(m); i += 2 {
			b.WriteString("> <" + m[i] + ">\n" + m[i+1] + "\n\n")
		}
		b.WriteString(endOfMolecule + "\n")
	}
	return b.String()
}

// known counts the targets that are not missing.
func known(y []float64) (n int) {
	for _, v := range y {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n
}

// Molecules and graphs may have several targets, which are items or keys.
func TestSeveralTargetsOfGraphs(t *testing.T) {
	sdf := sdfOf([]string{"one", "a", "1", "b", "0.5", "key", "k1"}, []string{"two", "b", "1.5", "a", "2"},
		[]string{"", "a", "3"})
	lines := `{"nodes":1,"edges":[],"a":1,"b":0.5}` + "\n" + `{"b":1.5,"nodes":1,"edges":[],"a":2}` + "\n" +
		`{"nodes":1,"edges":[],"a":3,"b":null,"name":"x"}`
	for name, text := range map[string]string{"SDF": sdf, "JSON": lines} {
		t.Run(name, func(t *testing.T) {
			d, notes, err := readText(text, ReadOptions{Target: "a,b"})
			must.OK(t, err)
			must.Contain(t, fmt.Sprint(notes), "1 row without a target left out, 2 stay")
			must.Equal(t, d.Y, []float64{1, 0.5, 2, 1.5})
			must.Equal(t, d.Targets, []string{"a", "b"})
			must.Equal(t, d.Target, "a,b")
			must.Equal(t, d.N(), 2)
			s := d.Schema()
			must.OK(t, s.Check())

			p, notes, err := readText(text, ReadOptions{Schema: &s, TargetOptional: true})
			must.OK(t, err)
			must.Contain(t, fmt.Sprint(notes), "1 of 3 rows")
			must.Equal(t, []int{p.N(), known(p.Y)}, []int{3, 2 * 2})

			p, notes, err = readText(strings.ReplaceAll(text, "a", "c"), ReadOptions{Schema: &s, TargetOptional: true})
			must.OK(t, err)
			must.Lack(t, fmt.Sprint(notes), "1 of 3 rows")
			must.Equal(t, []int{p.N(), known(p.Y)}, []int{3, 0})

			one := dataset(readText(text, ReadOptions{Target: "a"}))(t)
			must.Equal(t, one.Target, "a")
			must.Equal(t, one.N(), 3)
			wantError(t, "", errorOf(readText(text, ReadOptions{Target: "a,a"})), strings.Contains, "twice")
			wantError(t, "", errorOf(readText(text, ReadOptions{Target: "a,z"})), strings.Contains, "z")
		})
	}
	if _, _, err := readText(sdf, ReadOptions{Target: "a,key"}); err == nil {
		t.Error("a word is not a number")
	}
	file := write(t, "labels.txt", "1\n2\n3\n")
	wantError(t, "", errorOf(readText(lines, ReadOptions{Target: "a,b", Labels: file})), strings.Contains,
		"holds one target of each row, and several are asked for")
}

// The first line of a molecule, or an item that is asked for, is copied to predictions.
func TestNamesOfMolecules(t *testing.T) {
	sdf := sdfOf([]string{"one", "a", "1", "key", "k1"}, []string{"two", "a", "2"}, []string{"", "a", "3.5"})
	d, _, err := readText(sdf, ReadOptions{Target: "a"})
	if err != nil || d.ID() != "name" || fmt.Sprintf("%q", d.IDs()) != `["one" "two" ""]` {
		t.Errorf("%q, %v", d.IDs(), err)
	}
	byKey := ReadOptions{Target: "a", TableOptions: TableOptions{ID: "key"}}
	if d, _, err = readText(sdf, byKey); err != nil || d.ID() != "key" || fmt.Sprintf("%q", d.IDs()) != `["k1" "" ""]` {
		t.Errorf("%q, %v", d.IDs(), err)
	}
	s := d.Schema()
	if d, _, err = readText(sdf, ReadOptions{Schema: &s, TargetOptional: true}); err != nil || d.ID() != "key" {
		t.Errorf("%q, %v", d.IDs(), err)
	}
	byKey.ID = "kez"
	if _, _, err = readText(sdf, byKey); err == nil ||
		!strings.Contains(err.Error(), `has no item "kez", which names the rows (did you mean "key"?)`) {
		t.Error(err)
	}
	for _, labels := range []string{"1\t0.5\n2\t1.5\n3\t2\n", "0.5\n1.5\n2\n"} {
		d, _, err := readText(sdf, ReadOptions{Labels: write(t, "labels.txt", labels)})
		if err != nil || fmt.Sprint(d.Y) != "[0.5 1.5 2]" {
			t.Errorf("%q: %v, %v", labels, d, err)
		}
	}
}
