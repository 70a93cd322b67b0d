package graph

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// molecule writes a graph as text: atoms, and bonds as a-b.
func (g *Graph) molecule() string {
	var b strings.Builder
	b.WriteString(strings.Join(g.Labels, " "))
	for _, e := range g.Edges {
		fmt.Fprintf(&b, " %d%s%d", e.From, e.Label, e.To)
	}
	return b.String()
}

func TestSMILES(t *testing.T) {
	for text, want := range map[string]string{
		"C":                    "C",
		" CCO \n":              "C C O 0-1 1-2",
		"C=O":                  "C O 0=1",
		"N#N":                  "N N 0#1",
		"C$C":                  "C C 0$1",
		"ClCBr":                "Cl C Br 0-1 1-2",
		"CC(=O)[O-]":           "C C O O- 0-1 1=2 1-3",
		"[Na+].[Cl-]":          "Na+ Cl-",
		"[Fe+3].[Fe+++].[O-2]": "Fe+3 Fe+3 O-2",
		"[13CH4]":              "13C",
		"[02H]O[0CH3]":         "2H O C 0-1 1-2",
		"[2H]O[2H]":            "2H O 2H 0-1 1-2",
		"N[C@@H](C)C(=O)O":     "N C C C O O 0-1 1-2 1-3 3=4 3-5",
		"[C@TH1H](F)(Cl)Br":    "C F Cl Br 0-1 0-2 0-3",
		"F/C=C\\F":             "F C C F 0-1 1=2 2-3",
		"C1CC1":                "C C C 0-1 0-2 1-2",
		"C=1CC=1":              "C C C 0-1 0=2 1-2",
		"C=1CC1":               "C C C 0-1 0=2 1-2",
		"C%12CC%12":            "C C C 0-1 0-2 1-2",
		"C1CCC2CCCCC2C1":       "C C C C C C C C C C 0-1 0-9 1-2 2-3 3-4 3-8 4-5 5-6 6-7 7-8 8-9",
		"C1CC1C1CC1":           "C C C C C C 0-1 0-2 1-2 2-3 3-4 3-5 4-5",
		"c1ccccc1":             "c c c c c c 0:1 0:5 1:2 2:3 3:4 4:5",
		"[cH:1]1[cH:2][cH:3]1": "c c c 0:1 0:2 1:2",
		"[cH]1[13cH]c1":        "c 13c c 0:1 0:2 1:2",
		"[CH3:1][OH:2]":        "C O 0-1",
		" CCO ethanol (pure)":  "C C O 0-1 1-2",
		"CN |$R1$|\r\n":        "C N 0-1",
		"CN\tamine":            "C N 0-1",
		"c1cc[nH]c1":           "c c c nH c 0:1 0:4 1:2 2:3 3:4",
		"c1ccccc1-c1ccccc1":    "c c c c c c c c c c c c 0:1 0:5 1:2 2:3 3:4 4:5 5-6 6:7 6:11 7:8 8:9 9:10 10:11",
		"C(C(C)(C)C)C":         "C C C C C C 0-1 0-5 1-2 1-3 1-4",
		"*C":                   "* C 0-1",
		"[se]1cccc1":           "se c c c c 0:1 0:4 1:2 2:3 3:4",
		"[si]1ccccc1":          "si c c c c c 0:1 0:5 1:2 2:3 3:4 4:5",
		"[CH3:7][OH]":          "C O 0-1",
		"C12CC1C2":             "C C C C 0-1 0-2 0-3 1-2 2-3",
		"[OH3+]":               "O+",
		"O=C([O-])C.[NH4+]":    "O C O- C N+ 0=1 1-2 1-3",
	} {
		g, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := g.molecule(); got != want || len(g.Warnings) > 0 {
			t.Errorf("%s is %s, want %s; %v", text, got, want, g.Warnings)
		}
	}
}

func TestBadSMILES(t *testing.T) {
	for _, c := range []struct {
		text string
		at   int
		msg  string
	}{
		{"", 0, "a graph without nodes"},
		{"C1CC", 1, "ring 1, which is not closed"},
		{"C1CC2", 1, "ring 1, which is not closed"},
		{"CC(C", 2, "a branch that is not closed"},
		{"CC)C", 2, "a closing bracket where no branch ends"},
		{"(C)C", 0, "a branch without an atom before it"},
		{"C()C", 1, "an empty branch"},
		{"C=", 1, "a bond without an atom after it"},
		{"=C", 0, "a bond without an atom before it"},
		{"C==C", 2, "a bond without an atom before it"},
		{"C(=)C", 3, "a closing bracket where no branch ends"},
		{"C.", 1, "a dot without an atom after it"},
		{".C", 0, "a dot without an atom before it"},
		{"[C", 0, "a bracket that is not closed"},
		{"C[Xx]", 1, "which is not an atom in brackets"},
		{"[]", 0, "which is not an atom in brackets"},
		{"[C@@@H](C)N", 0, "which is not an atom in brackets"},
		{"[CH3+x]", 0, "which is not an atom in brackets"},
		{"[C+99]", 0, "which is not an atom in brackets"},
		{"C11", 2, "a ring of a single atom"},
		{"C=1CC#1", 6, "ring 1, which opens with the bond = and closes with #"},
		{"C%1", 1, "less than two digits"},
		{"C%12CC", 1, "ring 12, which is not closed: write %12 at the atom"},
		{"1CC1", 0, "the number of a ring without an atom before it"},
		{"CXC", 1, "where an atom belongs"},
		{"CO>>C=O", 2, "a > of a reaction or a dative bond, which are not read"},
		{"N->[Fe]", 2, "a > of a reaction or a dative bond, which are not read"},
		{"C!C", 1, "where an atom belongs"},
		{"Cé", 1, "where an atom belongs"},
	} {
		_, err := Parse([]byte(c.text))
		bad, ok := err.(*Error)
		if !ok || bad.At != c.at || !strings.Contains(bad.Msg, c.msg) {
			t.Errorf("%q: %+v, want byte %d: %s", c.text, err, c.at, c.msg)
		}
	}
}

