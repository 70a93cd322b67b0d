package data

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// The IDX format: two zero bytes, the type of the values, the number of dimensions, then each
// dimension as a big-endian uint32, then the values, the last dimension fastest. Images are
// unsigned bytes of two or more dimensions, the first of which counts them; labels have one.
const (
	idxByte      = 0x08 // unsigned bytes, the only type read
	brightest    = 255
	maxIDXDims   = 8
	imageScaling = "none" // pixels share one unit, and a rare one must not outweigh the rest
)

// isIDX takes everything that starts with two zero bytes, so that a wrong type gets its own
// message.
func isIDX(head []byte) bool { return bytes.HasPrefix(head, []byte{0, 0}) }

// readIDX reads images, each a row of pixels as fractions of the brightest, and their labels
// from another file.
func readIDX(in *input) (*table, error) {
	if err := in.ownTarget(in.name, 1,
		"is an IDX file, and its labels are in another file: give it with --labels"); err != nil {
		return nil, err
	}
	a, err := openIDX(in.name, in.bytes)
	if err != nil {
		return nil, err
	}
	shape := a.shape
	if len(shape) == 1 {
		return nil, errorf(in.name,
			"holds %d labels, not images: give the file of the images, and this one with --labels "+
				"where its name does not tell", shape[0])
	}
	n, d := shape[0], 1
	for _, side := range shape[1:] {
		if d *= side; d > math.MaxInt32 {
			return nil, errorf(in.name,
				"says that an image has %s pixels: the file is damaged, or not an IDX file", sides(shape[1:]))
		}
	}
	if n == 0 || d == 0 {
		return nil, errorf(in.name, "says that it holds %d images of %s pixels: at least one is needed", n,
			sides(shape[1:]))
	}
	if like := in.opt.Like; like != nil && len(like.Columns) != d {
		return nil, errorf(in.name,
			"holds images of %s pixels, the training data have %s: give images of the same size",
			sides(shape[1:]), plural(len(like.Columns), "input"))
	}
	if int64(n)*int64(d+1) > in.lim.cells {
		return nil, errorf(in.name,
			"holds %d images of %s pixels: too large for memory, take a part of it", n, sides(shape[1:]))
	}
	if size, need := in.plainSize(), a.offset+int64(n)*int64(d); size > 0 && need > size {
		return nil, errorf(in.name,
			"byte 4: the header says that it holds %d images of %s pixels, for which a file of %d bytes is "+
				"needed, and this one has %d: it was cut short, or its header is damaged: fetch it again",
			n, sides(shape[1:]), need, size)
	}
	pixels, err := idxValues(a, n*d)
	if err != nil {
		return nil, err
	}
	x := make([]float32, len(pixels))
	for i, p := range pixels {
		x[i] = float32(p) / brightest
	}
	t := &table{x: matrix32(n, d, x), schema: Schema{Columns: plainColumns(in.opt.Like, d)}, autoScaling: imageScaling}
	return t, in.takeTargets(t)
}

// idxLabels reads the labels of an IDX file.
func idxLabels(name string, r *bufio.Reader, n int) (*targets, error) {
	a, err := openIDX(name, r)
	switch {
	case err != nil:
		return nil, err
	case len(a.shape) != 1:
		return nil, errorf(name, "holds %d dimensions: an IDX file of labels has one", len(a.shape))
	case a.shape[0] != n:
		return nil, wrongCount(name, a.shape[0], n)
	}
	t := &targets{classes: true, place: func(i int) string { return fmt.Sprintf("byte %d", a.offset+int64(i)) }}
	values, err := idxValues(a, n)
	for _, v := range values {
		t.y = append(t.y, float64(v))
	}
	return t, err
}

// openIDX reads the header of an array of unsigned bytes.
func openIDX(name string, r io.Reader) (*npyArray, error) {
	a := &npyArray{name: name, r: r, dtype: "u1"}
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
			return nil, errorf(name, "byte %d: a dimension of %d: the file is damaged, or not an IDX file", a.offset-4, v)
		}
		a.shape = append(a.shape, int(v))
	}
	return a, nil
}

// idxValues reads exactly n bytes, which end the file. They gather as they come: a header may lie
// about them.
func idxValues(a *npyArray, n int) ([]byte, error) {
	values, err := io.ReadAll(io.LimitReader(a.r, int64(n)+1))
	switch {
	case len(values) > n:
		return nil, errorf(a.name, "byte %d: there is more after its %d values: the header and the file do not belong "+
			"together", a.offset+int64(n), n)
	case err != nil:
		return nil, readError(a.name, err)
	case len(values) < n:
		return nil, errorf(a.name, "byte %d: ends after %d of %d values: the file was cut short, fetch it again",
			a.offset+int64(len(values)), len(values), n)
	}
	return values, nil
}

// sides is "28x28".
func sides(shape []int) string {
	words := make([]string, len(shape))
	for i, v := range shape {
		words[i] = strconv.Itoa(v)
	}
	return strings.Join(words, "x")
}
