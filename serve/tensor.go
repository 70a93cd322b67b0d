package serve

import (
	"encoding/binary"
	"math"
	"slices"
)

// Datatype is the type of a tensor's elements, by the protocol's name.
type Datatype string

// The types that requests may have. Answers have FP64 and BYTES.
const (
	Bool   Datatype = "BOOL"
	UINT8  Datatype = "UINT8"
	UINT16 Datatype = "UINT16"
	UINT32 Datatype = "UINT32"
	UINT64 Datatype = "UINT64"
	INT8   Datatype = "INT8"
	INT16  Datatype = "INT16"
	INT32  Datatype = "INT32"
	INT64  Datatype = "INT64"
	FP32   Datatype = "FP32"
	FP64   Datatype = "FP64"
	Bytes  Datatype = "BYTES"
)

// size returns the bytes of a number in raw form; 0 if the type has no numbers.
func (d Datatype) size() int {
	switch d {
	case Bool, UINT8, INT8:
		return 1
	case UINT16, INT16:
		return 2
	case UINT32, INT32, FP32:
		return 4
	case UINT64, INT64, FP64:
		return 8
	}
	return 0
}

// isSigned reports whether integers of the type may be negative.
func (d Datatype) isSigned() bool { return slices.Contains([]Datatype{INT8, INT16, INT32, INT64}, d) }

// Tensor is a tensor of a request or an answer, row-major: its numbers or, for BYTES, its texts.
type Tensor struct {
	Name    string
	Type    Datatype
	Shape   []int64
	Numbers []float64
	Texts   []string
}

// TensorSpec is a tensor in the metadata of a model. A size of −1 is any.
type TensorSpec struct {
	Name  string   `json:"name"`
	Type  Datatype `json:"datatype"`
	Shape []int64  `json:"shape"`
}

// maxRank is the most dimensions of a tensor: no model has more.
const maxRank = 4

// elements returns the number of elements of an input, by its shape. It fails above the limit, and for types that no
// input has.
func (t *Tensor) elements(limit int) (int, error) {
	if t.Type != Bytes && t.Type.size() == 0 {
		return 0, invalidf("input %s: datatype %s: give FP32, FP64, BOOL, BYTES or a type of integers, such as INT64",
			quote(t.Name), quote(string(t.Type)))
	}
	if len(t.Shape) == 0 || len(t.Shape) > maxRank {
		return 0, invalidf("input %s has %d dimensions: give 1 to %d", quote(t.Name), len(t.Shape), maxRank)
	}
	n := int64(1)
	for _, d := range t.Shape {
		if d < 0 || d > math.MaxInt32 {
			return 0, invalidf("input %s has the shape %v", quote(t.Name), t.Shape)
		}
		if d > 0 && n > int64(limit)/d {
			return 0, &Error{tooLarge, "input " + quote(t.Name) +
				" has more elements than a request may hold: send fewer rows at a time"}
		}
		n *= d
	}
	return int(n), nil
}

// The raw form of a tensor: numbers in little-endian order, and of BYTES before each element its length in four bytes.
// gRPC and the protocol's binary extension have it.

// fillRaw reads n elements, and nothing may be left.
func (t *Tensor) fillRaw(raw []byte, n int) (err error) {
	if t.Type == Bytes {
		t.Texts, err = rawTexts(t.Name, raw, n)
		return err
	}
	size := t.Type.size()
	if len(raw) != n*size {
		return invalidf("input %s: %d bytes for %d elements of %s, which take %d", quote(t.Name), len(raw), n,
			t.Type, n*size)
	}
	t.Numbers = make([]float64, n)
	for i := range t.Numbers {
		var bits [8]byte
		copy(bits[:], raw[i*size:(i+1)*size])
		t.Numbers[i] = t.Type.value(binary.LittleEndian.Uint64(bits[:]))
	}
	return nil
}

// value decodes a number from its bits, as many as the type has.
func (d Datatype) value(bits uint64) float64 {
	switch {
	case d == FP64:
		return math.Float64frombits(bits)
	case d == FP32:
		return float64(math.Float32frombits(uint32(bits)))
	case d.isSigned():
		above := 64 - 8*d.size()
		return float64(int64(bits<<above) >> above)
	}
	return float64(bits)
}

// rawTexts reads elements of BYTES.
func rawTexts(name string, raw []byte, n int) ([]string, error) {
	if n > len(raw)/4 {
		return nil, invalidf("input %s: %d bytes are too few for %d elements", quote(name), len(raw), n)
	}
	texts := make([]string, n)
	for i := range texts {
		if len(raw) < 4 {
			return nil, invalidf("input %s ends in element %d of %d", quote(name), i+1, n)
		}
		size := binary.LittleEndian.Uint32(raw)
		if raw = raw[4:]; uint64(size) > uint64(len(raw)) {
			return nil, invalidf("input %s: element %d of %d has a length of %d bytes, and %d are left", quote(name),
				i+1, n, size, len(raw))
		}
		texts[i], raw = string(raw[:size]), raw[size:]
	}
	if len(raw) > 0 {
		return nil, invalidf("input %s: %d bytes are left after its %d elements", quote(name), len(raw), n)
	}
	return texts, nil
}

// raw encodes the tensor of an answer in raw form.
func (t *Tensor) raw() (raw []byte) {
	raw, _ = binary.Append(nil, binary.LittleEndian, t.Numbers) // a list of numbers has a form
	for _, text := range t.Texts {
		raw = append(binary.LittleEndian.AppendUint32(raw, uint32(len(text))), text...)
	}
	return raw
}
