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
		switch d {
		case FP32:
			numbers[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		case FP64:
			numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		case INT64:
			numbers[i] = float64(int64(binary.LittleEndian.Uint64(raw[8*i:])))
		}
	}
	return numbers, nil, nil
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

// raw is the tensor of an answer in raw form.
func (t *Tensor) raw() (raw []byte) {
	for _, v := range t.Numbers {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	for _, text := range t.Texts {
		raw = append(binary.LittleEndian.AppendUint32(raw, uint32(len(text))), text...)
	}
	return raw
}
