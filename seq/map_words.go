package seq

// wordsMap counts the runs of 1 … n words. In a text, a word is letters and digits between other
// characters, and capitals are small letters; every byte of a letter beyond ASCII is a letter.
func wordsMap() Map {
	return Map{
		Name: "words", Meaning: "runs of 1 … n words of a text", Example: "words:2", Reversal: false,
		Parameters: []Parameter{{"n", 1, 16}},
		Kinds:      []Kind{Bytes, Words},
		make: func(args []int, a *Alphabet) (extractor, *SpecError) {
			return &wordRuns{n: args[0], text: a.Kind == Bytes, tree: newTable()}, nil
		},
	}
}

// wordRuns numbers runs by their place in a tree of symbols: a node is its parent's number and a symbol, and
// the run "new york" is the node below its last letter.
type wordRuns struct {
	plainMap
	n    int
	text bool
	tree *table
}

func (m *wordRuns) space() uint64 { return 0 }

func (m *wordRuns) learn(x []int32) bool {
	m.walk(x, func(node, symbol uint64) uint64 { return uint64(m.tree.put(node<<32|symbol)) + 1 }, func(uint64) {})
	return true
}

func (m *wordRuns) keys(x []int32, s *scratch) {
	if len(s.local) == 0 {
		s.local = append(s.local, newTable())
	}
	local := s.local[0]
	local.reset()
	down := func(node, symbol uint64) uint64 {
		key := node<<32 | symbol
		if n := m.tree.find(key); n >= 0 {
			return uint64(n) + 1
		}
		return uint64(m.tree.len()+local.put(key)) + 1
	}
	m.walk(x, down, func(node uint64) {
		s.buffer = append(s.buffer, node)
		if len(s.buffer) >= block {
			s.flush(s.buffer)
		}
	})
	s.flush(s.buffer)
}

// letter is the symbol of a word at x[i], and whether it is one.
func (m *wordRuns) letter(c int32) (uint64, bool) {
	switch {
	case !m.text:
		return uint64(uint32(c)), c != Unknown
	case c >= 'A' && c <= 'Z':
		return uint64(c | 0x20), true
	}
	return uint64(uint32(c)), c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

// walk goes down the tree from every start of a word, and visits the node at each end of a word.
func (m *wordRuns) walk(x []int32, down func(node, symbol uint64) uint64, visit func(node uint64)) {
	const between = 1 << 31 // the symbol between words of a text
	for from := 0; from < len(x); {
		if _, ok := m.letter(x[from]); !ok {
			from++
			continue
		}
		node, words, next := uint64(0), 0, 0
		for i := from; words < m.n; {
			// One word from x[i] on, of one symbol where the symbols are words.
			for i < len(x) {
				c, ok := m.letter(x[i])
				if !ok {
					break
				}
				node = down(node, c)
				i++
				if !m.text {
					break
				}
			}
			visit(node)
			if words++; words == 1 {
				next = i
			}
			if m.text {
				node = down(node, between)
				for i < len(x) && !m.isLetter(x[i]) {
					i++
				}
			}
			if i >= len(x) || !m.isLetter(x[i]) {
				break
			}
		}
		from = next
	}
}

func (m *wordRuns) isLetter(c int32) bool {
	_, ok := m.letter(c)
	return ok
}
