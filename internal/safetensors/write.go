package safetensors

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// entry is the header of one tensor.
type entry struct {
	DType   string  `json:"dtype"`
	Shape   []int   `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

// Write writes tensors, the wider type first and then by name, so that every element lies at a multiple of its size,
// and a checksum of all. The same content gives the same bytes, whatever the order of ts.
func Write(w io.Writer, metadata map[string]string, ts []Tensor) error {
	ts = slices.Clone(ts)
	slices.SortStableFunc(ts, func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(width(b.DType), width(a.DType)), strings.Compare(a.Name, b.Name))
	})
	header := map[string]any{}
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]string{}
	}
	metadata[ChecksumKey] = blank()
	header[metadataKey] = metadata
	offset := int64(0)
	for _, t := range ts {
		n, ok := volume(t.Shape)
		switch {
		case width(t.DType) == 0:
			return fmt.Errorf("safetensors: tensor %q: type %q is not F32 or F64", t.Name, t.DType)
		case !ok || n != int64(len(t.Data)):
			return fmt.Errorf("safetensors: tensor %q: shape %v does not hold %d elements", t.Name,
				t.Shape, len(t.Data))
		case t.Name == metadataKey || !utf8.ValidString(t.Name):
			return fmt.Errorf("safetensors: a tensor cannot be named %q", t.Name)
		case header[t.Name] != nil:
			return fmt.Errorf("safetensors: two tensors are named %q", t.Name)
		}
		end := offset + n*width(t.DType)
		header[t.Name] = entry{t.DType, append([]int{}, t.Shape...), []int64{offset, end}}
		offset = end
	}
	text, err := encode(header)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if err := writeFile(sum, text, ts); err != nil {
		return err
	}
	text, once := withChecksum(text, blank(), format(sum.Sum(nil)))
	if !once {
		return errors.New("safetensors: the metadata hold a text that looks like a checksum")
	}
	return writeFile(w, text, ts)
}

// writeFile writes a header and the elements.
func writeFile(w io.Writer, text []byte, ts []Tensor) error {
	if err := binary.Write(w, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, t := range ts {
		if err := writeData(w, t); err != nil {
			return err
		}
	}
	return nil
}

// encode encodes the header as JSON, keys sorted, padded with spaces to a multiple of 8 bytes.
func encode(header map[string]any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(header); err != nil {
		return nil, err
	}
	text := bytes.TrimRight(out.Bytes(), "\n")
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("safetensors: a header of %d bytes is longer than %d", len(text), maxHeader)
	}
	return text, nil
}

// chunk is how many elements are converted at a time.
const chunk = 8192

func writeData(w io.Writer, t Tensor) error {
	buf := make([]byte, 0, chunk*8)
	for part := range slices.Chunk(t.Data, chunk) {
		buf = buf[:0]
		for _, v := range part {
			if t.DType == "F32" {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(float32(v)))
			} else {
				buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
			}
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// Narrowest returns the narrowest type that holds the values exactly: values of a float32 device fit into F32.
func Narrowest(values []float64) string {
	for _, v := range values {
		if float64(float32(v)) != v {
			return "F64"
		}
	}
	return "F32"
}
