// Package wire writes protocol buffers field by field, for formats whose messages are few and whose generated code
// would be many times as long.
package wire

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Message is a protocol buffer that is being written. Its methods return it with a field more, as append does.
type Message []byte

// Field is the number of a field.
type Field = protowire.Number

// Bytes adds a field of bytes, or a message.
func (m Message) Bytes(field Field, v []byte) Message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

// Text adds a text.
func (m Message) Text(field Field, v string) Message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), v)
}

// Number adds a whole number or the value of an enumeration.
func (m Message) Number(field Field, v uint64) Message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

// Double adds a double.
func (m Message) Double(field Field, v float64) Message {
	return protowire.AppendFixed64(protowire.AppendTag(m, field, protowire.Fixed64Type), math.Float64bits(v))
}

// Float adds a float.
func (m Message) Float(field Field, v float32) Message {
	return protowire.AppendFixed32(protowire.AppendTag(m, field, protowire.Fixed32Type), math.Float32bits(v))
}

// Doubles adds a packed list.
func (m Message) Doubles(field Field, values []float64) Message {
	return m.Bytes(field, Packed(values))
}

// Packed encodes numbers one after the other, in little-endian order.
func Packed(values []float64) []byte {
	packed, _ := binary.Append(nil, binary.LittleEndian, values) // a list of numbers has a form
	return packed
}

// Numbers adds a packed list of whole numbers.
func (m Message) Numbers(field Field, values []int) Message {
	var packed []byte
	for _, v := range values {
		packed = protowire.AppendVarint(packed, uint64(v))
	}
	return m.Bytes(field, packed)
}
