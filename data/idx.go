package data

import (
	"bytes"
	"encoding/binary"
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

// readIDX reads images, whose labels are in another file.
func readIDX(in *input) (*table, error) {
	a, err := openIDX(in.name, in.bytes)
	if err != nil {
		return nil, err
	}
	if len(a.shape) == 1 {
		return nil, errorf(in.name,
			"holds %d labels, not images: give the file of the images, and this one with --labels "+
				"where its name does not tell", a.shape[0])
	}
	return in.readArray(a)
}

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
			return nil, errorf(name, "byte %d: a dimension of %d: the file is damaged, or not an IDX file", a.offset-4, v)
		}
		a.shape = append(a.shape, int(v))
	}
	return a, nil
}

// sides is "28x28".
func sides(shape []int) string {
	words := make([]string, len(shape))
	for i, v := range shape {
		words[i] = strconv.Itoa(v)
	}
	return strings.Join(words, "x")
}
