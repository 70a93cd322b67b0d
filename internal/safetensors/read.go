package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"unicode/utf8"
)

// Read reads a file of size bytes. Nothing is allocated that the file does not pay for with its own
// length, and an unsound file is an error that wraps ErrFormat: a header longer than the file, a
// repeated key, a gap or an overlap between tensors, a shape that does not fit its bytes, bytes
// left over. A file with a checksum that is not its own is ErrChecksum; the metadata have none
// where the file has none, as other programs write it.
func Read(r io.ReaderAt, size int64) (metadata map[string]string, ts []Tensor, err error) {
	header, err := readHeader(r, size)
	if err != nil {
		return nil, nil, err
	}
	members, err := object(header)
	if err != nil {
		return nil, nil, formatError("header: %v", err)
	}
	var entries []located
	for _, m := range members {
		if m.key == metadataKey {
			if metadata, err = parseMetadata(m.value); err != nil {
				return nil, nil, formatError("%s: %v", metadataKey, err)
			}
			continue
		}
		e, err := parseEntry(m.key, m.value)
		if err != nil {
			return nil, nil, formatError("tensor %q: %v", m.key, err)
		}
		entries = append(entries, e)
	}
	sort.SliceStable(entries, func(i, j int) bool {
		if entries[i].begin != entries[j].begin {
			return entries[i].begin < entries[j].begin
		}
		return entries[i].end < entries[j].end
	})
	checksum, has := metadata[ChecksumKey]
	sum := sha256.New()
	if has {
		plain, once := withChecksum(header, checksum, blank())
		if !once {
			return nil, nil, ErrChecksum
		}
		binary.Write(sum, binary.LittleEndian, uint64(len(plain)))
		sum.Write(plain)
	}
	start := 8 + int64(len(header))
	at := int64(0)
	for _, e := range entries {
		if e.begin != at {
			return nil, nil, formatError("tensor %q begins at byte %d of the data, expected %d: a gap or "+
				"an overlap", e.Name, e.begin, at)
		}
		at = e.end
	}
	if at != size-start {
		return nil, nil, formatError("its tensors take %d bytes, and the file has %d: cut short, "+
			"or damaged", at, size-start)
	}
	for _, e := range entries {
		if e.Data, err = readData(r, e, start, sum); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", e.Name, err)
		}
		ts = append(ts, e.Tensor)
	}
	if has && checksum != format(sum.Sum(nil)) {
		return nil, nil, ErrChecksum
	}
	sort.Slice(ts, func(i, j int) bool { return ts[i].Name < ts[j].Name })
	return metadata, ts, nil
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
	if n > MaxHeader || int64(n) > size-8 {
		return nil, formatError("it says that its header has %d bytes, and the file has %d", n, size)
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

// member is one key of a JSON object, with the value as it is written.
type member struct {
	key   string
	value json.RawMessage
}

// object splits a JSON object into its members and refuses a repeated key, which
// encoding/json alone would pass over.
func object(text []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if open, err := dec.Token(); err != nil {
		return nil, err
	} else if open != json.Delim('{') {
		return nil, fmt.Errorf("expected an object")
	}
	var members []member
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: token.(string)} // inside an object the decoder gives no other key
		if seen[m.key] {
			return nil, fmt.Errorf("key %q is given twice", m.key)
		}
		seen[m.key] = true
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(text[dec.InputOffset():], " "); len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes after the closing brace", len(rest))
	}
	return members, nil
}

func parseMetadata(text []byte) (map[string]string, error) {
	members, err := object(text)
	if err != nil {
		return nil, err
	}
	metadata := make(map[string]string, len(members))
	for _, m := range members {
		var value *string
		if err := json.Unmarshal(m.value, &value); err != nil || value == nil {
			return nil, fmt.Errorf("the value of %q is not a string", m.key)
		}
		metadata[m.key] = *value
	}
	return metadata, nil
}

// located is a tensor and the bytes of the data that hold it.
type located struct {
	Tensor
	begin, end int64
}

func parseEntry(name string, text []byte) (located, error) {
	members, err := object(text)
	if err != nil {
		return located{}, err
	}
	e := located{Tensor: Tensor{Name: name}}
	var offsets []int
	for _, m := range members {
		switch m.key {
		case "dtype":
			err = json.Unmarshal(m.value, &e.DType)
		case "shape":
			e.Shape, err = integers(m.value)
		case "data_offsets":
			offsets, err = integers(m.value)
		default:
			err = fmt.Errorf("unknown key %q", m.key)
		}
		if err != nil {
			return located{}, err
		}
	}
	n, ok := volume(e.Shape)
	switch {
	case width(e.DType) == 0:
		return located{}, fmt.Errorf("type %q is not F32 or F64", e.DType)
	case e.Shape == nil || len(offsets) != 2:
		return located{}, fmt.Errorf("needs dtype, shape and two data_offsets")
	case !ok:
		return located{}, fmt.Errorf("shape %v has more elements than can be counted", e.Shape)
	}
	e.begin, e.end = int64(offsets[0]), int64(offsets[1])
	if e.end-e.begin != n*width(e.DType) {
		return located{}, fmt.Errorf("shape %v of %s does not fit the bytes %d to %d", e.Shape, e.DType, e.begin, e.end)
	}
	return e, nil
}

// integers reads a list of whole numbers that are not negative; 1.0 and 1e3 do not count as such.
func integers(text []byte) ([]int, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil || list == nil {
		return nil, fmt.Errorf("%.40s is not a list of numbers", text)
	}
	out := make([]int, len(list))
	for i, number := range list {
		v, err := strconv.ParseInt(string(number), 10, strconv.IntSize)
		if err != nil || v < 0 {
			return nil, fmt.Errorf("%.40s is not a count", number)
		}
		out[i] = int(v)
	}
	return out, nil
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
