package serve

import (
	"encoding/binary"
	"math"
)

// The raw form of a tensor: numbers in little-endian order, and of BYTES before each element its
// length in four bytes. gRPC and the protocol's binary extension have it.

// fromRaw reads n elements, and nothing may be left.
func fromRaw(name string, d Datatype, raw []byte, n int) (numbers []float64, texts []string, err error) {
	if d == Bytes {
		texts, err = rawTexts(name, raw, n)
		return nil, texts, err
	}
	if len(raw) != n*d.size() {
		return nil, nil, badf("input %q: %d bytes for %d elements of %s, which take %d", name,
			len(raw), n, d, n*d.size())
	}
	numbers = make([]float64, n)
	for i := range numbers {
		var bits [8]byte
		copy(bits[:], raw[i*d.size():(i+1)*d.size()])
		numbers[i] = d.value(binary.LittleEndian.Uint64(bits[:]))
	}
	return numbers, nil, nil
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
		return nil, badf("input %q: %d bytes are too few for %d elements", name, len(raw), n)
	}
	texts := make([]string, n)
	for i := range texts {
		if len(raw) < 4 {
			return nil, badf("input %q ends in element %d of %d", name, i+1, n)
		}
		size := binary.LittleEndian.Uint32(raw)
		if raw = raw[4:]; uint64(size) > uint64(len(raw)) {
			return nil, badf("input %q: element %d of %d has a length of %d bytes, and %d are left", name,
				i+1, n, size, len(raw))
		}
		texts[i], raw = string(raw[:size]), raw[size:]
	}
	if len(raw) > 0 {
		return nil, badf("input %q: %d bytes are left behind its %d elements", name, len(raw), n)
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
