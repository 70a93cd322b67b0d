package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gorgonia.org/tensor"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// The npy format: the magic bytes, a version, the length of the header, the header, a Python dictionary of descr,
// fortran_order and shape, and the values.
const (
	npyMagic      = "\x93NUMPY"
	npyMostHeader = 1 << 16
	npyMostDims   = 32
	npyChunk      = 1 << 16 // values decoded at a time
)

// npyArray is an array whose header is read, and whose values come next.
type npyArray struct {
	name   string
	r      io.Reader
	offset int64 // offset of the values
	dtype  string
	shape  []int

	idx     bool // the array is in an IDX file
	fortran bool // values stand with the first index running fastest: what numpy.save makes of x.T
	// free reports the values that need not be finite, where the last index runs fastest; nil for none
	free func(i int) bool
}

// npyType is one of the types read: little-endian, or of one byte.
type npyType struct {
	size   int
	decode func([]byte) float64
}

var npyTypes = map[string]npyType{
	"b1":  {1, func(b []byte) float64 { return float64(b[0]) }},
	"u1":  {1, func(b []byte) float64 { return float64(b[0]) }},
	"i1":  {1, func(b []byte) float64 { return float64(int8(b[0])) }},
	"<i2": {2, func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) }},
	"<u2": {2, func(b []byte) float64 { return float64(binary.LittleEndian.Uint16(b)) }},
	"<i4": {4, func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }},
	"<u4": {4, func(b []byte) float64 { return float64(binary.LittleEndian.Uint32(b)) }},
	"<i8": {8, func(b []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(b))) }},
	"<u8": {8, func(b []byte) float64 { return float64(binary.LittleEndian.Uint64(b)) }},
	"<f4": {4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
	"<f8": {8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
}

func (a *npyArray) kind() npyType { return npyTypes[strings.TrimPrefix(a.dtype, "|")] }

// openNpy reads the header.
func openNpy(name string, r io.Reader) (*npyArray, error) {
	a := &npyArray{name: name, r: r}
	fixed := make([]byte, 10)
	if err := a.full(fixed, "its header"); err != nil {
		return nil, err
	}
	if string(fixed[:6]) != npyMagic {
		return nil, errorf(name, "byte 0: starts with % x: an npy array starts with 93 4e 55 4d 50 59", fixed[:6])
	}
	length := int(binary.LittleEndian.Uint16(fixed[8:]))
	if fixed[6] > 1 {
		more := make([]byte, 2)
		if err := a.full(more, "its header"); err != nil {
			return nil, err
		}
		length = int(binary.LittleEndian.Uint32(append(fixed[8:10:10], more...)))
	}
	if fixed[6] < 1 || fixed[6] > 3 || length > npyMostHeader {
		return nil, errorf(name,
			"byte 6: version %d with a header of %d bytes: save it again by numpy.save", fixed[6], length)
	}
	header := make([]byte, length)
	if err := a.full(header, "its header"); err != nil {
		return nil, err
	}
	return a, a.parse(string(header))
}

// full fills b, the next bytes of the file.
func (a *npyArray) full(b []byte, what string) error {
	n, err := io.ReadFull(a.r, b)
	a.offset += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errorf(a.name, "byte %d: ends in the middle of %s: the file was cut short, fetch it again",
			a.offset, what)
	} else if err != nil {
		return readError(a.name, err)
	}
	return nil
}

// parse reads the dictionary.
func (a *npyArray) parse(header string) error {
	descr, fortran, shape := npyEntry(header, "descr"), npyEntry(header, "fortran_order"), npyEntry(header, "shape")
	if len(descr) > 0 && (descr[0] == '\'' || descr[0] == '"') {
		a.dtype, _, _ = strings.Cut(descr[1:], descr[:1])
	}
	inside, _, closed := strings.Cut(strings.TrimPrefix(shape, "("), ")")
	if descr == "" || !closed || !strings.HasPrefix(shape, "(") {
		return errorf(a.name, "byte 10: the header has no descr or shape: save it again by numpy.save")
	}
	if a.kind().size == 0 {
		word := a.dtype
		if word == "" {
			word = "structured"
		}
		advice := "save them by astype('<f4'), or '<f8'"
		if kind := strings.Trim(word, "<>|0123456789"); kind == "U" || kind == "S" {
			advice = "save words as the numbers of their classes, numpy.unique(words, return_inverse=True)[1], or " +
				"all columns as CSV"
		}
		return errorf(a.name, "byte 10: holds values of the type %s: float32, float64, bool and integers are read, in "+
			"little-endian order; %s", phrase.Quote(word), advice)
	}
	if a.fortran = strings.HasPrefix(fortran, "True"); !a.fortran && !strings.HasPrefix(fortran, "False") {
		return errorf(a.name, "byte 10: the header does not say fortran_order: save it again by numpy.save")
	}
	for _, word := range strings.Split(inside, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		side, err := strconv.Atoi(word)
		if err != nil || side < 0 || side > math.MaxInt32 || len(a.shape) == npyMostDims {
			return errorf(a.name, "byte 10: the shape (%s) cannot be read", inside)
		}
		a.shape = append(a.shape, side)
	}
	return nil
}

// npyEntry returns the value of a key of the dictionary.
func npyEntry(header, key string) string {
	for _, q := range []string{"'", `"`} {
		if _, after, found := strings.Cut(header, q+key+q); found {
			return strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(after, " "), ":"), " ")
		}
	}
	return ""
}

