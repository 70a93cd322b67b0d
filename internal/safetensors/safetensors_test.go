package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func sample() (map[string]string, []Tensor) {
	return map[string]string{"format": "test", "note": "<&> \u2028 \"q\""}, []Tensor{
		{"w.mean", "F32", []int{2, 3}, []float64{1, -2, 0.5, 0, float64(float32(0.1)), math.MaxFloat32}},
		{"alpha", "F32", []int{1}, []float64{-7}},
		{"x", "F64", []int{2, 1}, []float64{0.1, math.SmallestNonzeroFloat64}},
		{"none", "F64", []int{0, 4}, []float64{}},
		{"scalar", "F64", []int{}, []float64{3}},
	}
}

func write(t testing.TB, metadata map[string]string, ts []Tensor) []byte {
	t.Helper()
	var out bytes.Buffer
	must.OK(t, Write(&out, metadata, ts))
	return out.Bytes()
}

func read(b []byte) (map[string]string, []Tensor, error) {
	return Read(bytes.NewReader(b), int64(len(b)))
}

func TestRoundTrip(t *testing.T) {
	metadata, ts := sample()
	file := write(t, metadata, ts)
	if n := binary.LittleEndian.Uint64(file); n%8 != 0 {
		t.Errorf("the header's length %d is no multiple of 8", n)
	}
	gotMetadata, got, err := read(file)
	must.OK(t, err)
	if sum := gotMetadata[ChecksumKey]; len(sum) != len(blank()) || sum == blank() {
		t.Errorf("the checksum is %q", sum)
	}
	if delete(gotMetadata, ChecksumKey); !reflect.DeepEqual(gotMetadata, metadata) {
		t.Errorf("metadata came back as %q", gotMetadata)
	}
	byName := map[string]Tensor{}
	for _, x := range ts {
		byName[x.Name] = x
	}
	last := ""
	for _, x := range got {
		if !reflect.DeepEqual(x, byName[x.Name]) {
			t.Errorf("%s came back as %+v", x.Name, x)
		}
		if x.Name < last {
			t.Errorf("%s comes after %s", x.Name, last)
		}
		last = x.Name
	}
	if len(got) != len(ts) {
		t.Errorf("%d tensors came back of %d", len(got), len(ts))
	}
	ts[0], ts[3] = ts[3], ts[0]
	if !bytes.Equal(file, write(t, metadata, ts)) {
		t.Error("another order of the same tensors gave other bytes")
	}
}

// A long tensor crosses the boundaries of the conversion buffer.
func TestLongTensor(t *testing.T) {
	for _, dtype := range []string{"F32", "F64"} {
		want := Tensor{"long", dtype, []int{chunk*2 + 31}, make([]float64, chunk*2+31)}
		for i := range want.Data {
			want.Data[i] = float64(i)
		}
		_, got, err := read(write(t, nil, []Tensor{want}))
		if err != nil || !reflect.DeepEqual(got[0], want) {
			t.Errorf("%s: %v", dtype, err)
		}
	}
}

