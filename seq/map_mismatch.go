package seq

// mismatchMap counts, for each k-mer, the places where a k-mer stands that differs from it in at most m
// symbols (Leslie et al. 2004).
func mismatchMap() Map {
	return Map{
		Name: "mismatch", Meaning: "k-mers, each counted for all that differ in at most m symbols", Example: "mismatch:5,1", Reversal: true,
		Parameters: []Parameter{{"k", 1, 31}, {"m", 0, 30}},
		Kinds:      []Kind{DNA, Protein, Bytes},
		check: func(args []int) *SpecError {
			if args[1] >= args[0] {
				return specErrorf("mismatch: m must be below k: with %d of %d symbols different, all k-mers are alike", args[1], args[0])
			}
			return nil
		},
		make: func(args []int, a *Alphabet) (extractor, *SpecError) {
			k, m := args[0], args[1]
			total, ok := power(a.Letters, k, 1)
			if !ok {
				return nil, tooWide("mismatch", a)
			}
			n := 0
			for i, ways := 0, 1; i <= m; i++ {
				n += binomial(k, i) * ways
				if ways *= a.Letters - 1; n > mostPatterns {
					return nil, specErrorf("mismatch:%d,%d counts each k-mer of %s for more than %d others: make m smaller", k, m, a.Kind, mostPatterns)
				}
			}
			return &mismatches{k: k, m: m, neighbours: n, letters: uint64(a.Letters), total: total}, nil
		},
	}
}

type mismatches struct {
	plainMap
	k, m, neighbours int
	letters, total   uint64
}

func (e *mismatches) space() uint64 { return e.total }

func (e *mismatches) keys(x []int32, s *scratch) {
	g := &grams{k: e.k, letters: int(e.letters), radix: e.total}
	step := max(1, block/e.neighbours)
	for lo := 0; lo < len(x); lo += step {
		hi := min(lo+step, len(x))
		s.grams = g.of(s.grams, x, lo, hi, s)
		keys := s.buffer
		for i, id := range s.grams {
			if id >= 0 {
				keys = e.change(keys, uint64(id), x[lo+i:lo+i+e.k], e.total, e.m)
			}
		}
		s.flush(keys)
	}
}

// change appends key and what becomes of it by changing at most m of the symbols of rest, the first of
// which weighs above/letters.
func (e *mismatches) change(keys []uint64, key uint64, rest []int32, above uint64, m int) []uint64 {
	keys = append(keys, key)
	if m == 0 {
		return keys
	}
	for i, c := range rest {
		above /= e.letters
		without := key - uint64(c)*above
		for other := range e.letters {
			if other != uint64(c) {
				keys = e.change(keys, without+other*above, rest[i+1:], above, m-1)
			}
		}
	}
	return keys
}
