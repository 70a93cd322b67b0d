package serve

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Request is a request for a prediction, whichever way it came.
type Request struct {
	ID      string
	Inputs  []Tensor
	Outputs []OutputRequest // requested outputs; none for all but samples

	Warnings []string // warnings about the rows, as predict writes them

	reserved *reservation // memory of the prediction and the answer; nil before the prediction
}

// free releases the memory of the answer.
func (q *Request) free() { q.reserved.free() }

// wireRequest is the JSON of a request. Fields beyond these are left alone, as the protocol wants.
type wireRequest struct {
	ID         string `json:"id"`
	Parameters struct {
		Binary bool `json:"binary_data_output"`
	} `json:"parameters"`
	Inputs  uniqueKey `json:"inputs"`  // a list of wireInput
	Outputs uniqueKey `json:"outputs"` // a list of OutputRequest
}

type wireInput struct {
	Name       string    `json:"name"`
	Type       Datatype  `json:"datatype"`
	Shape      uniqueKey `json:"shape"` // a list of whole numbers
	Parameters struct {
		Size *int64 `json:"binary_data_size"`
	} `json:"parameters"`
	Data uniqueKey `json:"data"`
}

const protocol = "the protocol"

// maxTensors is the most inputs or outputs of a request, and maxSizes the most sizes of a shape: no model has more.
const (
	maxTensors = 1 << 16
	maxSizes   = 1 << 8
)

