package graph

import "slices"

// vertices counts the labels of nodes.
func vertices(w *Work, codes []int32) {
	for _, l := range Labels(codes) {
		if l != Unknown {
			w.Found(w.Down(0, labelSymbol(l)), 1)
		}
	}
}

// edges counts edges by their label and the labels of their ends, in either direction.
func edges(w *Work, codes []int32) {
	g := &w.view
	g.read(codes)
	for a := range int32(g.n()) {
		for i, b := range g.near(a) {
			l := g.edge[g.start[a]+i]
			la, lb := g.label[a], g.label[b]
			if b < a || la == Unknown || lb == Unknown || l == Unknown {
				continue
			}
			w.Found(w.Down(w.Down(w.Down(0, labelSymbol(min(la, lb))), edgeSymbol(l)), labelSymbol(max(la, lb))), 1)
		}
	}
}

// weisfeilerLehman counts the colours of the rounds 0 … h (Shervashidze et al. 2011). The first colour of a node is its
// label. The next one is its colour with the colours of its neighbours, in order. With edges, each neighbour counts
// with the label of the edge to it.
func weisfeilerLehman(edges bool) func(args []int) Counter {
	return func(args []int) Counter {
		return func(w *Work, codes []int32) {
			w.view.read(codes)
			w.refine(args[0], edges, w.labelColours())
		}
	}
}

// circular returns weisfeilerLehman with edges and with other first colours: label, degree, and whether the node is in
// a ring, as in extended-connectivity fingerprints (Rogers & Hahn 2010).
func circular(args []int) Counter {
	return func(w *Work, codes []int32) {
		g := &w.view
		g.read(codes)
		w.findRings()
		first := zeros(w.colour, g.n())
		for a, l := range g.label {
			if l == Unknown {
				continue
			}
			first[a] = w.Down(w.Down(0, labelSymbol(l)), uint64(g.degree(int32(a))))
			if w.ring[a] {
				first[a] = w.Down(first[a], 0)
			}
		}
		w.refine(args[0], true, first)
	}
}

// labelColours returns the colour of each node by its label; 0 for an unknown label.
func (w *Work) labelColours() []uint64 {
	colour := zeros(w.colour, w.view.n())
	for a, l := range w.view.label {
		if l != Unknown {
			colour[a] = w.Down(0, labelSymbol(l))
		}
	}
	return colour
}

// refine finds the first colours and the colours of h rounds. A node has no colour, 0, once a round has reached an
// unknown label.
func (w *Work) refine(h int, edges bool, colour []uint64) {
	after := zeros(w.after, len(colour))
	for round := 0; ; round++ {
		for _, c := range colour {
			if c != 0 {
				w.Found(c, 1)
			}
		}
		if round == h {
			break
		}
		for a := range colour {
			after[a] = w.nextColour(int32(a), edges, colour)
		}
		colour, after = after, colour
	}
	w.colour, w.after = colour, after
}

// nextColour returns a colour for the colours of a and of its neighbours; 0 if one of them has no colour.
func (w *Work) nextColour(a int32, edges bool, colour []uint64) uint64 {
	g := &w.view
	next := colour[a]
	w.signature = w.signature[:0]
	for i, b := range g.near(a) {
		symbol := colour[b]
		label := int32(0)
		if edges {
			label = g.edge[g.start[a]+i]
			symbol |= uint64(label) << 32
		}
		if colour[b] == 0 || label == Unknown {
			return 0
		}
		w.signature = append(w.signature, symbol)
	}
	if next == 0 {
		return 0
	}
	slices.Sort(w.signature)
	next = w.Down(next, roundMark)
	for _, symbol := range w.signature {
		if edges {
			next = w.Down(next, edgeSymbol(int32(symbol>>32)))
		}
		next = w.Down(next, symbol&(1<<32-1))
	}
	return next
}

// findRings finds the nodes that are part of a ring: nodes with an edge that is no bridge. It searches in depth,
// without recursion (Tarjan 1974).
func (w *Work) findRings() {
	g := &w.view
	n := g.n()
	w.ring = zeros(w.ring, n)
	entered := zeros(w.distance, n)
	low := make([]int32, n)
	parent := make([]int32, n)
	at := slices.Clone(g.start[:n])
	clock := int32(0)
	for root := range int32(n) {
		if entered[root] != 0 {
			continue
		}
		clock++
		entered[root], low[root] = clock, clock
		parent[root] = -1
		w.queue = append(w.queue[:0], root)
		for len(w.queue) > 0 {
			a := w.queue[len(w.queue)-1]
			if at[a] == g.start[a+1] {
				w.queue = w.queue[:len(w.queue)-1]
				if p := parent[a]; p >= 0 {
					low[p] = min(low[p], low[a])
					if low[a] <= entered[p] {
						w.ring[a], w.ring[p] = true, true
					}
				}
				continue
			}
			b := g.to[at[a]]
			at[a]++
			switch {
			case entered[b] == 0:
				clock++
				entered[b], low[b] = clock, clock
				parent[b] = a
				w.queue = append(w.queue, b)
			case b != parent[a]:
				low[a] = min(low[a], entered[b])
			}
		}
	}
	w.distance = entered
}
