package data

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// graphFolder writes a folder DS in the format of TUDataset.
func graphFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "DS")
	must.OK(t, os.Mkdir(dir, 0o755))
	for end, text := range files {
		must.OK(t, os.WriteFile(filepath.Join(dir, "DS_"+end+".txt"), []byte(text), 0o644))
	}
	return dir
}

// triangles returns a path and a triangle of three nodes, both directions of each edge, and a node alone with an edge
// to itself.
func triangles() map[string]string {
	return map[string]string{
		"A":               "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n5,6\n6,5\n4,6\n6,4\n7,7\n",
		"graph_indicator": "1\n1\n1\n2\n2\n2\n3\n",
		"graph_labels":    "1\n-1\n1\n",
		"node_labels":     "5\n6\n5\n5\n5\n5\n6\n",
		"edge_labels":     "0\n0\n1\n1\n0\n0\n0\n0\n0\n0\n0\n",
	}
}

func TestFolder(t *testing.T) {
	d, notes, err := ReadFile(graphFolder(t, triangles()), ReadOptions{})
	must.OK(t, err)
	must.Equal(t, d.N(), 3)
	must.Equal(t, d.Name, "DS")
	must.Equal(t, d.Sequences.Alphabet.Kind, seq.Graphs)
	must.Equal(t, d.Classes, []string{"-1", "1"})
	want := `"5" "6" "5" 0 1 "0" 1 2 "1" `
	if got := d.Sequences.Alphabet.Text(d.Sequences.At(0)); got != want {
		t.Errorf("the first graph is %s, want %s", got, want)
	}
	all := strings.Join(notes, "\n")
	if !strings.Contains(all, "3 graphs of 1 to 3 nodes (mean 2.3) and 1.7 edges on average") ||
		!strings.Contains(all, "from a node to itself: 1; they are left out") || strings.Contains(all, "counts once") {
		t.Errorf("notes: %s", all)
	}

	// the options of other graphs
	unlabelled := triangles()
	unlabelled["graph_labels"] = "1\nNA\n-1\n"
	drop := TableOptions{Missing: MissingDrop}
	if d, _, err := ReadFile(graphFolder(t, unlabelled), ReadOptions{TableOptions: drop}); err != nil || d.N() != 2 ||
		d.Schema().Missing != MissingDrop {
		t.Errorf("rows with labels: %v, %v", d, err)
	}
	for o, want := range map[TableOptions]string{
		{Missing: MissingImpute}: "is a folder of graphs, and nothing can fill in what its rows lack",
		{ID: "a"}:                "is a folder of graphs, not a table of text: leave id out",
	} {
		if _, _, err := ReadFile(graphFolder(t, unlabelled), ReadOptions{TableOptions: o}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}

	// a label that training lacks, and no classes
	other := triangles()
	delete(other, "graph_labels")
	other["edge_attributes"] = "0.5\n"
	other["node_labels"] = "5\n9\n5\n5\n5\n5\n6\n"
	like, notes, err := ReadFile(graphFolder(t, other), forPrediction(d.Schema(), TableOptions{}, ReadControl{}))
	if err != nil || like.HasTarget() || graphUnknowns(like) != 1 {
		t.Errorf("%v, %d unknown labels: %v", err, graphUnknowns(like), notes)
	}
	if !strings.Contains(strings.Join(notes, "\n"), "DS_edge_attributes.txt is not read") {
		t.Errorf("notes: %v", notes)
	}
}

// Files of other systems and editors are the same folder.
func TestFolderLines(t *testing.T) {
	plain := dataset(ReadFile(graphFolder(t, triangles()), ReadOptions{}))(t)
	files := triangles()
	for end, text := range files {
		files[end] = "\ufeff" + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\r\n") + "\r\n\r\n \n"
	}
	d, _, err := ReadFile(graphFolder(t, files), ReadOptions{})
	if err != nil || d.Fingerprint != plain.Fingerprint {
		t.Errorf("with a mark of bytes, returns and blank lines: %v", err)
	}
}

// A file of labels stands in place of the classes of a folder, and may hold numbers.
func TestFolderLabels(t *testing.T) {
	labels := write(t, "labels.txt", "0.5\n1.25\n-2\n")
	d := dataset(ReadFile(graphFolder(t, triangles()), ReadOptions{Labels: labels}))(t)
	if d.Task != Regression || len(d.Y) != 3 {
		t.Errorf("task %s with the classes %v", d.Task, d.Classes)
	}
}

func graphUnknowns(d *Dataset) (count int) {
	for _, c := range d.Sequences.Codes {
		if c == seq.Unknown {
			count++
		}
	}
	return count
}

func TestBadFolder(t *testing.T) {
	for _, c := range []struct{ end, text, want string }{
		{"A", "1, 2\n1, 99\n", "DS_A.txt:2: found an edge to node 99, and there are 7 nodes"},
		{"A", "1, 2\n1, 4\n", "DS_A.txt:2: found an edge between node 1 of graph 1 and node 4 of graph 2"},
		{"A", "1 2\n", `DS_A.txt:1: found "1 2", where an edge belongs`},
		{"A", "1, x\n", `DS_A.txt:1: found " x", where the number of a node belongs`},
		{"graph_indicator", "1\n1\n3\n", "DS_graph_indicator.txt:3: found graph 3 after graph 1: graph 2 has no nodes"},
		{"graph_indicator", "1\n2\n1\n", "DS_graph_indicator.txt:3: found graph 1 after graph 2"},
		{"graph_indicator", "", "DS_graph_indicator.txt: is empty"},
		{"graph_labels", "1\n", "DS_graph_labels.txt: has 1 lines for 3 graphs"},
		{"graph_labels", "1, 2\n", `DS_graph_labels.txt:1: found "1, 2": only one target of each graph can be read`},
		{"graph_labels", "", "DS_graph_labels.txt: has 0 lines for 3 graphs"},
		{"node_labels", "1\n", "DS_node_labels.txt: has 1 lines for 7 nodes"},
		{"edge_labels", "1\n", "DS_edge_labels.txt: has 1 lines for 11 edges"},
		{"node_attributes", "1,2\n1\n", "DS_node_attributes.txt:2: found 1 values, and the nodes before have 2"},
		{"node_attributes", "1,nan\n", `DS_node_attributes.txt:1: found "nan", where a value of a node belongs`},
	} {
		files := triangles()
		files[c.end] = c.text
		_, _, err := ReadFile(graphFolder(t, files), ReadOptions{})
		if _, located := err.(*Error); !located || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %s", c.end, c.text, err, c.want)
		}
	}
	for _, end := range []string{"graph_indicator", "graph_labels"} {
		files := triangles()
		delete(files, end)
		if _, _, err := ReadFile(graphFolder(t, files), ReadOptions{}); err == nil ||
			!strings.Contains(err.Error(), "DS_"+end+".txt: there is no such file") {
			t.Errorf("without %s: %v", end, err)
		}
	}
	if _, _, err := ReadFile(t.TempDir(), ReadOptions{}); err == nil ||
		!strings.Contains(err.Error(), "is a folder: give a file, or a folder of graphs") {
		t.Errorf("a folder without graphs: %v", err)
	}
}

