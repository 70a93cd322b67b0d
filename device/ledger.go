package device

import (
	"math"
	"reflect"
	"slices"
	"strconv"
)

// Ledger lists the memory that a dry device would take, in the order of the calls.
type Ledger struct {
	list  []Allocation
	place map[uintptr]int // index of scratch in list, by the field that holds it

	exceeded bool
}

// Allocation is the memory of one tensor, or scratch that a backend keeps for itself.
type Allocation struct {
	Name  string // path of the field that holds it, from Label: "pass.gp.kuf"
	DType DType  // type of a tensor's elements
	Shape []int  // shape of a tensor; nil for scratch
	Bytes int64

	owner any // *Tensor, or a pointer to the field: keeps it where it is
}

// Tensor records a tensor with elements of size bytes.
func (l *Ledger) Tensor(t *Tensor, size int) {
	bytes := int64(size)
	for _, n := range t.shape {
		bytes = times(bytes, int64(n))
	}
	l.list = append(l.list, Allocation{DType: t.dtype, Shape: t.shape, Bytes: bytes, owner: t})
}

// Scratch records that the scratch in *field has room for n elements of size bytes. It grows.
func (l *Ledger) Scratch(field any, n, size int) {
	if l.place == nil {
		l.place = map[uintptr]int{}
	}
	at := reflect.ValueOf(field).Pointer()
	i, known := l.place[at]
	if !known {
		i = len(l.list)
		l.place[at] = i
		l.list = append(l.list, Allocation{owner: field})
	}
	l.list[i].Bytes = max(l.list[i].Bytes, times(int64(n), int64(size)))
}

// times returns a product of two lengths, or the largest int64 if it overflows.
func times(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// Allocations returns the recorded allocations that are not empty.
func (l *Ledger) Allocations() []Allocation {
	return slices.DeleteFunc(slices.Clone(l.list), func(a Allocation) bool { return a.Bytes == 0 })
}

// Exceed records that an operation has more numbers than the device can count at once, whatever its memory.
func (l *Ledger) Exceed() { l.exceeded = true }

// Exceeded reports whether Exceed was called.
func (l *Ledger) Exceeded() bool { return l.exceeded }

// Total returns the sum of all bytes, or the largest int64 if it overflows or Exceeded is true.
func (l *Ledger) Total() (bytes int64) {
	if l.exceeded {
		return math.MaxInt64
	}
	for _, a := range l.list {
		if bytes += a.Bytes; bytes < 0 {
			return math.MaxInt64
		}
	}
	return bytes
}

// Label names the allocations that are reached from a pointer to a struct, by the path of fields that leads to them.
// Named allocations keep their names. So the names follow the program and are never out of date.
func (l *Ledger) Label(name string, root any) {
	unnamed := map[uintptr]int{}
	for i, a := range l.list {
		if a.Name == "" {
			unnamed[reflect.ValueOf(a.owner).Pointer()] = i
		}
	}
	l.walk(reflect.ValueOf(root), name, unnamed, map[uintptr]bool{reflect.ValueOf(l).Pointer(): true})
}

// Rest names the allocations that have no name.
func (l *Ledger) Rest(name string) {
	for i := range l.list {
		if l.list[i].Name == "" {
			l.list[i].Name = name
		}
	}
}

// walk visits the tensors in v. A struct and its first field share an address: the inner name wins.
func (l *Ledger) walk(v reflect.Value, name string, unnamed map[uintptr]int, seen map[uintptr]bool) {
	if v.CanAddr() {
		if i, ok := unnamed[v.UnsafeAddr()]; ok {
			l.list[i].Name = name
		}
	}
	switch v.Kind() {
	case reflect.Interface:
		l.walk(v.Elem(), name, unnamed, seen)
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		if v.Type() == reflect.TypeFor[*Tensor]() {
			if i, ok := unnamed[v.Pointer()]; ok {
				l.list[i].Name = name
			}
			return
		}
		l.walk(v.Elem(), name, unnamed, seen)
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			inner := name
			if !field.Anonymous {
				inner += "." + field.Name
			}
			l.walk(v.Field(i), inner, unnamed, seen)
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k < reflect.Array { // elements are numbers
			return
		}
		for i := range v.Len() {
			l.walk(v.Index(i), name+"["+strconv.Itoa(i)+"]", unnamed, seen)
		}
	}
}
