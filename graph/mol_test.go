package graph

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

const v3000 = `benzyl


  0  0  0     0  0            999 V3000
M  V30 BEGIN CTAB
M  V30 COUNTS 4 3 0 0 0
M  V30 BEGIN ATOM
M  V30 7 C 0 0 0 0
M  V30 2 N 0 0 0 0 CHG=1 -
M  V30 MASS=15
M  V30 3 C 0 0 0 0
M  V30 9 O 0 0 0 0 CHG=-1
M  V30 END ATOM
M  V30 BEGIN BOND
M  V30 1 1 7 2
M  V30 2 2 2 3
M  V30 3 4 9 2
M  V30 END BOND
M  V30 BEGIN SGROUP
M  V30 1 DAT 0 ATOMS=(1 7)
M  V30 END SGROUP
M  V30 END CTAB
M  END
`

func TestMol3000(t *testing.T) {
	g, err := Parse([]byte(v3000))
	if err != nil || g.molecule() != "C 15n+ C o- 0-1 1=2 1:3" {
		t.Fatalf("%v, %v", g, err)
	}
	for _, c := range []struct{ from, to, msg string }{
		{"COUNTS 4 3", "COUNTS 5 3", "with 4 atoms and 3 bonds, and its COUNTS say 5 and 3"},
		{"M  V30 3 4 9 2", "M  V30 3 4 9 4", "a bond to an atom that does not exist"},
		{"M  V30 3 4 9 2", "M  V30 3 9 9 2", "a bond of type 9"},
		{"M  V30 3 4 9 2", "M  V30 3 4", "where a bond belongs"},
		{"M  V30 7 C 0 0 0 0", "M  V30 7 C", "where an atom belongs"},
		{"M  V30 7 C 0", "M  V30 2 C 0", "where an atom belongs: a new number"},
		{"CHG=-1", "CHG=x", "an atom whose CHG is not a whole number"},
	} {
		text := strings.Replace(v3000, c.from, c.to, 1)
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), c.msg) {
			t.Errorf("%s: %v, want %s", c.to, err, c.msg)
		}
	}
}

// Version V2000 has differences of mass in its atoms, and radicals that replace their charges.
func TestMolOldColumns(t *testing.T) {
	const atom, bonds = "    0.0000    0.0000    0.0000 ", "  1  2  1  0\n"
	for _, c := range []struct{ first, second, properties, want string }{
		{"C   1  0", "H   1  0", "", "13C 2H 0-1"},
		{"N  -1  3", "C   0  0", "", "13N+ C 0-1"},
		{"C   1  0", "C   0  0", "M  ISO  1   1  14\n", "14C C 0-1"},
		{"C   0  5", "C   0  4", "M  RAD  1   2   2\n", "C C 0-1"},
		{"Fe  1  0", "C   0  0", "",
			"Fe C 0-1 atom 1, Fe, has a difference of mass, which a line M  ISO can tell as an isotope"},
	} {
		g, err := Parse([]byte("\n\n\n  2  1  0  0  0  0            999 V2000\n" + atom + c.first + "\n" + atom +
			c.second + "\n" + bonds + c.properties + "M  END\n"))
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		} else if got := strings.TrimSpace(g.molecule() + " " + strings.Join(g.Warnings, "; ")); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// A folder ends where it would take too much memory.
func TestMostLines(t *testing.T) {
	defer func(most int) { maxLines = most }(maxLines)
	maxLines = 3
	set := filepath.Join(t.TempDir(), "DS")
	for end, text := range map[string]string{endEdges: "1, 2\n", endIndicator: "1\n1\n1\n1\n", endGraphLabels: "0\n"} {
		must.OK(t, os.WriteFile(set+end, []byte(text), 0o600))
	}
	const want = "indicator.txt:4: there are more than 3"
	if _, err := ReadTUDataset(set, false); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
