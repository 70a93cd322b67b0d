package graph

// findRings finds the nodes that are part of a ring: those with an edge that is no bridge. It is a
// search in depth without recursion (Tarjan 1974).
func (w *Work) findRings() {
	g := &w.view
	n := g.n()
	w.ring = zeros(w.ring, n)
	entered, low := zeros(w.distance, n), make([]int32, n)
	parent, at := make([]int32, n), append([]int(nil), g.start[:n]...)
	clock := int32(0)
	for root := range int32(n) {
		if entered[root] != 0 {
			continue
		}
		clock++
		entered[root], low[root], parent[root] = clock, clock, -1
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
				entered[b], low[b], parent[b] = clock, clock, a
				w.queue = append(w.queue, b)
			case b != parent[a]:
				low[a] = min(low[a], entered[b])
			}
		}
	}
	w.distance = entered
}