// The same molecules in four notations have the same labels and edges.
func TestMolecules(t *testing.T) {
	want := []string{`"C" "C" "O" 0 1 "-" 1 2 "-" `, `"C-" "N" 0 1 "#" `}
	for name, text := range map[string]string{
		"SDF":   molecules,
		"list":  "0\tCCO\n1\t[C-]#N\n",
		"table": "smiles,class,mass\nCCO,0,46\n[C-]#N,1,26\n",
		"JSON": `{"nodes": ["C", "C", "O"], "edges": [[1, 0, "-"], [2, 1, "-"]], "label": 0}
{"nodes": ["C-", "N"], "edges": [[0, 1, "#"]], "label": 1}`,
	} {
		opt := ReadOptions{Task: "classification"}
		if name == "table" {
			opt.Sequence, opt.Target = "smiles", "class"
		}
		d, notes, err := readText(text, opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, w := range want {
			if got := d.Sequences.Alphabet.Text(d.Sequences.At(i)); got != w || d.Labels[i] != int32(i) {
				t.Errorf("%s: molecule %d is %s of class %d, want %s\n%v", name, i, got, d.Labels[i], w, notes)
			}
		}
		if name == "table" && (d.D() != 1 || d.Columns[0] != "mass") {
			t.Errorf("columns %v beside the molecules", d.Columns)
		}
	}
}

// The name .smi, or --set tokens=graphs, makes molecules of words that are SMILES, below a header or without one.
func TestPlainSMILES(t *testing.T) {
	const words = "CCO ethanol\nCC ethane\nC methane\nCO methanol\n"
	tabs := strings.ReplaceAll(words, " ", "\t")
	labels := write(t, "labels.txt", "1\n2.5\n3\n4\n")
	for _, c := range []struct{ name, text, tokens string }{
		{"a.smi", words, ""}, {"b.txt", words, "graphs"}, {"c.smi", tabs, ""}, {"d.txt", tabs, "graphs"},
		{"e.SMI.gz", zipped(words), ""}, {"f.smi", "Smiles name\n" + words, ""},
		{"g.txt", "SMILES\tname\n" + tabs, "graphs"}, {"h.smi", "smiles name\n" + words + "CC(=O)O acid\n", ""},
	} {
		opt := ReadOptions{Labels: labels, Tokens: c.tokens}
		if c.name == "h.smi" {
			opt.Labels = write(t, "more.txt", "1\n2.5\n3\n4\n5\n")
		}
		path := write(t, c.name, c.text)
		d, notes, err := ReadFile(path, opt)
		if err != nil || d.N() < 4 || d.Sequences.Alphabet.Kind != seq.Graphs || d.IDs()[0] != "ethanol" {
			t.Errorf("%s: %v, %v", c.name, err, notes)
			continue
		}
		like := d.Schema()
		if new, _, err := ReadFile(path, ReadOptions{Schema: &like, TargetOptional: true}); err != nil ||
			new.N() != d.N() {
			t.Errorf("%s to predict: %v", c.name, err)
		}
	}
	list, _, err := ReadFile(write(t, "list.txt", "C\tCCO\nN\tCC\nC\tCO\nN\tC\n"), ReadOptions{Tokens: "graphs"})
	if err != nil || len(list.Classes) != 2 {
		t.Errorf("classes before SMILES: %v", err)
	}
}

// An SDF file that is cut short is an error, also where rows without a target are left out.
func TestCutSDF(t *testing.T) {
	whole := strings.TrimSpace(molecules)
	for _, cut := range []string{whole[:len(whole)-len("$$$$")], whole[:strings.LastIndex(whole, "M  END")],
		whole[:strings.LastIndex(whole, "> <")] + "> <class>\n"} {
		_, _, err := readText(cut, ReadOptions{})
		wantError(t, "", err, strings.Contains, "the file ends inside a molecule")
	}
}

// A molecule without its end, before another one, is an error, and so is an item that is to be read and has two values.
func TestSDFFaults(t *testing.T) {
	mol, _, _ := strings.Cut(molecules, "> <")
	one, _, _ := strings.Cut(molecules, "$$$$")
	for _, c := range []struct{ text, want string }{
		{mol + mol, `:11: found "ethanol" after the molecule of line 1: write $$$$ before the next molecule`},
		{one + molecules, `:14: found "ethanol" after the molecule of line 1`},
		{one + "> <class>\n1\n\n$$$$\n", `:15:1: found item "class" again in the molecule of line 1: give it once`},
		{strings.Replace(molecules, "1\n\n$$$$", "1\n2\n\n$$$$", 1), `found a second line of item "class"`},
	} {
		_, _, err := readText(c.text, ReadOptions{TargetOptional: true})
		wantError(t, "", err, strings.Contains, c.want)
	}
	text := strings.ReplaceAll(molecules, "$$$$", "> <note>\nof two\nlines\n\n> <note>\nagain\n\n$$$$")
	if d, _, err := readText(text, ReadOptions{}); err != nil || d.N() != 2 {
		t.Errorf("items that are not read: %v", err)
	}
	_, _, err := readText(text, ReadOptions{TableOptions: TableOptions{ID: "note"}})
	wantError(t, "", err, strings.Contains, `found a second line of item "note"`)
}

// The key class is a target like others, also beside another one, unless the graphs have a label.
func TestTargetKeys(t *testing.T) {
	const text = `{"nodes": ["C"], "edges": [], "class": 4, "mass": 12}
{"nodes": ["O"], "edges": [], "class": 6, "mass": 16}
`
	const want = `graphs: "C"_=4 "O"_=6`
	d, _, err := readText(text, ReadOptions{Target: "class", Task: "regression"})
	if err != nil || show(d) != want {
		t.Fatalf("%v, want %s", err, want)
	}
	schema := d.Schema()
	if again, _, err := readText(text, ReadOptions{Schema: &schema}); err != nil || show(again) != want {
		t.Errorf("beside its training rows: %v", err)
	}
	both, _, err := readText(text, ReadOptions{Target: "class,mass"})
	if err != nil || strings.Join(both.Targets, " ") != "class mass" {
		t.Errorf("several targets: %v", err)
	}
	labelled := strings.ReplaceAll(text, `"mass"`, `"label"`)
	if d, _, err := readText(labelled, ReadOptions{Target: "class", Task: "regression"}); err != nil || d.Y[1] < 16 {
		t.Errorf("a label: %v", err)
	}
}

func TestGraphErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
		opt        ReadOptions
	}{
		{`{"nodes": ["C"], "edges": [[0, 1]], "label": 1}`,
			`:1:27: found "1", in edge 1, a node that does not exist`, ReadOptions{}},
		{`{"nodes": ["C"], "edges": [], "label": 1}` + "\n" + `{"nodes": [], "edges": [], "label": 0}`,
			`:2:1: found "{\"nodes\": [], \"edges\": [], \"label\": 0}", which is a graph without nodes`,
			ReadOptions{}},
		{`{"nodes": ["C"], "edgs": [], "label": 1}`, `found "edgs", a key that graphs do not have`, ReadOptions{}},
		{`{"nodes": ["C"], "label": 1}`, `a graph without "edges"`, ReadOptions{}},
		{`{"nodes": ["C"], "edges": [[0,`, `:1:30: found ",", where the JSON is not valid`, ReadOptions{}},
		{`{"nodes": 1, "edges": []}`, "has no classes: give each graph the key label", ReadOptions{}},
		{`{"a": 1}`, "is rows in JSON, the training data are graphs: give graphs in JSON",
			ReadOptions{Schema: &Schema{Alphabet: &seq.Alphabet{Kind: seq.Graphs}, Task: Regression, Target: "y"}}},
		{`{"nodes": ["C"], "edges": [], "label": 1}` + "\n[1, 2]",
			`:2:1: found "[1, 2]", where a graph belongs`, ReadOptions{}},
		{`{"nodes": [null], "edges": [], "label": 1}`, `found "null", where number 1 of nodes is not a label`,
			ReadOptions{}},
		{"0\tCC(\n1\tC=C\n", ":1:5: found \"(\", a branch that is not closed", ReadOptions{Tokens: "graphs"}},
		{"0\tC1CC\n1\tC=C\n", ":1:4: found \"1CC\", ring 1, which is not closed", ReadOptions{Tokens: "graphs"}},
		{"smiles,y\nCCO,1.5\nC1CC,2.5\n", `:3:2: found "1CC", ring 1`, ReadOptions{Sequence: "smiles"}},
		{"0\t(A (B)\n1\t(A B)\n",
			":1:8: found \")\", where the tree is not complete: close 1 more bracket", ReadOptions{Tokens: "trees"}},
		{strings.Replace(molecules, "  2  3  1  0", "  2  9  1  0", 1),
			":9:1: found \"  2  9  1  0\", a bond to an atom that does not exist", ReadOptions{}},
		{strings.Replace(molecules, "V2000", "V3000", 1), "a MOL block of version V3000", ReadOptions{}},
		{strings.ReplaceAll(molecules, "<class>", "<NAME>"), "none is called target: name the target by --target",
			ReadOptions{}},
		{molecules, `has no item "mass"`, ReadOptions{Target: "mass"}},
		{strings.ReplaceAll(molecules, "$$$$", "> <mass>\n1\n\n$$$$"), "several are asked for",
			ReadOptions{Target: "class,mass", Labels: "labels.txt"}},
	} {
		_, _, err := readText(c.text, c.opt)
		if _, located := err.(*Error); !located || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// Words that are no molecules stay words, and what is accepted with a warning says so.
func TestGraphsAreTold(t *testing.T) {
	for text, want := range map[string]seq.Kind{
		"0\tCCO\n1\tC=O\n":                               seq.Graphs,
		"0\tNo\n1\tOn\n":                                 seq.Bytes,
		"0\tCCNS\n1\tSPIN\n":                             seq.Protein,
		"0\t(S (NP a) (VP b))\n1\t(S c)\n":               seq.Trees,
		"0\t(a,b)c;\n1\t((a:1,b:2),c);\n":                seq.Trees,
		"0\t(see below) some words\n1\t(and so on)...\n": seq.Bytes,
	} {
		if d, _, err := readText(text, ReadOptions{}); err != nil || d.Sequences.Alphabet.Kind != want {
			t.Errorf("%q is taken for %v, %v", text, d.Sequences.Alphabet.Kind, err)
		}
	}
	_, notes, err := readText("0\tC=O\n1\tC(C)(C)(C)(C)C\n", ReadOptions{})
	if all := strings.Join(notes, "\n"); err != nil ||
		!strings.Contains(all, "warning: t.csv:2: atom 1, C, has 5 bonds, and 4 are usual") {
		t.Errorf("%v: %s", err, all)
	}
}

// Deep trees and large graphs take neither a stack nor long.
func TestLargeGraphs(t *testing.T) {
	const deep = 200000
	tree := strings.Repeat("(A ", deep) + strings.Repeat(")", deep)
	large := limits{text: 1 << 24, record: 1 << 24, cells: 1 << 24}
	read := func(text, tokens string) (*Dataset, []string, error) {
		return read("t.csv", strings.NewReader(text), ReadOptions{Tokens: tokens}, large)
	}
	d, _, err := read("0\t"+tree+"\n1\t(A B)\n", "trees")
	must.OK(t, err)
	if _, _, longest := d.Sequences.Lengths(); err != nil || longest != deep {
		t.Errorf("a tree of %d nodes: %v", longest, err)
	}
	newick := strings.Repeat("(", deep) + "a" + strings.Repeat(")", deep) + ";"
	if _, _, err := read("0\t"+newick+"\n1\t(A,B);\n", "trees"); err != nil {
		t.Error(err)
	}
	smiles := strings.Repeat("C(", deep) + "C" + strings.Repeat(")", deep)
	if _, _, err := read("0\t"+smiles+"\n1\tCC\n", "graphs"); err != nil {
		t.Error(err)
	}
}

func TestAttributes(t *testing.T) {
	d, _, err := readText(`{"nodes": 2, "edges": [[0, 1]], "values": [[1, 2], [3, 4]], "label": 0}
{"nodes": ["C"], "edges": [], "values": [[1, 2.5]], "label": 1}`, ReadOptions{})
	must.OK(t, err)
	v := d.Sequences.Alphabet.Attributes
	if v == nil || v.Width != 2 || len(v.Frames) != 6 || math.Abs(float64(v.Frames[5])-2.5) > 0 {
		t.Errorf("attributes %v", v)
	}
	_, _, err = readText(`{"nodes": 1, "edges": [], "values": [[1, 2]], "label": 0}
{"nodes": 1, "edges": [], "values": [[1]], "label": 1}`, ReadOptions{})
	want := `:2:1: found "1 values of each node", and the graphs before have 2`
	wantError(t, "", err, strings.Contains, want)
}

// A column that is called like one of SMILES gets the command that reads it: where it is left out, where it is the only
// input, and where its texts repeat.
func TestAdviseMolecules(t *testing.T) {
	molecules := []string{"CCO", "CN", "C", "CC", "CO", "CCN", "O", "N", "CCC", "OCC", "CCCl", "NCC"}
	alone, beside, repeated := "SMILES,y\n", "w,canonical_smiles,y\n", "smiles,y\n"
	for i, m := range molecules {
		alone += fmt.Sprintf("%s,0.%d\n", m, i)
		beside += fmt.Sprintf("%d.5,%s,0.%d\n", i*i, m, i)
		repeated += fmt.Sprintf("%s,0.%d\n", molecules[i%3], i)
	}
	for text, want := range map[string]string{alone: "--sequence SMILES reads a", repeated: "--sequence smiles reads",
		beside: `column "canonical_smiles" is text that names each row, which predictions carry: left out ` +
			`(--sequence canonical_smiles reads its texts as sequences)`} {
		_, notes, err := readText(text, ReadOptions{})
		if said := fmt.Sprint(notes, err); !strings.Contains(said, want) {
			t.Errorf("%s", said)
		}
	}
}
