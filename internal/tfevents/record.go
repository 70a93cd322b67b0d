package tfevents

import (
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/wire"
)

// record frames a message: its length, and checksums of the length and of the message.
func record(m wire.Message) []byte {
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
func event(at time.Time, step int, field wire.Field, content []byte) []byte {
	var m wire.Message
	m.Double(1, float64(at.UnixNano())/1e9)
	m.Number(2, uint64(step))
	m.Bytes(field, content)
	return record(m)
}

// The fields of an Event's contents.
const (
	fileVersion = 3
	summaryOf   = 5
)

// Begin is the first record of a file.
func Begin(at time.Time) []byte { return event(at, 0, fileVersion, []byte("brain.Event:2")) }
