package graph

import (
	"math"
	"slices"
)

// subtrees counts the whole tree below each node, the node included (Vishwanathan & Smola 2003). An unknown label takes
// away all trees that contain it.
func subtrees(w *Work, codes []int32) {
	done := w.colour[:0] // numbers of the trees after the node that do not have a parent yet
	for i := len(codes) - 2; i > 0; i -= 2 {
		label, children := codes[i], int(codes[i+1])
		tree := uint64(0)
		if below := done[len(done)-children:]; label != Unknown && !slices.Contains(below, 0) {
			tree = w.Down(w.Down(0, labelSymbol(label)), roundMark+uint64(children))
			for c := len(below) - 1; c >= 0; c-- {
				tree = w.Down(tree, below[c])
			}
			w.Found(tree, 1)
		}
		done = append(done[:len(done)-children], tree)
	}
	w.colour = done
}

// partials are the partial trees at a node: how often each occurs.
type partials []partial

type partial struct {
	tree  uint64
	nodes int
	times uint64
}

// maxTimes is the largest count, since a count must fit 32 bits.
const maxTimes = 1<<32 - 1

// newSteps is the number of steps that a new partial tree counts for, because of its memory.
const newSteps = 16

// partialSteps estimates the number of partial trees, by the largest number of children of a node.
func partialSteps(args []int, codes []int32) float64 {
	children := int32(0)
	for i := 2; i < len(codes); i += 2 {
		children = max(children, codes[i])
	}
	return newSteps * float64(Nodes(codes)) * math.Pow(2*float64(children), float64(args[0]-1))
}

// partialTrees counts the partial trees of at most k nodes: a node, any of its children in order, and partial trees at
// these (Moschitti 2006, without decay).
func partialTrees(args []int) Counter {
	k := args[0]
	return func(w *Work, codes []int32) {
		done := w.trees[:0]
		for i := len(codes) - 2; i > 0; i -= 2 {
			label, children := codes[i], int(codes[i+1])
			below := done[len(done)-children:]
			var here partials
			if label != Unknown {
				here = partials{{w.Down(0, labelSymbol(label)), 1, 1}}
				for c := len(below) - 1; c >= 0; c-- {
					here = w.extendPartials(here, below[c], k)
				}
			}
			for _, p := range here {
				w.Found(p.tree, p.times)
			}
			done = append(done[:len(done)-children], here)
		}
		w.trees = done
	}
}

// extendPartials returns the trees of here, and these trees with each partial tree of the next child.
func (w *Work) extendPartials(here, child partials, k int) partials {
	if w.place == nil {
		w.place = map[uint64]int{}
	}
	clear(w.place)
	for i, p := range here {
		w.place[p.tree] = i
	}
	// the count of a new tree is the product of the counts of its parts
	for _, p := range slices.Clone(here) {
		w.Steps += uint64(len(child))
		if w.exceeded() {
			break
		}
		for _, c := range child {
			if p.nodes+c.nodes > k {
				continue
			}
			tree := w.Down(w.Down(p.tree, roundMark), c.tree)
			i, there := w.place[tree]
			if !there {
				i = len(here)
				w.place[tree] = i
				w.Steps += newSteps
				here = append(here, partial{tree, p.nodes + c.nodes, 0})
			}
			here[i].times = min(here[i].times+p.times*c.times, maxTimes)
		}
	}
	return here
}
