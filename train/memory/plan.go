// Package memory measures the memory of a run or a prediction, on a device and on the host, buffer by buffer, and finds
// sizes that fit. It reads the ledger of a dry device.
package memory

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/hostmem"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Plan is the memory that a run takes, buffer by buffer. A dry device has recorded it from the run's own code, so it
// agrees with the real run.
type Plan struct {
	Device  string `json:"device"`
	Samples int    `json:"samples"`
	Batch   int    `json:"batch"`
	Rows    int    `json:"rows"` // number of rows of the batch that are computed at once
	// the data set stays on the host, and each step brings its batch to the device
	Streams bool     `json:"streams,omitempty"`
	Buffers []Buffer `json:"buffers"`
	Total   int64    `json:"total"` // bytes on the device
	// bytes on the host; on the CPU they are of the same memory as Total
	Host int64  `json:"host"`
	Free *int64 `json:"free,omitempty"` // free bytes of the device; nil if that is not known

	exceeded bool // a buffer has more numbers than the device can count at once

	Distances *Distances `json:"distances,omitempty"` // nil without distances
}

// Buffer is one buffer of a Plan.
type Buffer struct {
	Group string `json:"group"` // group of buffers, for people
	Name  string `json:"name"`  // field of the program that holds the buffer
	Shape []int  `json:"shape,omitempty"`
	Type  string `json:"type,omitempty"` // f32, f64, i32; "" for scratch
	Bytes int64  `json:"bytes"`
}

// shape formats the shape for people, with a space before it.
func (b Buffer) shape() string {
	if b.Shape == nil {
		return ""
	}
	return " " + strings.ReplaceAll(fmt.Sprint(b.Shape), " ", ",")
}

// New returns the Plan of a step, given by its device and sizes, with the buffers of a ledger and of the host.
func New(step Plan, ledger *device.Ledger, host []Buffer) *Plan {
	p := &step
	p.Total, p.exceeded = ledger.Total(), ledger.Exceeded()
	for _, a := range ledger.Allocations() {
		p.Buffers = append(p.Buffers, Buffer{Name: a.Name, Shape: a.Shape, Type: typeOf(a), Bytes: a.Bytes})
	}
	for _, b := range host {
		b.Name = hostPrefix + b.Name
		p.Host = AddSaturating(p.Host, b.Bytes)
		p.Buffers = append(p.Buffers, b)
	}
	for i, b := range p.Buffers {
		p.Buffers[i].Group = parts[partIndex(b.Name)].group
	}
	slices.SortStableFunc(p.Buffers, func(a, b Buffer) int { return groupRank(a.Group) - groupRank(b.Group) })
	return p
}

// FreeOf returns the number of free bytes of a device; nil if that is not known.
func FreeOf(dev device.Device) *int64 {
	if free, known := dev.Free(); known {
		return &free
	}
	return nil
}

// Doubles returns a buffer of float64 on the host.
func Doubles(name string, shape ...int) Buffer {
	b := Buffer{Name: name, Shape: shape, Type: "f64", Bytes: 8}
	for _, n := range shape {
		if b.Bytes > math.MaxInt64/8/int64(max(1, n)) {
			b.Bytes = math.MaxInt64 / 8 // larger than any memory, and the sum of a few does not overflow
			break
		}
		b.Bytes *= int64(n)
	}
	return b
}

func typeOf(a device.Allocation) string {
	switch {
	case a.Shape == nil:
		return ""
	case a.DType == device.Int:
		return "i32"
	case a.Bytes == 4*int64(device.Volume(a.Shape)):
		return "f32"
	}
	return "f64"
}

// The parts of the free memory that a plan leaves free: 1/16 of a GPU, for the driver, and 1/4 of the host, for cached
// files and other programs.
const (
	deviceSpare = 16
	SpareOfHost = 4
)

// MostlyRows reports whether the data set alone takes more than half of the free memory of the device.
func (p *Plan) MostlyRows() bool { return p.Free != nil && p.Sum("set.") > *p.Free/2 }

// Fits reports whether a plan fits the free memory of its device, and of the host.
func (p *Plan) Fits() bool { return p.shortage() == nil }

// shortage is a lack of memory on a device or on the host.
type shortage struct {
	where       string
	needs, free int64
	largest     Buffer
}

// shortage returns the lack of memory for a plan, on its device or on the host, which are the same if the device is a
// CPU; nil if the plan fits.
func (p *Plan) shortage() *shortage {
	onDevice, onHost := p.Total, p.Host
	spare := int64(deviceSpare)
	isOnDevice := func(b Buffer) bool { return !strings.HasPrefix(b.Name, hostPrefix) }
	if strings.HasPrefix(p.Device, "cpu") {
		onDevice, onHost, spare = AddSaturating(onDevice, onHost), 0, SpareOfHost
		isOnDevice = func(Buffer) bool { return true }
	}
	exceeds := func(needs, free, spare int64) bool { return needs > free-free/spare }
	if p.Free != nil && exceeds(onDevice, *p.Free, spare) {
		return &shortage{p.Device, onDevice, *p.Free, p.largest(isOnDevice)}
	}
	if free, known := hostmem.Available(); known && exceeds(onHost, free, SpareOfHost) {
		return &shortage{"the host", onHost, free, p.largest(func(b Buffer) bool { return !isOnDevice(b) })}
	}
	return nil
}

