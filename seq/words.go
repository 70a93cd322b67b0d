package seq

const maxRun = 16 // largest number of words of a run

// newWords returns the map that counts the runs of 1 … n words. In a text, a word is letters and digits between other
// characters. Capitals count as small letters, and every byte of a letter beyond ASCII as a letter.
func newWords(args []int, a *Alphabet) (extractor, *SpecError) {
	return &wordRuns{n: args[0], text: a.Kind == Bytes, tree: newTable()}, nil
}

// wordRuns numbers words and runs of them by their place in a tree. A node is its parent's number and a symbol: the
// word "new" is the node of its last letter, and the run "new york" a node below it whose symbol is the word "york".
type wordRuns struct {
	plainMap
	n    int
	text bool
	tree *table
}

// wordSymbol marks a symbol that is the number of a word, and not a letter.
const wordSymbol = 1 << 31

func (w *wordRuns) space() uint64    { return 0 }
func (w *wordRuns) tables() []*table { return []*table{w.tree} }

func (w *wordRuns) learn(x []int32) bool {
	w.walk(x, w.tree.down, func(uint64) {})
	return true
}

func (w *wordRuns) keys(x []int32, s *scratch) {
	w.walk(x, w.tree.downBeside(s.levels(1)[0]), func(node uint64) {
		s.buffer = append(s.buffer, node)
		if len(s.buffer) >= block {
			s.flush(s.buffer)
		}
	})
	s.flush(s.buffer)
}

// letter returns the symbol that c adds to a word, and false if c ends the word.
func (w *wordRuns) letter(c int32) (uint64, bool) {
	switch {
	case !w.text:
		return uint64(uint32(c)), c != Unknown
	case c >= 'A' && c <= 'Z':
		return uint64(c | 0x20), true
	}
	return uint64(uint32(c)), c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

// walk goes down the tree, and visits the node of every run. An unknown word ends all runs.
func (w *wordRuns) walk(x []int32, down func(node, symbol uint64) uint64, visit func(node uint64)) {
	var runs [maxRun + 1]uint64 // node of the run of each length that ends at the last word; 0: none
	for i := 0; i < len(x); {
		c, ok := w.letter(x[i])
		if !ok {
			i++
			if !w.text {
				runs = [maxRun + 1]uint64{}
			}
			continue
		}
		word := down(0, c)
		for i++; w.text && i < len(x); i++ {
			if c, ok = w.letter(x[i]); !ok {
				break
			}
			word = down(word, c)
		}
		visit(word)
		for k := w.n; k > 1; k-- {
			runs[k] = 0
			if runs[k-1] != 0 {
				runs[k] = down(runs[k-1], wordSymbol|word)
				visit(runs[k])
			}
		}
		runs[1] = word
	}
}
