package seq

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Set is N sequences over one alphabet, end to end.
type Set struct {
	Alphabet *Alphabet
	Codes    []int32
	Start    []int // starts of the sequences [N+1]: sequence i is Codes[Start[i]:Start[i+1]]
}

// N returns the number of sequences.
func (s *Set) N() int { return len(s.Start) - 1 }

// At returns sequence i, which shares the set's memory.
func (s *Set) At(i int) []int32 { return s.Codes[s.Start[i]:s.Start[i+1]:s.Start[i+1]] }

// part returns the sequences lo … hi−1, which share the set's memory.
func (s *Set) part(lo, hi int) *Set {
	return &Set{Alphabet: s.Alphabet, Codes: s.Codes, Start: s.Start[lo : hi+1]}
}

// Subset returns a copy of the given sequences, in the given order.
func (s *Set) Subset(rows []int) *Set {
	total := 0
	for _, r := range rows {
		total += len(s.At(r))
	}
	t := &Set{Alphabet: s.Alphabet, Codes: make([]int32, 0, total), Start: make([]int, 1, len(rows)+1)}
	for _, r := range rows {
		t.Codes = append(t.Codes, s.At(r)...)
		t.Start = append(t.Start, len(t.Codes))
	}
	return t
}

// Join returns the sequences of a and then the sequences of b. The alphabet of b is the alphabet of a, or has grown
// from it.
func Join(a, b *Set) *Set {
	t := &Set{Alphabet: b.Alphabet, Codes: slices.Concat(a.Codes, b.Codes), Start: slices.Clone(a.Start)}
	for _, start := range b.Start[1:] {
		t.Start = append(t.Start, len(a.Codes)+start)
	}
	return t
}

// Lengths returns the shortest, the mean and the longest length, in nodes of graphs.
func (s *Set) Lengths() (shortest int, mean float64, longest int) {
	if s.N() == 0 {
		return 0, 0, 0
	}
	size := s.Alphabet.Kind.size
	total := 0
	shortest = size(s.At(0))
	for i := range s.N() {
		n := size(s.At(i))
		shortest, longest = min(shortest, n), max(longest, n)
		total += n
	}
	return shortest, float64(total) / float64(s.N()), longest
}

// Duplicates counts the sequences that are equal to an earlier one.
func (s *Set) Duplicates() int { return s.N() - len(s.digests()) }

// DuplicatesOf counts the sequences of s that also occur in of; an unknown symbol is like another here.
func (s *Set) DuplicatesOf(of *Set) (count int) {
	known := of.digests()
	for i := range s.N() {
		if known[s.digest(i)] {
			count++
		}
	}
	return count
}

func (s *Set) digests() map[[sha256.Size]byte]bool {
	known := make(map[[sha256.Size]byte]bool, s.N())
	for i := range s.N() {
		known[s.digest(i)] = true
	}
	return known
}

// digest returns the SHA-256 of the codes of sequence i.
func (s *Set) digest(i int) [sha256.Size]byte {
	text, _ := binary.Append(nil, binary.LittleEndian, s.At(i))
	return sha256.Sum256(text)
}