// The bytes of a small file, written out from the format's description.
func TestGolden(t *testing.T) {
	header := `{"__metadata__":{"checksum":` +
		`"sha256:9348e12daac991b02111ffc2f9c513a115440b189624d6927e24f75465d15200"},` +
		`"a":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},"b":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	want := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	want = append(want, header...)
	want = append(want, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f) // 1.5
	want = append(want, 0, 0, 0x20, 0xc0)             // -2.5
	got := write(t, nil, []Tensor{{"a", "F32", []int{1}, []float64{-2.5}}, {"b", "F64", []int{1}, []float64{1.5}}})
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

// Every changed bit of a file is noticed: by the checksum, or before it. The file of another program has no checksum.
func TestFlippedBits(t *testing.T) {
	metadata, ts := sample()
	whole := write(t, metadata, ts)
	for bit := range 8 * len(whole) {
		flipped := bytes.Clone(whole)
		flipped[bit/8] ^= 1 << (bit % 8)
		if got, _, err := read(flipped); err == nil && got[ChecksumKey] != "" {
			t.Errorf("bit %d of byte %d, %q, is not noticed", bit%8, bit/8, whole[bit/8])
		}
	}
	for size := range whole {
		if _, _, err := read(whole[:size]); err == nil {
			t.Errorf("%d of %d bytes are taken for a file", size, len(whole))
		}
	}
	other := []byte(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`)
	other = append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(other))), other...), 0, 0, 0, 0)
	if metadata, ts, err := read(other); err != nil || len(ts) != 1 || metadata[ChecksumKey] != "" {
		t.Errorf("another program's: %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	one := []float64{1}
	for name, ts := range map[string][]Tensor{
		"type":     {{"a", "F16", []int{1}, one}},
		"shape":    {{"a", "F32", []int{2}, one}},
		"negative": {{"a", "F32", []int{-1, -1}, one}},
		"reserved": {{metadataKey, "F32", []int{1}, one}},
		"UTF-8":    {{"\xff", "F32", []int{1}, one}},
		"twice":    {{"a", "F32", []int{1}, one}, {"a", "F32", []int{1}, one}},
	} {
		if err := Write(io.Discard, nil, ts); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

// file returns any header and n bytes of data.
func file(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

func TestHostileHeaders(t *testing.T) {
	huge := make([]byte, 8)
	binary.LittleEndian.PutUint64(huge, math.MaxUint64)
	over := file(`{}`, 0)
	binary.LittleEndian.PutUint64(over, 3)
	tensor := func(name, shape string, begin, end int) string {
		return fmt.Sprintf(`"%s":{"dtype":"F32","shape":%s,"data_offsets":[%d,%d]}`, name, shape, begin, end)
	}
	for name, b := range map[string][]byte{
		"empty":                   {},
		"too short for a length":  {1, 0, 0, 0, 0, 0, 0},
		"length 2⁶⁴−1":            huge,
		"header beyond the file":  over,
		"header of no bytes":      file("", 0),
		"not an object":           file(`[]`, 0),
		"leading space":           file(` {}`, 0),
		"not closed":              file(`{`, 0),
		"junk after the brace":    file(`{} x`, 0),
		"second object":           file(`{}{}`, 0),
		"not UTF-8":               file("{\"\xff\":1}", 0),
		"deep nesting":            file(`{"a":`+strings.Repeat("[", 20000), 0),
		"bytes left over":         file(`{`+tensor("a", "[1]", 0, 4)+`}`, 5),
		"data cut short":          file(`{`+tensor("a", "[1]", 0, 4)+`}`, 3),
		"gap":                     file(`{`+tensor("a", "[1]", 0, 4)+`,`+tensor("b", "[1]", 5, 9)+`}`, 9),
		"not from 0":              file(`{`+tensor("a", "[1]", 4, 8)+`}`, 8),
		"overlap":                 file(`{`+tensor("a", "[2]", 0, 8)+`,`+tensor("b", "[2]", 4, 12)+`}`, 12),
		"same bytes twice":        file(`{`+tensor("a", "[1]", 0, 4)+`,`+tensor("b", "[1]", 0, 4)+`}`, 4),
		"repeated tensor":         file(`{`+tensor("a", "[1]", 0, 4)+`,`+tensor("a", "[1]", 4, 8)+`}`, 8),
		"end before begin":        file(`{`+tensor("a", "[1]", 4, 0)+`}`, 4),
		"negative offset":         file(`{`+tensor("a", "[1]", -4, 0)+`}`, 4),
		"shape too large":         file(`{`+tensor("a", "[2]", 0, 4)+`}`, 4),
		"shape overflows to 1":    file(`{`+tensor("a", "[4294967296,4294967296,1]", 0, 4)+`}`, 4),
		"shape beyond int":        file(`{`+tensor("a", "[99999999999999999999]", 0, 4)+`}`, 4),
		"fractional shape":        file(`{`+tensor("a", "[1.0]", 0, 4)+`}`, 4),
		"exponent in the shape":   file(`{`+tensor("a", "[1e0]", 0, 4)+`}`, 4),
		"quoted shape":            file(`{`+tensor("a", `["1"]`, 0, 4)+`}`, 4),
		"null in the shape":       file(`{`+tensor("a", `[null]`, 0, 4)+`}`, 4),
		"shape is null":           file(`{`+tensor("a", `null`, 0, 4)+`}`, 4),
		"shape is a number":       file(`{`+tensor("a", `1`, 0, 4)+`}`, 4),
		"no shape":                file(`{"a":{"dtype":"F32","data_offsets":[0,4]}}`, 4),
		"no offsets":              file(`{"a":{"dtype":"F32","shape":[1]}}`, 4),
		"three offsets":           file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}}`, 4),
		"unknown key":             file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}}`, 4),
		"unknown type":            file(`{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}`, 4),
		"type is a number":        file(`{"a":{"dtype":1,"shape":[1],"data_offsets":[0,4]}}`, 4),
		"tensor is a number":      file(`{"a":1}`, 4),
		"metadata is a list":      file(`{"__metadata__":[]}`, 0),
		"metadata of numbers":     file(`{"__metadata__":{"a":1}}`, 0),
		"a hole hidden by a zero": file(`{`+tensor("a", "[0]", 4, 4)+`,`+tensor("b", "[1]", 4, 8)+`}`, 8),
	} {
		if _, ts, err := read(b); err == nil {
			t.Errorf("%s: read as %v", name, ts)
		} else if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v is not an ErrFormat", name, err)
		}
	}
}