// Too many bonds are a warning; the valences of chemists are not.
func TestValence(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"C(C)(C)(C)(C)C", "atom 1, C, has 5 bonds, and 4 are usual"},
		{"CF(C)", "atom 2, F, has 2 bonds, and 1 are usual"},
		{"O(C)(C)C", "atom 1, O, has 3 bonds, and 2 are usual"},
		{"[O+](C)(C)C", ""},
		{"CN(=O)=O", ""},
		{"C[N+](C)(C)C", ""},
		{"OS(=O)(=O)O", ""},
		{"OCl(=O)(=O)=O", ""},
		{"c1ccc2ccccc2c1", ""},
		{"Cn1cnc2c1c(=O)[nH]c(=O)n2", ""},
		{"[Cu](C)(C)(C)(C)(C)C", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			g, err := Parse([]byte(c.text))
			if err != nil {
				t.Fatalf("%v", err)
			}
			if got := strings.Join(g.Warnings, "; "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A MOL block has the labels of SMILES: charges of atoms and of properties, isotopes, aromatic bonds.
func TestMol(t *testing.T) {
	block := `benzoate


  4  3  0  0  0  0            999 V2000
    0.0000    0.0000    0.0000 C   0  0
    0.0000    0.0000    0.0000 C   0  0
    0.0000    0.0000    0.0000 O   0  5
    0.0000    0.0000    0.0000 N   0  3
  1  2  4  0
  2  3  1  0
  3  4  2  0
%sM  END
`
	for properties, want := range map[string]string{
		"":                            "c c O- N+ 0:1 1-2 2=3",
		"M  CHG  1   1  -2\n":         "c-2 c O N 0:1 1-2 2=3",
		"M  ISO  2   1  13   3  18\n": "13c c 18O- N+ 0:1 1-2 2=3",
	} {
		g := must.Get(Parse([]byte(fmt.Sprintf(block, properties))))(t)
		if got := g.molecule(); got != want {
			t.Errorf("%q: %s, want %s", properties, got, want)
		}
	}
	for properties, want := range map[string]string{
		"M  CHG  1   9  -2\n": "pairs of an atom and its value",
		"M  CHG  2   1  -2\n": "pairs of an atom and its value",
	} {
		if _, err := Parse([]byte(fmt.Sprintf(block, properties))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", properties, err)
		}
	}
}

// A symbol that is no element is a label with a warning, also of an aromatic atom.
func TestMolSymbols(t *testing.T) {
	block := "\n\n\n  2  1  0  0  0  0            999 V2000\n" +
		"    0.0000    0.0000    0.0000 Q   0  0\n    0.0000    0.0000    0.0000 D   0  0\n  1  2  4  0\nM  END\n"
	g := must.Get(Parse([]byte(block)))(t)
	must.Equal(t, fmt.Sprint(g.molecule(), g.Warnings), "Q 2H 0:1[atom 1, Q, is not an element]")
	if !IsAtom(g.Labels[1]) {
		t.Error("deuterium is not an atom")
	}
}

// FuzzParse: no text makes a reader panic, and what is read holds together.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"c1ccccc1O", "C%12CC%12", "[13CH3-:2]",
		`{"nodes": ["C"], "edges": [[0, 0, "x"]], "values": [[1]]}`, "a\nb\nc\n  1  0  0 V2000\n",
		v3000, "[H]C1=CC=CC=C1N(=O)=O", "C1=CC=C2C=CC=C2C=C1", "((a:1,b)c,'d''e')f;", "(A (B c) d)"} {
		f.Add([]byte(text))
	}
	label := func(string) int32 { return 0 }
	f.Fuzz(func(t *testing.T, text []byte) {
		if g, err := Parse(text); err == nil {
			g.Values = nil
			g.Standardise()
			if err := Check(g.Append(nil, label, nil), 1); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
		if tree, err := ParseTree(text); err == nil {
			if err := CheckTree(tree.Append(nil, label), 1); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

// TestRDKit: molecules are the same as RDKit reads (testdata/molecules.py).
func TestRDKit(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/molecules.json"))(t)
	var golden struct {
		Molecules []struct {
			Smiles string
			Nodes  []string
			Edges  [][]any
		}
	}
	must.OK(t, json.Unmarshal(text, &golden))
	if len(golden.Molecules) < 70 {
		t.Fatalf("%d molecules", len(golden.Molecules))
	}
	for _, m := range golden.Molecules {
		g, err := Parse([]byte(m.Smiles))
		if err != nil {
			t.Errorf("%s: %v", m.Smiles, err)
			continue
		}
		edges := [][]any{}
		for _, e := range g.Edges {
			edges = append(edges, []any{float64(e.From), float64(e.To), e.Label})
		}
		if !slices.Equal(g.Labels, m.Nodes) || !reflect.DeepEqual(edges, m.Edges) {
			t.Errorf("%s: nodes %v, edges %v; by RDKit %v, %v", m.Smiles, g.Labels, edges, m.Nodes, m.Edges)
		}
	}
}

// A number of nodes takes no memory that the text has no bytes for.
func TestManyNodes(t *testing.T) {
	for text, fine := range map[string]bool{`{"nodes": 1000, "edges": []}`: true,
		`{"nodes": 16777216, "edges": []}`: false, `{"nodes": -1, "edges": []}`: false} {
		if _, err := Parse([]byte(text)); fine != (err == nil) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