// AddSaturating adds two sizes; the sum is held at the largest number.
func AddSaturating(a, b int64) int64 {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return math.MaxInt64
}

// largest returns the largest buffer that include accepts.
func (p *Plan) largest(include func(Buffer) bool) (found Buffer) {
	for _, b := range p.Buffers {
		if include(b) && b.Bytes > found.Bytes {
			found = b
		}
	}
	return found
}

// Lines returns the plan for people: the parts by group, then the sums.
func (p *Plan) Lines() (lines []string) {
	lines = p.partLines()
	lines = append(lines, "", fmt.Sprintf("on %s: %s", p.Device, Bytes(p.Total)))
	if p.Free != nil {
		lines[len(lines)-1] += fmt.Sprintf(" of %s free", Bytes(*p.Free))
	}
	lines = append(lines, fmt.Sprintf("also on the host: %s", Bytes(p.Host)))
	if p.Streams {
		lines = append(lines, "the data set stays on the host, and each step brings its batch")
	}
	if p.Distances != nil {
		lines = append(lines, "distances of sequences: "+p.Distances.String())
	}
	portion := "all at once"
	if p.Rows < p.Batch {
		portion = fmt.Sprintf("%d at a time", p.Rows)
	}
	return append(lines, fmt.Sprintf("a step takes %s of %s, %s", phrase.Plural(p.Samples, "sample"),
		phrase.Plural(p.Batch, "row"), portion))
}

// Bytes formats a number of bytes for people.
func Bytes(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	power := min((bits.Len64(uint64(n))-1)/10, 4)
	return fmt.Sprintf("%.1f %ciB", float64(n)/float64(int64(1)<<(10*power)), " KMGT"[power])
}

// The ways to distances between training sequences and X̄: a table of all distances, computed once, or the distances of
// a batch in every step, from the features of the sequences. Both have the same bits.
const (
	InTable = "table"
	InSteps = "steps"
)

// Distances is the way to the distances between sequences and X̄, with its memory.
type Distances struct {
	In       string `json:"in"`                 // table, steps
	Table    int64  `json:"table"`              // bytes of a table, also if the plan has no table
	Features int64  `json:"features,omitempty"` // bytes of features in place of a table; 0 if not measured
}

// String describes the distances in words.
func (d *Distances) String() string {
	if d.In == InTable {
		return "a table of " + Bytes(d.Table)
	}
	return fmt.Sprintf("computed in every step from features of %s: a table would take %s",
		Bytes(d.Features), Bytes(d.Table))
}

// Sum adds the bytes of the buffers whose names begin with prefix.
func (p *Plan) Sum(prefix string) (sum int64) {
	for _, b := range p.Buffers {
		if strings.HasPrefix(b.Name, prefix) {
			sum = AddSaturating(sum, b.Bytes)
		}
	}
	return sum
}

// Largest returns the largest n from 1 to most for which fits is true; 0 if there is no such n. fits has to be true for
// all numbers below one for which it is true.
func Largest(most int, fits func(n int) bool) int {
	return sort.Search(max(0, most), func(i int) bool { return !fits(i + 1) })
}

// TooLarge returns the error of a plan that does not fit; smaller names sizes that fit, or is "".
func (p *Plan) TooLarge(smaller string) error {
	what, remedy := "even one row at a time", "it is too little for the smallest model of these rows"
	if p.Rows > 1 {
		what = fmt.Sprintf("a step of %d rows at a time", p.Rows)
	}
	if smaller != "" {
		remedy = "what fits is " + smaller
	}
	return p.Lacks(what, remedy)
}

// Lacks returns the error of a device that has too little memory for the work what, with a remedy.
func (p *Plan) Lacks(what, remedy string) error {
	s := p.shortage()
	if s == nil && !p.exceeded {
		return usererror.Errorf("there was too little memory for %s, and there is enough again: try once more", what)
	}
	if s == nil {
		s = &shortage{where: p.Device}
	}
	if d := p.Distances; d != nil && d.Features > 0 {
		remedy += fmt.Sprintf("; a table of distances takes %s, and features instead of it %s",
			Bytes(d.Table), Bytes(d.Features))
	}
	if p.exceeded {
		return usererror.Errorf("%s counts 2³¹ − 1 numbers in one operation at most: %s has more, "+
			"the largest part, %s%s, %s: %s",
			s.where, what, s.largest.Words(), s.largest.shape(), Bytes(s.largest.Bytes), remedy)
	}
	return usererror.Errorf("%s has too little memory: %s needs %s where %s are free, the largest part, %s%s, %s: %s",
		s.where, what, Bytes(s.needs), Bytes(s.free), s.largest.Words(), s.largest.shape(), Bytes(s.largest.Bytes),
		remedy)
}