// Whatever length a file is cut to, it is refused.
func TestTruncatedFile(t *testing.T) {
	metadata, ts := sample()
	whole := write(t, metadata, ts)
	for n := range whole {
		if _, _, err := read(whole[:n]); !errors.Is(err, ErrFormat) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	metadata, ts := sample()
	for after := range len(write(t, metadata, ts)) {
		if err := Write(&failing{after}, metadata, ts); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("a disk of %d bytes: %v", after, err)
		}
	}
}

// The format's own reader and writer, where Python has them; without them the test is skipped, and fails if
// REQUIRE_PYTHON is set.
func TestPython(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import numpy, safetensors.numpy").CombinedOutput(); err != nil {
		if os.Getenv("REQUIRE_PYTHON") != "" {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Skip("needs python3 with numpy and safetensors (pip install numpy safetensors)")
	}
	dir := t.TempDir()
	metadata, ts := sample()
	ours, theirs := filepath.Join(dir, "ours.safetensors"), filepath.Join(dir, "theirs.safetensors")
	must.OK(t, os.WriteFile(ours, write(t, metadata, ts), 0o666))
	script := `import sys
from safetensors import safe_open
from safetensors.numpy import save_file
f = safe_open(sys.argv[1], "np")
metadata = {k: v for k, v in f.metadata().items() if k != "checksum"} # which is of our bytes
save_file({k: f.get_tensor(k) for k in f.keys()}, sys.argv[2], metadata)`
	if out, err := exec.Command("python3", "-c", script, ours, theirs).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	back := must.Get(os.ReadFile(theirs))(t)
	gotMetadata, got, err := read(back)
	if err != nil || !reflect.DeepEqual(gotMetadata, metadata) {
		t.Fatalf("%v, metadata %q", err, gotMetadata)
	}
	if _, want, _ := read(write(t, metadata, ts)); !reflect.DeepEqual(got, want) {
		t.Errorf("came back as %v", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, nil, nil))
	metadata, ts := sample()
	f.Add(write(f, metadata, ts))
	f.Add(file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4))
	f.Fuzz(func(t *testing.T, b []byte) {
		metadata, ts, err := read(b)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("%v is not an ErrFormat", err)
			}
			return
		}
		first := write(t, metadata, ts)
		metadata, ts, err = read(first)
		must.OK(t, err)
		if again := write(t, metadata, ts); !bytes.Equal(first, again) {
			t.Fatal("what was read is not what was written")
		}
	})
}
