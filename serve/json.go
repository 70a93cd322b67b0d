package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// decode decodes the JSON of a request. It must be UTF-8: package json would replace other bytes in silence.
func decode(text []byte, into any, what string) error {
	return decodeBy(json.Unmarshal, text, into, what)
}

// decodeKnown decodes as decode does, and fails for keys that into does not have.
func decodeKnown(text []byte, into any, what string) error {
	return decodeBy(func(text []byte, into any) error {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			return err
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return errors.New("there is more after the object")
		}
		return nil
	}, text, into, what)
}

func decodeBy(read func(text []byte, into any) error, text []byte, into any, what string) error {
	if !utf8.Valid(text) {
		return invalidf("the request is not JSON of %s: it is not UTF-8 text", what)
	}
	if fault := data.LoneSurrogate(text); fault != "" {
		return invalidf("the request is not JSON of %s: %s", what, fault)
	}
	if err := read(text, into); err != nil {
		return invalidf("the request is not JSON of %s: %s", what, faultOf(err))
	}
	return nil
}

// uniqueKey is the value of a key, which may not be given twice: package json would take the last in silence.
type uniqueKey json.RawMessage

func (k *uniqueKey) UnmarshalJSON(text []byte) error {
	if *k != nil {
		return fmt.Errorf("a key is given twice, the second time with %s", quote(string(text)))
	}
	*k = bytes.Clone(text)
	return nil
}

// faultOf describes a decoding error in terms of JSON, not of Go.
func faultOf(err error) string {
	if key, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return "there is no key " + key
	}
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	place := ""
	want := "a whole number"
	if wrong.Type.Kind() == reflect.Uint64 && strings.HasPrefix(wrong.Value, "number -") {
		want += " from 0 on"
	}
	if wrong.Field != "" {
		place = " at " + quote(wrong.Field[strings.LastIndex(wrong.Field, ".")+1:])
	}
	switch wrong.Type.Kind() {
	case reflect.Struct, reflect.Map:
		want = "an object"
	case reflect.Slice:
		want = "a list"
	case reflect.String:
		want = "a text"
	case reflect.Bool:
		want = "true or false"
	}
	return fmt.Sprintf("found %s in place of %s%s", strings.Replace(wrong.Value, "array", "list", 1), want, place)
}

// tooMany makes the error about a list of a request, which is that of its rows unless it has tensors or sizes.
func tooMany(limit int) error {
	return &Error{tooLarge, fmt.Sprintf("more than %d rows or tensors: send fewer at a time (%s N of the server "+
		"bounds the rows)", limit, usererror.Flag("max-rows"))}
}

// each decodes the elements of a list one by one, and fails above the limit. A list of millions of empty elements takes
// no memory for them.
func each[T any](list []byte, limit int, what string, read func(i int, element T) error) error {
	d := json.NewDecoder(bytes.NewReader(list))
	switch open, err := d.Token(); {
	case err != nil || open == nil: // no list
		return nil
	case open != json.Delim('['):
		return invalidf("the request is not JSON of %s: found %s in place of a list", what, quote(string(list)))
	}
	for i := 0; d.More(); i++ {
		if i == limit {
			return tooMany(limit)
		}
		var element T
		if err := d.Decode(&element); err != nil {
			return invalidf("the request is not JSON of %s: %s", what, faultOf(err))
		}
		if err := read(i, element); err != nil {
			return err
		}
	}
	return nil
}

// members decodes the members of an object one by one. An object of millions of unknown members takes no memory for
// them.
func members(object json.RawMessage, read func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := read(name.(string), value); err != nil {
			return err
		}
	}
	return nil
}