// parseRequest reads the body of a request, whose first bytes are JSON: all of it, or as many bytes as a header gives,
// with raw tensors after it. It has at most maxElements elements.
func parseRequest(body []byte, jsonSize, maxElements int) (*Request, error) {
	text, raw := body[:jsonSize], body[jsonSize:]
	var wire wireRequest
	if err := decode(text, &wire, protocol); err != nil {
		return nil, err
	}
	q := &Request{ID: wire.ID}
	err := each(wire.Inputs, maxTensors, protocol, func(_ int, in wireInput) error {
		t, rest, err := in.tensor(raw, maxElements)
		q.Inputs = append(q.Inputs, t)
		raw = rest
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(raw) > 0 {
		return nil, invalidf("%d bytes after the JSON belong to no input", len(raw))
	}
	err = each(wire.Outputs, maxTensors, protocol, func(_ int, out OutputRequest) error {
		out.Binary = wire.Parameters.Binary
		if own, ok := out.Parameters[binaryData]; ok {
			if err := decode(own, &out.Binary, protocol); err != nil {
				return err
			}
		}
		q.Outputs = append(q.Outputs, out)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if q.Outputs == nil && wire.Parameters.Binary {
		q.Outputs = []OutputRequest{{Binary: true}}
	}
	return q, nil
}

// tensor decodes the input. If it is raw, it takes its bytes from the start of raw; rest follows them.
func (i *wireInput) tensor(raw []byte, maxElements int) (t Tensor, rest []byte, err error) {
	t = Tensor{Name: i.Name, Type: i.Type}
	err = each(i.Shape, maxSizes, protocol, func(_ int, size int64) error {
		t.Shape = append(t.Shape, size)
		return nil
	})
	if err != nil {
		return t, nil, err
	}
	n, err := t.elements(maxElements)
	if err != nil {
		return t, nil, err
	}
	switch size := i.Parameters.Size; {
	case size == nil:
		err = t.fillJSON(i.Data, n)
	case i.Data != nil:
		err = invalidf("input %s has both data and binary_data_size: give one of them", quote(i.Name))
	case *size < 0 || *size > int64(len(raw)):
		err = invalidf("input %s: binary_data_size is %d, and %d bytes are left after the JSON",
			quote(i.Name), *size, len(raw))
	default:
		err = t.fillRaw(raw[:*size], n)
		raw = raw[*size:]
	}
	return t, raw, err
}

// fillJSON reads n elements in nested lists or in a flat one. null is a missing number.
func (t *Tensor) fillJSON(list []byte, n int) error {
	if len(list) == 0 || list[0] != '[' {
		return invalidf("input %s has no list of data", quote(t.Name))
	}
	capacity := min(n, len(list)) // each element takes a byte
	if t.Type == Bytes {
		t.Texts = make([]string, 0, capacity)
	} else {
		t.Numbers = make([]float64, 0, capacity)
	}
	found := 0
	for at := 0; at < len(list); {
		switch c := list[at]; c {
		case '[', ']', ',', ' ', '\t', '\r', '\n':
			at++
			continue
		}
		if found++; found > n {
			break
		}
		word := element(list[at:])
		at += len(word)
		if t.Type == Bytes {
			var text string
			if err := json.Unmarshal(word, &text); err != nil || word[0] != '"' {
				return invalidf("input %s: element %d is %s, and BYTES are strings", quote(t.Name), found,
					quote(string(word)))
			}
			t.Texts = append(t.Texts, text)
			continue
		}
		v, ok := t.Type.number(string(word))
		if !ok {
			return invalidf("input %s: element %d is %s, not a number of %s", quote(t.Name), found, quote(string(word)),
				t.Type)
		}
		t.Numbers = append(t.Numbers, v)
	}
	if found != n {
		return invalidf("input %s: its data have not the %d elements of its shape", quote(t.Name), n)
	}
	return nil
}

// element returns the number, word or string at the start of a valid JSON text.
func element(text []byte) []byte {
	if text[0] != '"' {
		if end := bytes.IndexAny(text, ",] \t\r\n"); end > 0 {
			return text[:end]
		}
		return text
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[:i+1]
		}
	}
	return text
}

// number reads a number of JSON as the type has it: FP32 is rounded to single precision.
func (d Datatype) number(word string) (v float64, ok bool) {
	isFloat := d == FP32 || d == FP64
	switch {
	case word == "null" && isFloat:
		return math.NaN(), true
	case d == Bool:
		at := slices.Index([]string{"false", "true", "0", "1"}, word)
		return float64(at % 2), at >= 0
	case word[0] != '-' && (word[0] < '0' || word[0] > '9'):
		return 0, false
	case d.isSigned():
		i, err := strconv.ParseInt(word, 10, 8*d.size())
		return float64(i), err == nil
	case !isFloat:
		i, err := strconv.ParseUint(word, 10, 8*d.size())
		return float64(i), err == nil
	}
	v, err := strconv.ParseFloat(word, 8*d.size())
	return v, err == nil
}

type wireAnswer struct {
	Model   string       `json:"model_name"`
	Version string       `json:"model_version"`
	ID      string       `json:"id,omitempty"`
	Outputs []wireOutput `json:"outputs"`

	Parameters map[string]string `json:"parameters,omitempty"`
}

type wireOutput struct {
	TensorSpec
	Parameters map[string]int `json:"parameters,omitempty"`
	Data       any            `json:"data,omitempty"`
}

// writeAnswer encodes the body of an answer. The first jsonSize bytes are JSON; without raw outputs it is all JSON.
func writeAnswer(model string, q *Request, outputs []Tensor, binary []bool) (body []byte, jsonSize int, raw bool,
	err error) {
	wire := wireAnswer{Model: model, Version: version, ID: q.ID}
	if q.Warnings != nil { // a line for each: parameters of the protocol are no lists
		wire.Parameters = map[string]string{"warnings": strings.Join(q.Warnings, "\n")}
	}
	var tail []byte
	for i, t := range outputs {
		out := wireOutput{TensorSpec: TensorSpec{t.Name, t.Type, t.Shape}}
		switch {
		case binary[i]:
			piece := t.raw()
			out.Parameters = map[string]int{"binary_data_size": len(piece)}
			tail = append(tail, piece...)
			raw = true
		case t.Type == Bytes:
			out.Data = t.Texts
		default:
			out.Data = t.Numbers
		}
		wire.Outputs = append(wire.Outputs, out)
	}
	body, err = json.Marshal(wire)
	return append(body, tail...), len(body), raw, err
}
