package data

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Every format has a small file here that it reads and no earlier one takes, and a row in docs/data.md.
func TestFormatsAreTested(t *testing.T) {
	documented := must.Get(os.ReadFile("../docs/data.md"))(t)
	files := map[string]struct{ text, row string }{
		"an IDX file of images": {"\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02abcd",
			"| IDX images |"},
		"an npy array": {npy("<f8", "2, 2", []float64{1, 2, 3, 4}), "| npy array |"},
		"an npz archive": {zipOf("x.npy", npy("<f8", "2, 1", []float64{1, 2}), "y.npy",
			npy("<f8", "2,", []float64{3, 4})), "| npz archive |"},
		"a LIBSVM file": {"1 1:2\n-1 2:3\n", "| LIBSVM |"},
		"an ARFF table": {"@relation r\n@attribute a numeric\n@attribute b " +
			"numeric\n@data\n1,2\n3,4\n", "An **ARFF** table"},
		"a Parquet file":  {sampleFile(t, "small.parquet"), "| Parquet, Arrow |"},
		"an Arrow file":   {sampleFile(t, "small.arrow"), "| Parquet, Arrow |"},
		"an Arrow stream": {sampleFile(t, "small.arrows"), "| Parquet, Arrow |"},
		"rows in JSON":    {`{"a": 1, "b": 2}` + "\n" + `{"a": 3, "b": 4}` + "\n", "| JSON lines |"},
		"graphs in JSON": {`{"nodes": 1, "edges": [], "label": 0}` + "\n" +
			`{"nodes": 1, "edges": [], "label": 1}`, "| graphs in JSON"},
		"an SDF file":        {molecules, "| SDF"},
		"a FASTA file":       {">0\nACGT\n>1\nGGTT\n", "| FASTA, lists of class, tab and sequence"},
		sequenceLines().what: {"0\tACGT\n1\tGGTT\n", "| FASTA, lists of class, tab and sequence"},
		moleculeLines().what: {"CCO ethanol\nCC(=O)O\tacetic acid\n", "| SDF, lists of SMILES"},
		csvTable().what:      {"a,b\n1,2\n3,4\n", "| CSV |"},
	}
	for _, f := range formats() {
		s, ok := files[f.what]
		if !ok {
			t.Errorf("%s has no small file in this test", f.what)
			continue
		}
		if !strings.Contains(string(documented), s.row) {
			t.Errorf("docs/data.md lacks %q", s.row)
		}
		if got := formatOf([]byte(s.text)); got.what != f.what {
			t.Errorf("the small file of %s is taken for %s", f.what, got.what)
		}
		opt := ReadOptions{}
		if strings.HasPrefix(f.what, "an IDX") {
			opt.Labels = write(t, "labels.npy", npy("<f8", "2,", []float64{0.5, 1.5}))
		}
		if f.what == moleculeLines().what {
			opt.Labels = write(t, "labels.txt", "acetic acid\t0.5\nethanol\t1.5\n")
		}
		d, _, err := readText(s.text, opt)
		if err != nil || d.N() != 2 {
			t.Errorf("%s: %v", f.what, err)
		}
	}
}

// molecules are two in an SDF file, with their classes.
const molecules = `ethanol
  by hand

  3  2  0  0  0  0            999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.0000    0.0000    0.0000 C   0  0
    2.0000    0.0000    0.0000 O   0  0
  1  2  1  0
  2  3  1  0
M  END
> <class>
0

$$$$
cyanide
  by hand

  2  1  0  0  0  0            999 V2000
    0.0000    0.0000    0.0000 C   0  5
    1.0000    0.0000    0.0000 N   0  0
  1  2  3  0
M  CHG  1   1  -1
M  END
> <class>
1

$$$$
`

// Wide rows are longer than what is looked at first: their header is found all the same.
func TestHeaderOfWideTable(t *testing.T) {
	const d = 20000
	var b strings.Builder
	for j := range d {
		fmt.Fprintf(&b, "gene%d,", j)
	}
	b.WriteString("target\n")
	for i := range 4 {
		b.WriteString(strings.Repeat("0.125,", d) + []string{"a", "b"}[i%2] + "\n")
	}
	path := write(t, "wide.csv", b.String())
	ds := dataset(ReadFile(path, ReadOptions{}))(t)
	if ds.N() != 4 || ds.D() != d || ds.Columns[0] != "gene0" {
		t.Errorf("%d rows of %d columns, the first %q", ds.N(), ds.D(), ds.Columns[0])
	}
}
