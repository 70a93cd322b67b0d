package graph

// allPairs is how many pairs of nodes there are.
func allPairs(_ []int, codes []int32) float64 { return float64(Nodes(codes)) * float64(Nodes(codes)) }

// shortestPaths counts ordered pairs of different nodes by their labels and the edges of a shortest
// path between them, d at most (Borgwardt & Kriegel 2005).
func shortestPaths(args []int) Counter {
	return func(w *Work, codes []int32) {
		w.view.read(codes)
		kind := w.labelled()
		w.pairs(args[0], kind, func(a, b int32, d uint64) {
			w.Found(w.Down(w.Down(kind[a], d), kind[b]), 1)
		})
	}
}

// atomPairs counts pairs of nodes by label, degree and distance, d at most (Carhart, Smith &
// Venkataraghavan 1985).
func atomPairs(args []int) Counter {
	return func(w *Work, codes []int32) {
		g := &w.view
		g.read(codes)
		kind := w.labelled()
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

// pairs visits the ordered pairs of nodes of some kind, not 0, whose distance is from 1 to most. An
// unknown node may be on the way.
func (w *Work) pairs(most int, kind []uint64, visit func(a, b int32, d uint64)) {
	g := &w.view
	w.distance = zeros(w.distance, g.n())
	for a := range int32(g.n()) {
		if kind[a] == 0 || w.over() {
			continue
		}
		w.queue = append(w.queue[:0], a)
		w.distance[a] = 1 // one more than it is: 0 is far
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
