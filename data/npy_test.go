package data

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// npy returns an npy file of version 1 with these values.
func npy(descr, shape string, values any) string {
	return npyWith(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape), values)
}

func npyWith(header string, values any) string {
	var b bytes.Buffer
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b.WriteString(npyMagic + "\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		panic(err)
	}
	return b.String()
}

// zipOf returns a zip archive.
func zipOf(files ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, _ := w.Create(files[i])
		f.Write([]byte(files[i+1]))
	}
	w.Close()
	return b.String()
}

func TestNpyTypes(t *testing.T) {
	for _, c := range []struct {
		descr  string
		values any
	}{
		{"|u1", []uint8{1, 2, 3, 4, 5, 6}},
		{"|i1", []int8{1, 2, 3, 4, 5, 6}},
		{"<i2", []int16{1, 2, 3, 4, 5, 6}},
		{"<u2", []uint16{1, 2, 3, 4, 5, 6}},
		{"<i4", []int32{1, 2, 3, 4, 5, 6}},
		{"<u4", []uint32{1, 2, 3, 4, 5, 6}},
		{"<i8", []int64{1, 2, 3, 4, 5, 6}},
		{"<u8", []uint64{1, 2, 3, 4, 5, 6}},
		{"<f4", []float32{1, 2, 3, 4, 5, 6}},
		{"<f8", []float64{1, 2, 3, 4, 5, 6}},
	} {
		t.Run(c.descr, func(t *testing.T) {
			d, _, err := readText(npy(c.descr, "2, 3", c.values), ReadOptions{Task: "regression"})
			must.OK(t, err)
			must.Equal(t, fmt.Sprintln(d.Row(0), d.Row(1), d.Y, d.Columns, d.Target),
				"[1 2] [4 5] [3 6] [x0 x1] x2\n")
		})
	}
	d, _, err := readText(npy("<i4", "2, 2", []int32{-7, 3, math.MaxInt32, 5}),
		ReadOptions{Target: "2", Task: "regression"})
	must.OK(t, err)
	must.Equal(t, fmt.Sprint(d.Row(0), d.Row(1), d.Y), "[-7] [2.147483647e+09] [3 5]")
}

// Values in Fortran order, the first index first, are those of the same array in C order.
func TestFortranOrder(t *testing.T) {
	const head = "{'descr': '<f4', 'fortran_order': True, 'shape': (%s), }"
	for _, c := range []struct {
		shape   string
		c, turn []float32
	}{
		{"2, 3", []float32{1, 2, 3, 4, 5, 6}, []float32{1, 4, 2, 5, 3, 6}},
		{"2, 2, 3", []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []float32{0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11}},
		{"3", []float32{1, 2, 3}, []float32{1, 2, 3}},
	} {
		var read [2][]float64
		for i, text := range []string{npy("<f4", c.shape+",", c.c), npyWith(fmt.Sprintf(head, c.shape+","), c.turn)} {
			a, err := openNpy("x.npy", strings.NewReader(text))
			if err == nil {
				read[i], err = npyValues(a, len(c.c), func(v float64) float64 { return v })
			}
			must.OK(t, err)
		}
		if !slices.Equal(read[0], read[1]) || len(read[1]) != len(c.c) {
			t.Errorf("%s: %v, in Fortran order %v", c.shape, read[0], read[1])
		}
	}
}

// TestArrays pairs inputs with targets by names and with --labels, apart and in an archive.
func TestArrays(t *testing.T) {
	x, y := npy("<f8", "2, 2", []float64{1, 2, 3, 4}), npy("<i8", "2,", []int64{1, 0})
	pictures := npy("|u1", "2, 2, 1", []uint8{0, 51, 102, 255})
	t.Chdir(folderOf(t, map[string]string{
		"x.npy": x, "y.npy.gz": zipped(y), "X_train.npy": x, "Y_train.npy": y, "x_test.npy": x,
		"answers.npy": y, "column.npy": npy("<f4", "2, 1", []float32{1, 0}),
		"a.npz": zipOf("x.npy", x, "y.npy", y), "bare.npz": zipOf("x.npy", x),
		"keras.npz": zipOf("x_train.npy", pictures, "y_train.npy", y, "x_test.npy", pictures, "y_test.npy", y),
		"table.npy": npy("<f8", "2, 3", []float64{1, 2, 1, 3, 4, 0}),
	}))
	want := ""
	for _, c := range []struct{ file, labels string }{
		{"x.npy", ""}, {"X_train.npy", ""}, {"x_test.npy", "answers.npy"}, {"x.npy", "column.npy"},
		{"a.npz", ""}, {"bare.npz", "answers.npy"},
	} {
		d, _, err := ReadFile(c.file, ReadOptions{Labels: c.labels, Task: "classification"})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if want == "" {
			want = d.Fingerprint
		}
		if d.Fingerprint != want || !slices.Equal(d.Labels, []int32{1, 0}) || d.Row(1)[0] != 3 {
			t.Errorf("%s: %+v", c.file, d)
		}
	}
	d := dataset(ReadFile("x.npy", ReadOptions{Task: "classification"}))(t)
	for file, labelled := range map[string]bool{"x_test.npy": false, "bare.npz": false, "a.npz": true,
		"table.npy": true} {
		if p, _, err := ReadFile(file, forPrediction(d.Schema(), TableOptions{}, ReadControl{})); err != nil ||
			p.HasTarget() != labelled || p.Row(1)[1] != 4 {
			t.Errorf("%s: %+v, %v", file, p, err)
		}
	}
	train, test, _, err := Load(Source{Data: "keras.npz", ReadOptions: ReadOptions{Task: "classification"}})
	must.OK(t, err)
	must.Equal(t, []int{train.N(), test.N()}, []int{2, 2})
	must.Equal(t, train.AutoScaling, imageScaling)
	if row := train.Row(1); !near(row[0], 0.4, 1e-7) || row[1] != 1 {
		t.Errorf("the second image is %v, want [0.4 1]", row)
	}
}

