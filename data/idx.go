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
	idxHeader1   = 8    // bytes before the values of one dimension
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
	shape, err := idxShape(in.name, in.bytes)
	if err != nil {
		return nil, err
	}
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
	if size, need := in.plainSize(), int64(4+4*len(shape))+int64(n)*int64(d); size > 0 && need > size {
		return nil, errorf(in.name,
			"byte 4: the header says that it holds %d images of %s pixels, for which a file of %d bytes is "+
				"needed, and this one has %d: it was cut short, or its header is damaged: fetch it again",
			n, sides(shape[1:]), need, size)
	}
	pixels, err := idxValues(in.name, in.bytes, 4+4*len(shape), n*d)
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
	shape, err := idxShape(name, r)
	switch {
	case err != nil:
		return nil, err
	case len(shape) != 1:
		return nil, errorf(name, "holds %d dimensions: an IDX file of labels has one", len(shape))
	case shape[0] != n:
		return nil, wrongCount(name, shape[0], n)
	}
	values, err := idxValues(name, r, idxHeader1, n)
	if err != nil {
		return nil, err
	}
	t := &targets{y: make([]float64, n), classes: true,
		place: func(i int) string { return fmt.Sprintf("byte %d", idxHeader1+i) }}
	for i, v := range values {
		t.y[i] = float64(v)
	}
	return t, nil
}

// idxShape reads the header.
func idxShape(name string, r *bufio.Reader) ([]int, error) {
	var head [4]byte
	if err := idxFull(name, r, head[:], 0, "a header"); err != nil {
		return nil, err
	}
	if head[2] != idxByte || head[3] == 0 || head[3] > maxIDXDims {
		return nil, errorf(name,
			"byte 0: starts with % x: an IDX file of images starts with 00 00 08 03, one of labels with 00 00 "+
				"08 01", head)
	}
	shape := make([]int, head[3])
	for i := range shape {
		var side [4]byte
		if err := idxFull(name, r, side[:], 4+4*i, "a header"); err != nil {
			return nil, err
		}
		v := binary.BigEndian.Uint32(side[:])
		if v > math.MaxInt32 {
			return nil, errorf(name, "byte %d: a dimension of %d: the file is damaged, or not an IDX file", 4+4*i, v)
		}
		shape[i] = int(v)
	}
	return shape, nil
}

// idxFull fills b, which starts at an offset of the file.
func idxFull(name string, r io.Reader, b []byte, offset int, what string) error {
	n, err := io.ReadFull(r, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errorf(name, "byte %d: ends in the middle of %s: the file was cut short, fetch it again", offset+n, what)
	} else if err != nil {
		return readError(name, err)
	}
	return nil
}

// idxValues reads exactly n bytes, which end the file. They gather as they come: a header may lie
// about them.
func idxValues(name string, r io.Reader, offset, n int) ([]byte, error) {
	values, err := io.ReadAll(io.LimitReader(r, int64(n)+1))
	switch {
	case len(values) > n:
		return nil, errorf(name,
			"byte %d: there is more after its %d values: the header and the file do not belong together", offset+n, n)
	case err != nil:
		return nil, readError(name, err)
	case len(values) < n:
		return nil, errorf(name,
			"byte %d: ends after %d of %d values: the file was cut short, fetch it again", offset+len(values),
			len(values), n)
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
