package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// idx returns an IDX file of the given shape.
func idx(values []byte, shape ...int) string {
	b := []byte{0, 0, idxByte, byte(len(shape))}
	for _, side := range shape {
		b = binary.BigEndian.AppendUint32(b, uint32(side))
	}
	return string(append(b, values...))
}

// pixels counts up from 0.
func pixels(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i)
	}
	return p
}

// folderOf puts files into a fresh folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func TestIDX(t *testing.T) {
	images, labels := idx(pixels(24), 4, 2, 3), idx([]byte{3, 0, 2, 1}, 4)
	dir := folderOf(t, map[string]string{
		"train-images-idx3-ubyte":    images,
		"train-labels-idx1-ubyte.gz": zipped(labels),
		"t10k-images.idx3-ubyte.gz":  zipped(images),
		"t10k-labels.idx1-ubyte":     labels,
		"pictures":                   images,
		"answers":                    labels,
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	train := dataset(ReadFile(at("train-images-idx3-ubyte"), ReadOptions{}))(t)
	must.Equal(t, []int{train.N(), train.D()}, []int{4, 6})
	must.Equal(t, train.Task, Classification)
	must.Equal(t, train.Labels, []int32{3, 0, 2, 1})
	must.Equal(t, train.Classes, []string{"0", "1", "2", "3"})
	must.Equal(t, train.AutoScaling, imageScaling)
	for i := range 24 {
		if got, want := train.Row(i / 6)[i%6], float64(float32(i)/255); got != want {
			t.Fatalf("pixel %d is %g, want %g", i, got, want)
		}
	}
	like := train.Schema()
	for name, opt := range map[string]ReadOptions{
		"t10k-images.idx3-ubyte.gz": {Schema: &like},
		"pictures":                  {Labels: at("answers")},
	} {
		if d, _, err := ReadFile(at(name), opt); err != nil || d.Fingerprint != train.Fingerprint {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	d := dataset(ReadFile(at("pictures"), forPrediction(like, TableOptions{}, ReadControl{})))(t)
	must.Equal(t, fmt.Sprint(d.HasTarget(), d.N()), "false 4")
	some := train.Subset([]int{2, 0})
	must.Equal(t, some.Row(0), train.Row(2))
	must.Equal(t, some.Row(1), train.Row(0))
	must.Equal(t, some.Labels, []int32{2, 3})
	must.Equal(t, some.AutoScaling, imageScaling)
	if _, b, _, err := Load(Source{Data: at("train-images-idx3-ubyte"), Test: at("pictures"),
		TestLabels: at("answers")}); err != nil || b.N() != 4 {
		t.Error(err)
	}
	for _, test := range []string{"", NoTest} {
		if _, _, _, err := Load(Source{Data: at("train-images-idx3-ubyte"), Test: test,
			TestLabels: at("answers")}); err == nil || !strings.Contains(err.Error(), "there is no file of test rows") {
			t.Errorf("%q: %v", test, err)
		}
	}
	a, b, _, err := Load(Source{Data: at("train-images-idx3-ubyte"), Test: at("t10k-images.idx3-ubyte.gz")})
	must.OK(t, err)
	must.Equal(t, a.N(), 4)
	must.Equal(t, b.N(), 4)
}

// TestBadIDX: what is wrong, and at which byte.
func TestBadIDX(t *testing.T) {
	images, labels := idx(pixels(24), 4, 2, 3), idx([]byte{1, 0, 1, 0}, 4)
	like := Schema{Columns: []string{"a", "b"}, Target: "c", TargetAt: 2, Task: Classification,
		Classes: []string{"0", "1"}}
	like6 := like
	like6.Columns = strings.Fields("a b c d e f")
	for _, c := range []struct {
		name, images, labels, want string
		opt                        ReadOptions
	}{
		{"magic", "\x00\x00\x09\x03" + images[4:], labels,
			"images: byte 0: starts with 00 00 09 03: an IDX file of images starts with 00 00 08 03", ReadOptions{}},
		{"no dimension", "\x00\x00\x08\x00", labels, "images: byte 0: starts with 00 00 08 00", ReadOptions{}},
		{"short magic", "\x00\x00\x08", labels, "images: byte 3: ends in the middle of a header", ReadOptions{}},
		{"short header", images[:14], labels, "images: byte 14: ends in the middle of a header", ReadOptions{}},
		{"short", images[:len(images)-5], labels,
			"images: byte 35: ends in the middle of its 24 values: the file was cut short", ReadOptions{}},
		{"long", images + "x", labels, "images: byte 40: there is more after its 24 values", ReadOptions{}},
		{"cut gzip", zipped(images)[:40], labels,
			"images: byte 26: ends in the middle of its 24 values: the file was cut short", ReadOptions{}},
		{"a lie", idx(nil, 1<<20, 1<<5, 1), labels,
			"images: byte 16: ends in the middle of its 33554432 values", ReadOptions{}},
		{"too large", idx(nil, 1<<28, 28, 28), labels,
			"images: holds an array of 268435456x28x28 values: too large", ReadOptions{}},
		{"overflow", idx(nil, 2, 1<<30, 1<<30), labels,
			"images: holds an array of 2x1073741824x1073741824 values: too large", ReadOptions{}},
		{"negative", "\x00\x00\x08\x03\xff\xff\xff\xff" + images[8:], labels,
			"images: byte 4: a dimension of 4294967295", ReadOptions{}},
		{"none", idx(nil, 0, 2, 3), labels, "images: holds an array of 0x2x3 values: at least one is needed",
			ReadOptions{}},
		{"labels for images", labels, labels, "images: holds 4 labels, not images", ReadOptions{}},
		{"magic", "\x01" + images[1:], labels,
			"images: is not text (byte 0x00 near its start): give a CSV table, ", ReadOptions{Labels: "labels"}},
		{"target", images, labels, "images: is an array of inputs, and its targets are in another file",
			ReadOptions{Target: "3"}},
		{"no labels", images, "", "images: needs the file of its targets, and there is neither ", ReadOptions{}},
		{"labels not there", images, labels, "none: there is no such file", ReadOptions{Labels: "none"}},
		{"label magic", images, "1,2\n",
			"labels: starts with the bytes 31 2c 32 0a: labels are an IDX or npy file", ReadOptions{}},
		{"label type", images, "\x00\x00\x0d\x01\x00\x00\x00\x04", "labels: byte 0: starts with 00 00 0d 01",
			ReadOptions{}},
		{"images for labels", images, images,
			"labels: holds an array of 4x2x3 values: one target per row is needed", ReadOptions{}},
		{"label count", images, idx(pixels(3), 3), "labels: holds 3 targets for 4 rows", ReadOptions{}},
		{"label length", images, labels[:10], "labels: byte 10: ends in the middle of its 4 values", ReadOptions{}},
		{"image size", images, labels,
			"images: holds an array of 4x2x3 values, the training data have 2 inputs", ReadOptions{Schema: &like}},
		{"unseen class", images, idx([]byte{0, 1, 7, 0}, 4),
			`labels: value [2]: found class 7 in the target column "c"`, ReadOptions{Schema: &like6}},
	} {
		files := map[string]string{"images": c.images}
		if c.labels != "" {
			files["labels"] = c.labels
		}
		t.Chdir(folderOf(t, files))
		_, _, err := ReadFile("images", c.opt)
		wantError(t, c.name, err, strings.HasPrefix, c.want)
	}
	t.Chdir(folderOf(t, map[string]string{"pictures": images, "t.csv": small}))
	wantError(t, "", errorOf(ReadFile("pictures", ReadOptions{})), strings.Contains, "give it with --labels")
	wantError(t, "", errorOf(ReadFile("t.csv", ReadOptions{Labels: "labels"})), strings.Contains,
		"is a CSV table, which holds its own targets")
}

// TestMNIST reads the original files and looks at what they cost.
func TestMNIST(t *testing.T) {
	dir := SetsDir(t)
	train, test, _, err := Load(Source{Data: "mnist", DataDir: dir})
	must.OK(t, err)
	must.Equal(t, []int{train.N(), test.N(), train.D(), len(train.Classes)}, []int{60000, 10000, 784, 10})
	must.Equal(t, train.Name, "mnist")
	must.Equal(t, fmt.Sprint(train.Labels[:8], test.Labels[:4]), "[5 0 4 1 9 2 1 3] [7 2 1 0]")
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	if mem.HeapAlloc > 300<<20 {
		t.Errorf("%d MiB are held", mem.HeapAlloc>>20)
	}
	runtime.KeepAlive(train)
	if _, _, _, err := Load(Source{Data: "mnist", DataDir: dir,
		ReadOptions: ReadOptions{Labels: "labels"}}); err == nil ||
		!strings.Contains(err.Error(), "mnist needs no other file: leave the file labels out") {
		t.Error(err)
	}
}

// FuzzReadIDX gives any bytes as images and as labels.
func FuzzReadIDX(f *testing.F) {
	images, labels := idx(pixels(24), 4, 2, 3), idx([]byte{1, 0, 1, 0}, 4)
	f.Add([]byte(images), []byte(labels))
	f.Add([]byte(zipped(images)), []byte(labels[:7]))
	f.Add([]byte(idx(nil, 1<<30, 1<<30, 1<<30)), []byte(images))
	f.Fuzz(func(t *testing.T, images, labels []byte) {
		path := write(t, "labels", string(labels))
		d, _, err := read("images", bytes.NewReader(append([]byte{0, 0}, images...)),
			ReadOptions{Labels: path}, limits{cells: 1 << 14})
		checkFuzzed(t, d, err)
		d, _, err = read("images", bytes.NewReader(images), ReadOptions{Labels: path},
			limits{text: 1 << 20, record: 1 << 14, cells: 1 << 14})
		checkFuzzed(t, d, err)
	})
}