// An array has no column that was left out of the training table.
func TestArrayWithoutLeftOut(t *testing.T) {
	x := npy("<f8", "2, 3", []float64{1, 5, 2, 3, 6, 4})
	t.Chdir(folderOf(t, map[string]string{"table.npy": x}))
	like := Schema{Columns: []string{"a", "b"}, Target: "t", TargetAt: 3, Task: Regression,
		LeftOut: []LeftOutColumn{{"id", 0}, {"name", 1}}}
	for _, targets := range []bool{false, true} {
		d, _, err := ReadFile("table.npy", ReadOptions{Schema: &like, TargetOptional: targets})
		must.OK(t, err)
		must.Equal(t, fmt.Sprint(d.Row(1)[1], d.Y), "4 [5 6]")
	}
	like.LeftOut = nil // a model of the table with a column of sequences
	if _, _, err := ReadFile("table.npy", ReadOptions{Schema: &like}); err == nil {
		t.Error("a target beyond the array is taken")
	}
}

// Numbers by place are refused where a column of the training table is more than a plain number.
func TestArrayOfNamedColumns(t *testing.T) {
	x := npy("<f8", "2, 2", []float64{0, 5, 1, 4})
	t.Chdir(folderOf(t, map[string]string{"table.npy": x, "a.npz": zipOf("x.npy", x),
		"a.libsvm": "1 1:0 2:5\n2 1:1 2:4\n"}))
	named := " of the training data is more than a plain number"
	for _, c := range []struct{ name, training, offset, want string }{
		{"words", "kind,y\nred,1\nblue,2\nred,3\n", "", `column "kind"` + named},
		{"missing", "a,y\n1.5,1\n,2\n2.5,3\n", "", `column "a"` + named},
		{"dates", "day,y\n2024-01-01,1\n2024-01-02,2\n2024-01-05,3\n", "", `column "day"` + named},
		{"offset", "b,e,y\n1.5,1,1\n2.5,2,2\n3.5,2.5,2\n", "e", `column "e"` + named},
		{"booleans", "a,yes,y\n1,true,1\n2,false,2\n3,true,3\n", "", `row 1: found 5 in place of column "yes"`},
		{"plain", "a,b,y\n1.5,1,1\n2.5,2.5,2\n3.5,2,3\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dataset(readText(c.training, ReadOptions{Task: "regression",
				TableOptions: TableOptions{Missing: MissingImpute, Roles: RowRoles{Offset: c.offset}}}))(t)
			for _, file := range []string{"table.npy", "a.npz", "a.libsvm"} {
				_, _, err := ReadFile(file, forPrediction(d.Schema(), TableOptions{}, ReadControl{}))
				if c.want != "" {
					wantError(t, file, err, strings.Contains, c.want)
				} else if err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}

