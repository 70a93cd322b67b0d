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
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Read reads a file of size bytes. No more is allocated than the length of the file allows, and an unsound file is an
// error that wraps ErrFormat: a header longer than the file, a gap or an overlap between tensors, a shape that does not
// fit its bytes, bytes left over. A file with a wrong checksum is ErrChecksum. Files of other programs have no
// checksum, and then the metadata have none either.
func Read(r io.ReaderAt, size int64) (metadata map[string]string, ts []Tensor, err error) {
	header, metadata, entries, err := readLayout(r, size)
	if err != nil {
		return nil, nil, err
	}
	start := 8 + int64(len(header))
	checksum, hasChecksum := metadata[ChecksumKey]
	sum := sha256.New()
	if hasChecksum {
		plain, once := withChecksum(header, checksum, blank())
		if !once {
			return nil, nil, ErrChecksum
		}
		binary.Write(sum, binary.LittleEndian, uint64(len(plain)))
		sum.Write(plain)
	}
	for _, e := range entries {
		if e.Data, err = readData(r, e, start, sum); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", e.Name, err)
		}
		ts = append(ts, e.Tensor)
	}
	if hasChecksum && checksum != format(sum.Sum(nil)) {
		return nil, nil, ErrChecksum
	}
	slices.SortStableFunc(ts, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return metadata, ts, nil
}

// Check reports whether a file is as long as its header tells, and reads no tensor.
func Check(r io.ReaderAt, size int64) error {
	_, _, _, err := readLayout(r, size)
	return err
}

// readLayout reads the header, with the metadata, and the tensors in the order of their bytes, which fill the file.
func readLayout(r io.ReaderAt, size int64) (header []byte, metadata map[string]string, entries []located, err error) {
	if header, err = readHeader(r, size); err != nil {
		return nil, nil, nil, err
	}
	if metadata, entries, err = parseHeader(header); err != nil {
		return nil, nil, nil, err
	}
	start, end := 8+int64(len(header)), int64(0)
	for _, e := range entries {
		if e.begin != end {
			return nil, nil, nil, formatError("tensor %q begins at byte %d of the data, expected %d: a gap or "+
				"an overlap", e.Name, e.begin, end)
		}
		end = e.end
	}
	if end != size-start {
		return nil, nil, nil, formatError("its tensors take %d bytes, and the file has %d: cut short, "+
			"or damaged", end, size-start)
	}
	return header, metadata, entries, nil
}

// Begins reports whether a file begins like a file of this format. The rest may be damaged or missing.
func Begins(r io.Reader) bool {
	var first [9]byte
	_, err := io.ReadFull(r, first[:])
	return err == nil && binary.LittleEndian.Uint64(first[:]) <= maxHeader && first[8] == '{'
}

func readHeader(r io.ReaderAt, size int64) ([]byte, error) {
	if size < 8 {
		return nil, formatError("%d bytes are too few", size)
	}
	var length [8]byte
	if _, err := r.ReadAt(length[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, formatError("it says that its header has %d bytes, and the file has %d: cut short, or damaged", n,
			size)
	}
	header := make([]byte, n)
	if _, err := r.ReadAt(header, 8); err != nil && err != io.EOF {
		return nil, err
	}
	if n == 0 || header[0] != '{' {
		return nil, formatError("its header does not begin with {")
	}
	if !utf8.Valid(header) {
		return nil, formatError("its header is not UTF-8")
	}
	return header, nil
}

// located is a tensor and the bytes of the data that hold it.
type located struct {
	Tensor
	begin, end int64
}

// parseHeader gives the metadata, and the tensors in the order of their bytes.
func parseHeader(header []byte) (metadata map[string]string, all []located, err error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(header, &values); err != nil {
		return nil, nil, formatError("header: %v", err)
	}
	for name, text := range values {
		if name == metadataKey {
			if err := json.Unmarshal(text, &metadata); err != nil {
				return nil, nil, formatError("%s: %v", metadataKey, err)
			}
			continue
		}
		e, err := parseEntry(name, text)
		if err != nil {
			return nil, nil, formatError("tensor %q: %v", name, err)
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), strings.Compare(a.Name, b.Name))
	})
	return metadata, all, nil
}

func parseEntry(name string, text []byte) (located, error) {
	var of entry
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&of); err != nil {
		return located{}, err
	}
	n, ok := volume(of.Shape)
	switch {
	case width(of.DType) == 0:
		return located{}, fmt.Errorf("type %q is not F32 or F64", of.DType)
	case of.Shape == nil || len(of.Offsets) != 2:
		return located{}, errors.New("needs dtype, shape and two data_offsets")
	case !ok:
		return located{}, fmt.Errorf("shape %v has more elements than can be counted", of.Shape)
	}
	e := located{Tensor{Name: name, DType: of.DType, Shape: of.Shape}, of.Offsets[0], of.Offsets[1]}
	if e.begin < 0 || e.end-e.begin != n*width(e.DType) {
		return located{}, fmt.Errorf("shape %v of %s does not fit the bytes %d to %d", e.Shape, e.DType, e.begin, e.end)
	}
	return e, nil
}

// readData reads the elements of a tensor, and hashes their bytes.
func readData(r io.ReaderAt, e located, start int64, sum io.Writer) ([]float64, error) {
	w := width(e.DType)
	data := make([]float64, (e.end-e.begin)/w)
	buf := make([]byte, chunk*w)
	for done := 0; done < len(data); {
		n := min(chunk, len(data)-done)
		part := buf[:int64(n)*w]
		if read, err := r.ReadAt(part, start+e.begin+int64(done)*w); err != nil && read < len(part) {
			return nil, err
		}
		sum.Write(part)
		for i := range n {
			if w == 4 {
				data[done+i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(part[i*4:])))
			} else {
				data[done+i] = math.Float64frombits(binary.LittleEndian.Uint64(part[i*8:]))
			}
		}
		done += n
	}
	return data, nil
}
