package tfevents

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is a protocol buffer that is being written.
type message []byte

func (m *message) bytes(field protowire.Number, v []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), v)
}

func (m *message) text(field protowire.Number, v string) { m.bytes(field, []byte(v)) }

func (m *message) number(field protowire.Number, v uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), v)
}

func (m *message) double(field protowire.Number, v float64) {
	*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), math.Float64bits(v))
}

func (m *message) float(field protowire.Number, v float32) {
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type), math.Float32bits(v))
}

// doubles is a packed list.
func (m *message) doubles(field protowire.Number, values []float64) {
	var packed []byte
	for _, v := range values {
		packed = protowire.AppendFixed64(packed, math.Float64bits(v))
	}
	m.bytes(field, packed)
}

// record frames a message: its length, and checksums of the length and of the message.
func record(m message) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(m)))
	out = binary.LittleEndian.AppendUint32(out, masked(out))
	out = append(out, m...)
	return binary.LittleEndian.AppendUint32(out, masked(m))
}

// masked is the checksum of the format: CRC-32C, rotated and shifted.
func masked(b []byte) uint32 {
	sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// event is an Event with one of its contents.
func event(at time.Time, step int, field protowire.Number, content []byte) []byte {
	var m message
	m.double(1, float64(at.UnixNano())/1e9)
	m.number(2, uint64(step))
	m.bytes(field, content)
	return record(m)
}

// The fields of an Event's contents.
const (
	fileVersion = 3
	summaryOf   = 5
)

// Begin is the first record of a file.
func Begin(at time.Time) []byte { return event(at, 0, fileVersion, []byte("brain.Event:2")) }
