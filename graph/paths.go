package graph

import (
	"math"
	"slices"
)

func allPairs(_ []int, codes []int32) float64 { return float64(Nodes(codes)) * float64(Nodes(codes)) }

// shortestPaths counts ordered pairs of different nodes by their labels and the edges of a shortest path between them,
// d at most (Borgwardt & Kriegel 2005).
func shortestPaths(args []int) Counter {
	return func(w *Work, codes []int32) {
		w.view.read(codes)
		kind := w.labelColours()
		w.pairs(args[0], kind, func(a, b int32, d uint64) {
			w.Found(w.Down(w.Down(kind[a], d), kind[b]), 1)
		})
	}
}

// atomPairs counts pairs of nodes by label, degree and distance, d at most (Carhart, Smith & Venkataraghavan 1985).
func atomPairs(args []int) Counter {
	return func(w *Work, codes []int32) {
		g := &w.view
		g.read(codes)
		kind := w.labelColours()
		for a, k := range kind {
			if k != 0 {
				kind[a] = w.Down(k, uint64(g.degree(int32(a))))
			}
		}
		w.pairs(args[0], kind, func(a, b int32, d uint64) {
			if a < b {
				w.Found(w.Down(w.Down(min(kind[a], kind[b]), roundMark+d), max(kind[a], kind[b])), 1)
			}
		})
	}
}

// pairs visits the ordered pairs of nodes of some kind, not 0, whose distance is from 1 to most. An unknown node may be
// on the way.
func (w *Work) pairs(most int, kind []uint64, visit func(a, b int32, d uint64)) {
	g := &w.view
	w.distance = zeros(w.distance, g.n())
	for a := range int32(g.n()) {
		if kind[a] == 0 || w.exceeded() {
			continue
		}
		w.queue = append(w.queue[:0], a)
		w.distance[a] = 1 // distances are one more than they are, since 0 means far
		for i := 0; i < len(w.queue); i++ {
			b := w.queue[i]
			w.Steps++
			d := w.distance[b]
			if b != a && kind[b] != 0 {
				visit(a, b, uint64(d-1))
			}
			if int(d) > most {
				continue
			}
			for _, c := range g.near(b) {
				if w.distance[c] == 0 {
					w.distance[c] = d + 1
					w.queue = append(w.queue, c)
				}
			}
		}
		for _, b := range w.queue {
			w.distance[b] = 0
		}
	}
	w.colour = kind
}

// connectedSets returns a bound on the number of connected sets of k nodes: the number of all sets, or of sets that
// neighbours reach from a node.
func connectedSets(args []int, codes []int32) float64 {
	n, k := float64(Nodes(codes)), float64(args[0])
	return min(math.Pow(n, k), n*math.Pow(float64(maxNeighbours(codes)), k-1))
}

// graphlets counts the connected induced subgraphs of k nodes by their shape: for 3 nodes a path and a triangle, for 4
// a path, a claw, a cycle, a paw, a diamond and a clique. Labels do not count. Each set of nodes is found once, from
// its smallest (Wernicke 2006).
func graphlets(args []int) Counter {
	return func(w *Work, codes []int32) {
		g := &w.view
		g.read(codes)
		s := &subsets{w: w, g: g, k: args[0], near: zeros(w.distance, g.n())}
		for a := range int32(g.n()) {
			if w.exceeded() {
				break
			}
			s.root = a
			s.near[a]++
			s.with(a, nil)
			s.near[a]--
		}
		w.distance = s.near
	}
}

// subsets finds the connected sets of k nodes.
type subsets struct {
	w    *Work
	g    *view
	k    int
	root int32   // smallest node of the set
	set  []int32 // nodes of the set so far
	near []int32 // 0 for a node that is neither in the set nor beside it
}

// with adds a to the set, and then each node of next and each node that is beside a alone.
func (s *subsets) with(a int32, next []int32) {
	s.set = append(s.set, a)
	s.w.Steps++
	defer func() { s.set = s.set[:len(s.set)-1] }()
	if len(s.set) == s.k {
		s.w.Found(s.w.Down(s.w.Down(0, roundMark), s.shape()), 1)
		return
	}
	next = slices.Clone(next)
	for _, b := range s.g.near(a) {
		if s.near[b] == 0 && b > s.root {
			next = append(next, b)
		}
		s.near[b]++
	}
	for len(next) > 0 && !s.w.exceeded() {
		b := next[len(next)-1]
		next = next[:len(next)-1]
		s.with(b, next)
	}
	for _, b := range s.g.near(a) {
		s.near[b]--
	}
}

// shape returns the number of edges among the set and the largest degree, which tell all shapes of 3 and 4 nodes apart.
func (s *subsets) shape() uint64 {
	total, most := 0, 0
	for _, a := range s.set {
		degree := 0
		for _, b := range s.set {
			if _, joined := slices.BinarySearch(s.g.near(a), b); joined {
				degree++
			}
		}
		total += degree
		most = max(most, degree)
	}
	return uint64(total/2*s.k + most)
}
