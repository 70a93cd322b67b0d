// Package tfevents writes the files of TensorBoard: records of Event messages, with scalars, histograms, and
// hyper-parameters beside the metrics that they led to. Only messages that TensorBoard needs are here, field by field,
// since its generated code would bring TensorFlow's.
package tfevents

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/wire"
)

// record frames a message: its length, and checksums of the length and of the message.
func record(m wire.Message) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(m)))
	out = binary.LittleEndian.AppendUint32(out, maskedCRC(out))
	out = append(out, m...)
	return binary.LittleEndian.AppendUint32(out, maskedCRC(m))
}

// maskedCRC computes the checksum of the format: CRC-32C, rotated and shifted.
func maskedCRC(b []byte) uint32 {
	sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// event returns an Event with one of its contents.
func event(at time.Time, step int, field wire.Field, content []byte) []byte {
	when := float64(at.UnixNano()) / 1e9
	return record(wire.Message{}.Double(1, when).Number(2, uint64(step)).Bytes(field, content))
}

// The fields of an Event's contents.
const (
	fileVersion = 3
	summaryOf   = 5
)

// Begin returns the first record of a file.
func Begin(at time.Time) []byte { return event(at, 0, fileVersion, []byte("brain.Event:2")) }

// Value is a part of a summary.
type Value []byte

// Summary returns a record of values at a step.
func Summary(at time.Time, step int, values ...Value) []byte {
	var m wire.Message
	for _, v := range values {
		m = m.Bytes(1, v)
	}
	return event(at, step, summaryOf, m)
}

// Scalar returns a number with a tag. "train/elbo" is in the group train.
func Scalar(tag string, v float64) Value {
	return Value(wire.Message{}.Text(1, tag).Float(2, float32(v)))
}

// bins is how many buckets a histogram has.
const bins = 30

// Histogram shows how values are spread, in buckets of equal width. Values that are not numbers are left out; without
// values it is nil.
func Histogram(tag string, values []float64) Value {
	finite := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(finite) == 0 {
		return nil
	}
	low, high := slices.Min(finite), slices.Max(finite)
	sum, squares := 0.0, 0.0
	limits, counts := make([]float64, bins), make([]float64, bins)
	half := (high/2 - low/2) / bins // half of the width: high − low may be too large for a number
	for i := range limits {
		limits[i] = 2 * (low/2 + float64(i+1)*half)
	}
	limits[bins-1] = high
	for _, v := range finite {
		sum, squares = sum+v, squares+v*v
		i := 0
		if half > 0 {
			i = min(int((v/2-low/2)/half), bins-1)
		}
		counts[i]++
	}
	var h wire.Message
	for i, v := range []float64{low, high, float64(len(finite)), sum, squares} {
		h = h.Double(wire.Field(i+1), v)
	}
	return Value(wire.Message{}.Text(1, tag).Bytes(5, h.Doubles(6, limits).Doubles(7, counts)))
}