func TestBadArrays(t *testing.T) {
	values := []float64{1, 2, 3, 4}
	good, y := npy("<f8", "2, 2", values), npy("<i8", "2,", []int64{1, 0})
	like := Schema{Columns: []string{"a"}, Target: "t", TargetAt: 1, Task: Classification, Classes: []string{"0", "1"}}
	start := strings.Index(good, "\n") + 1
	for _, c := range []struct {
		name, text, labels, want string
		opt                      ReadOptions
	}{
		{"no order", npyWith("{'descr': '<f8', 'shape': (2, 2), }", values), "",
			"x.npy: byte 10: the header does not say fortran_order", ReadOptions{}},
		{"fortran", npyWith("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }",
			[]float64{1, math.NaN(), 3, 4}), string(y), "x.npy: byte 136: value [1, 0] is NaN", ReadOptions{}},
		{"big-endian", npy(">f8", "2, 2", values), "",
			`x.npy: byte 10: holds values of the type ">f8": float32, float64, bool and integers are read`,
			ReadOptions{}},
		{"half", npy("<f2", "2, 2", values), "", `x.npy: byte 10: holds values of the type "<f2"`, ReadOptions{}},
		{"object", npy("|O", "2, 2", values), "", `x.npy: byte 10: holds values of the type "|O"`, ReadOptions{}},
		{"words", zipOf("x.npy", good, "y.npy", npy("<U5", "2,", []int64{1, 0, 1, 0, 1})), "",
			`x.npy(y.npy): byte 10: holds values of the type "<U5": float32, float64, bool and integers are read, ` +
				`in little-endian order; save words as the numbers of their classes, ` +
				`numpy.unique(words, return_inverse=True)[1]`, ReadOptions{}},
		{"structured", npyWith("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }",
			values), "", `x.npy: byte 10: holds values of the type "structured"`, ReadOptions{}},
		{"no shape", npyWith("{'descr': '<f8', 'fortran_order': False}", values), "",
			"x.npy: byte 10: the header has no descr or shape", ReadOptions{}},
		{"odd shape", npy("<f8", "2, x", values), "", "x.npy: byte 10: the shape (2, x) cannot be read", ReadOptions{}},
		{"negative", npy("<f8", "2, -2", values), "", "x.npy: byte 10: the shape (2, -2) cannot be read",
			ReadOptions{}},
		{"overflow", npy("<f8", "2000000000, 2000000000, 2000000000", values), "",
			"x.npy: holds an array of 2000000000x2000000000x2000000000 values: too large", ReadOptions{}},
		{"empty", npy("<f8", "0, 2", values), "", "x.npy: holds an array of 0x2 values", ReadOptions{}},
		{"scalar", npy("<f8", "", values), "", "x.npy: holds a single value", ReadOptions{}},
		{"short", good[:len(good)-3], "",
			fmt.Sprintf("x.npy: byte %d: ends in the middle of its 4 values", len(good)-3), ReadOptions{}},
		{"short header", good[:40], "", "x.npy: byte 40: ends in the middle of its header", ReadOptions{}},
		{"version", npyMagic + "\x09" + good[7:], "", "x.npy: byte 6: version 9", ReadOptions{}},
		{"long", good + "x", "", fmt.Sprintf("x.npy: byte %d: there is more after its 4 values", len(good)),
			ReadOptions{}},
		{"NaN", npy("<f8", "2, 2", []float64{1, 2, math.NaN(), 4}), "",
			fmt.Sprintf("x.npy: byte %d: value [1, 0] is NaN", start+16), ReadOptions{}},
		{"infinite", npy("<f4", "2, 2", []float32{1, 2, 3, float32(math.Inf(1))}), "",
			fmt.Sprintf("x.npy: byte %d: value [1, 1] is +Inf", start+12), ReadOptions{}},
		{"no targets", good, "",
			"x.npy: needs the file of its targets, and there is neither y.npy nor y.npy.gz", ReadOptions{}},
		{"target", good, y, "x.npy: is an array of inputs, and its targets are in another file",
			ReadOptions{Target: "1"}},
		{"count", good, npy("<i8", "3,", []int64{1, 0, 1}), "y.npy: holds 3 targets for 2 rows", ReadOptions{}},
		{"several targets as classes", good, good,
			"y.npy: holds an array of 2x2 values: one target per row", ReadOptions{Task: "classification"}},
		{"several targets for one", good, good,
			"x.npy: holds 2 targets per row, the training data have 1 target",
			ReadOptions{Schema: &Schema{Columns: []string{"x0", "x1"}, Target: "y", TargetAt: 2, Task: Regression}}},
		{"text for targets", good, "1\n0\n",
			"y.npy: starts with the bytes 31 0a 30 0a: labels are an IDX or npy file", ReadOptions{}},
		{"class", npy("<f8", "2,", values[:2]), npy("<i8", "2,", []int64{1, 5}),
			`y.npy: value [1]: found class 5 in the target column "t"`, ReadOptions{Schema: &like}},
		{"other width", good, y, "x.npy: holds an array of 2x2 values, the training data have 1 input",
			ReadOptions{Schema: &like}},
		{"archive without x", zipOf("arr_0.npy", good), "",
			`x.npy: has no array x_train, X_train, x, X: it holds "arr_0"`, ReadOptions{}},
		{"archive without y", zipOf("x.npy", good), "",
			`x.npy: has no array y_train, Y_train, y, Y: it holds "x"`, ReadOptions{}},
		{"archive of others", zipOf("a.txt", good), "", "x.npy: is a zip archive but not an npz", ReadOptions{}},
		{"cut archive", zipOf("x.npy", good)[:100], "", "x.npy: is a zip archive that cannot be read", ReadOptions{}},
		{"archive in gzip", zipped(zipOf("x.npy", good)), "", "x.npy: is a zip archive that cannot be read",
			ReadOptions{}},
		{"bad array in it", zipOf("x.npy", good[:len(good)-8]), "",
			fmt.Sprintf("x.npy(x.npy): byte %d: ends in the middle", len(good)-8), ReadOptions{}},
		{"damaged member", strings.Replace(zipOf("x.npy", strings.Repeat(good, 9)), "PK\x03\x04",
			"PK\x03\x05", 1), "", "x.npy: is not text", ReadOptions{}},
	} {
		files := map[string]string{"x.npy": c.text}
		if c.labels != "" {
			files["y.npy"] = c.labels
		}
		t.Chdir(folderOf(t, files))
		_, _, err := ReadFile("x.npy", c.opt)
		wantError(t, c.name, err, strings.HasPrefix, c.want)
	}
	for text, want := range map[string]string{
		npy("<f8", "2, 1", values[:2]): "t.csv: has one column only",
		npy("<f8", "2, 2",
			values): `t.csv: has no column number 3 to be the target: columns count from 1 to 2`,
	} {
		if _, _, err := readText(text,
			ReadOptions{Target: map[bool]string{true: "3"}[strings.Contains(want, "count")]}); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// FuzzReadNpy gives any bytes as a header with values, as inputs and as targets.
func FuzzReadNpy(f *testing.F) {
	x, y := npy("<f8", "2, 2", []float64{1, 2, 3, 4}), npy("<i8", "2,", []int64{1, 0})
	f.Add([]byte(x), []byte(y))
	f.Add([]byte(npy("|u1", "2, 2, 1", []uint8{0, 51, 102, 255})), []byte(y[:70]))
	f.Add([]byte(zipOf("x.npy", x, "y.npy", y)), []byte{})
	f.Fuzz(func(t *testing.T, x, y []byte) {
		lim := limits{text: 1 << 20, record: 1 << 14, cells: 1 << 14}
		path := write(t, "y", string(y))
		for _, opt := range []ReadOptions{{}, {Labels: path}} {
			d, _, err := read("t", bytes.NewReader(x), opt, lim)
			checkFuzzed(t, d, err)
		}
		d, _, err := read("t", strings.NewReader(zipOf("x.npy", string(x), "y.npy", string(y))), ReadOptions{}, lim)
		checkFuzzed(t, d, err)
	})
}

// A wrong checksum at the end of compressed values is damage.
func TestNpyChecksum(t *testing.T) {
	x, y := npy("<f8", "2, 1", []float64{1, 2}), npy("<f8", "2,", []float64{3, 4})
	archive, packed := []byte(zipOf("x.npy", x, "y.npy", y)), []byte(zipped(y))
	archive[bytes.LastIndex(archive, []byte("PK\x01\x02"))+16] ^= 1
	packed[len(packed)-8] ^= 1
	t.Chdir(folderOf(t, map[string]string{"a.npz": string(archive), "x.npy": x, "y.npy.gz": string(packed)}))
	_, _, err := ReadFile("a.npz", ReadOptions{})
	wantError(t, "zip", err, strings.HasPrefix, "a.npz(y.npy): the archive is damaged (zip: checksum error)")
	_, _, err = ReadFile("x.npy", ReadOptions{Labels: "y.npy.gz"})
	wantError(t, "gzip", err, strings.HasPrefix, "y.npy.gz: the gzip data are damaged")
}

// A header that claims a hundred million columns costs next to no memory where the file does not hold them, plain or
// gzip.
func TestHeadersClaimNoMemory(t *testing.T) {
	array := npy("<f8", "2, 100000000", make([]float64, 6))
	images := "\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x27\x10\x00\x00\x27\x10few"
	for _, c := range []struct{ name, text, want string }{
		{"t.npy", array, "t.npy: byte 176: ends in the middle of its 200000000 values"},
		{"x.npy", array, "x.npy: byte 176: ends in the middle of its 200000000 values"},
		{"t.npy.gz", zipped(array), "ends in the middle of its 200000000 values"},
		{"x.npy.gz", zipped(array), "ends in the middle of its 200000000 values"},
		{"t.npz", zipOf("x.npy", array), "ends in the middle of its 200000000 values"},
		{"images", images, "images: byte 19: ends in the middle of its 200000000 values"},
		{"images.gz", zipped(images), "byte 19: ends in the middle of its 200000000 values"},
	} {
		path := write(t, c.name, c.text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := ReadFile(path, ReadOptions{})
		runtime.ReadMemStats(&after)
		wantError(t, c.name, err, strings.Contains, c.want)
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
			t.Errorf("%s: took %d bytes", c.name, took)
		}
	}
}