// rows returns the shape as a table: the first dimension counts the rows. Its size fits lim.
func (a *npyArray) rows(lim limits) (n, d int, err error) {
	if len(a.shape) == 0 {
		return 0, 0, errorf(a.name, "holds a single value: an array of one dimension or more is needed")
	}
	n, d = a.shape[0], 1
	for _, side := range a.shape[1:] {
		if d *= side; d > math.MaxInt32 {
			break
		}
	}
	switch {
	case n == 0 || d == 0:
		return 0, 0, errorf(a.name, "holds an array of %s values: at least one is needed", sides(a.shape))
	case d > math.MaxInt32 || int64(n)*int64(d) > lim.cells:
		return 0, 0, errorf(a.name, "holds an array of %s values: too large for memory, take a part of it",
			sides(a.shape))
	}
	return n, d, nil
}

// matrix reads all values, each times factor, as a table of n rows. They gather as they come: a header may lie.
func (a *npyArray) matrix(n, d int, factor float64) (*tensor.Dense, error) {
	if a.kind().size <= 2 || strings.HasSuffix(a.dtype, "f4") { // float32 holds every value
		return npyMatrix(a, n, d, func(v float64) float32 { return float32(v * factor) })
	}
	return npyMatrix(a, n, d, func(v float64) float64 { return v * factor })
}

func npyMatrix[T float32 | float64](a *npyArray, n, d int, convert func(float64) T) (*tensor.Dense, error) {
	x, err := npyValues(a, n*d, convert)
	if err != nil {
		return nil, err
	}
	return matrix.New(n, d, x), nil
}

// npyValues reads exactly n values, which end the file. The last index of the result runs fastest.
func npyValues[T float32 | float64](a *npyArray, n int, convert func(float64) T) ([]T, error) {
	t := a.kind()
	var blocks [][]T
	chunk := make([]byte, min(n, npyChunk)*t.size)
	for done := 0; done < n; {
		k := min(npyChunk, n-done)
		if err := a.full(chunk[:k*t.size], fmt.Sprintf("its %d values", n)); err != nil {
			return nil, err
		}
		block := make([]T, k)
		for i := range block {
			v := t.decode(chunk[i*t.size:])
			if !(math.Abs(v) <= maxMagnitude) && (a.free == nil || !a.free(a.index(done+i))) {
				return nil, errorf(a.name,
					"byte %d: value %s is %g: only finite numbers within ±%g can be used, correct it or remove the row",
					a.offset-int64((k-i)*t.size), a.place(a.index(done+i)), v, maxMagnitude)
			}
			block[i] = convert(v)
		}
		blocks = append(blocks, block)
		done += k
	}
	if extra, err := io.ReadFull(a.r, chunk[:1]); extra > 0 {
		return nil, errorf(a.name,
			"byte %d: there is more after its %d values: the header and the file do not belong together", a.offset, n)
	} else if err != io.EOF { // a checksum is compared at the end
		return nil, readError(a.name, err)
	}
	values := join(blocks)
	if !a.fortran || len(a.shape) < 2 {
		return values, nil
	}
	ordered := make([]T, n)
	for i, v := range values {
		ordered[a.index(i)] = v
	}
	return ordered, nil
}

// index returns where value i of the file stands where the last index runs fastest.
func (a *npyArray) index(i int) (at int) {
	if !a.fortran {
		return i
	}
	step := 1
	for _, side := range a.shape {
		step *= side
	}
	for _, side := range a.shape {
		step /= side
		at += i % side * step
		i /= side
	}
	return at
}

// place returns "[3, 17]", the position of value i where the last index runs fastest.
func (a *npyArray) place(i int) string {
	words := make([]string, len(a.shape))
	for k := len(a.shape) - 1; k >= 0; k-- {
		words[k] = strconv.Itoa(i % a.shape[k])
		i /= a.shape[k]
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// The IDX format: two zero bytes, the type of the values, the number of dimensions, then each dimension as a big-endian
// uint32, then the values, the last dimension fastest. Images are unsigned bytes of two or more dimensions, the first
// of which counts them; labels have one.
const (
	idxByte      = 0x08 // unsigned bytes, the only type read
	brightest    = 255
	maxIDXDims   = 8
	imageScaling = "none" // pixels share one unit, and a rare one must not outweigh the rest
)

// isIDX takes everything that starts with two zero bytes, so that a wrong type gets its own message.
func isIDX(head []byte) bool { return bytes.HasPrefix(head, []byte{0, 0}) }

// openIDX reads the header of an array of unsigned bytes.
func openIDX(name string, r io.Reader) (*npyArray, error) {
	a := &npyArray{name: name, r: r, dtype: "u1", idx: true}
	head := make([]byte, 4)
	if err := a.full(head, "a header"); err != nil {
		return nil, err
	}
	if head[2] != idxByte || head[3] == 0 || head[3] > maxIDXDims {
		return nil, errorf(name,
			"byte 0: starts with % x: an IDX file of images starts with 00 00 08 03, one of labels with 00 00 "+
				"08 01", head)
	}
	for range head[3] {
		side := make([]byte, 4)
		if err := a.full(side, "a header"); err != nil {
			return nil, err
		}
		v := binary.BigEndian.Uint32(side)
		if v > math.MaxInt32 {
			return nil, errorf(name, "byte %d: a dimension of %d: the file is damaged, or not an IDX file", a.offset-4,
				v)
		}
		a.shape = append(a.shape, int(v))
	}
	return a, nil
}

// sides returns "28x28".
func sides(shape []int) string { return strings.Join(mapSlice(shape, strconv.Itoa), "x") }
