package graph

import (
	"errors"
	"fmt"
)

// Unknown is the code of a label that training did not have.
const Unknown = -1

// head is the number of numbers before the labels of a coded graph: its nodes, its edges, and 1 or 0 for frames.
const head = 3

// Append adds the code of g to codes:
//
//	n, m, f, the n labels, f·n frames, and for each of the m edges From, To and its label
//
// where label numbers the labels of nodes and of edges, and frame numbers vectors.
func (g *Graph) Append(codes []int32, label func(string) int32, frame func([]float32) int32) []int32 {
	framed := min(len(g.Values), 1)
	codes = append(codes, int32(len(g.Labels)), int32(len(g.Edges)), int32(framed))
	for _, l := range g.Labels {
		codes = append(codes, label(l))
	}
	for _, v := range g.Values {
		codes = append(codes, frame(v))
	}
	for _, e := range g.Edges {
		codes = append(codes, int32(e.From), int32(e.To), label(e.Label))
	}
	return codes
}

// Nodes returns the number of nodes of a coded graph or tree.
func Nodes(codes []int32) int {
	if len(codes) == 0 {
		return 0
	}
	return int(codes[0])
}

// Edges returns the number of edges of a coded graph.
func Edges(codes []int32) int { return int(codes[1]) }

// maxNeighbours returns the largest degree of a node of a coded graph.
func maxNeighbours(codes []int32) int {
	degree := make([]int, Nodes(codes))
	most := 0
	for i, v := range EdgeList(codes) {
		if i%3 < 2 {
			degree[v]++
			most = max(most, degree[v])
		}
	}
	return most
}

// Labels returns the codes of the labels of a coded graph's nodes, in its memory.
func Labels(codes []int32) []int32 { return codes[head : head+Nodes(codes)] }

// Frames returns the codes of the vectors of a coded graph's nodes, in its memory. It is empty without attributes.
func Frames(codes []int32) []int32 {
	n := Nodes(codes)
	return codes[head+n : head+n+n*int(codes[2])]
}

// EdgeList returns the edges of a coded graph, in its memory: From, To and the label of each.
func EdgeList(codes []int32) []int32 { return codes[head+Nodes(codes)+len(Frames(codes)):] }

// WithoutFrames adds to dst the coded graph without frames, each label l of a node with the frame f as combined(l, f).
func WithoutFrames(dst, codes []int32, combined func(label, frame int32) int32) []int32 {
	n := Nodes(codes)
	frames := Frames(codes)
	dst = append(dst, codes[0], codes[1], 0)
	for i, l := range Labels(codes) {
		dst = append(dst, combined(l, frames[i]))
	}
	return append(dst, codes[head+n+len(frames):]...)
}

// unknownMark is a label that no alphabet has.
const unknownMark = 1 << 30

// MarkUnknown copies a coded graph or tree to dst, with the label unknownMark in place of Unknown. So features with an
// unknown label are counted, which no training graph has.
func MarkUnknown(dst, codes []int32, tree bool) []int32 {
	dst = append(dst[:0], codes...)
	name := func(labels []int32, step int) {
		for i := 0; i < len(labels); i += step {
			if labels[i] == Unknown {
				labels[i] = unknownMark
			}
		}
	}
	if tree {
		name(dst[1:], 2)
		return dst
	}
	name(Labels(dst), 1)
	if edges := EdgeList(dst); len(edges) > 0 {
		name(edges[2:], 3)
	}
	return dst
}

// Check refuses codes of a graph that Append cannot have made, of labels below letters.
func Check(codes []int32, letters int) error {
	damaged := errors.New("a coded graph is damaged")
	if len(codes) < head || codes[0] < 1 || codes[1] < 0 || codes[2] != 0 {
		return damaged
	}
	n, m := int(codes[0]), int(codes[1])
	if len(codes) != head+n+3*m {
		return damaged
	}
	known := func(l int32) bool { return l >= Unknown && int(l) < letters }
	for _, l := range Labels(codes) {
		if !known(l) {
			return fmt.Errorf("%w: a label is %d", damaged, l)
		}
	}
	from, to := int32(-1), int32(-1)
	for e := EdgeList(codes); len(e) > 0; e = e[3:] {
		if e[0] < 0 || e[0] >= e[1] || int(e[1]) >= n || !known(e[2]) || e[0] < from || e[0] == from && e[1] <= to {
			return fmt.Errorf("%w: an edge is %v", damaged, e[:3])
		}
		from, to = e[0], e[1]
	}
	return nil
}

// view is a graph as maps look at it: node v has the neighbours to[start[v]:start[v+1]]. edge has the labels of the
// edges to them.
type view struct {
	label []int32
	start []int
	to    []int32
	edge  []int32
	next  []int
}

// read makes v the view of a coded graph.
func (v *view) read(codes []int32) {
	n, m := Nodes(codes), Edges(codes)
	v.label = Labels(codes)
	list := EdgeList(codes)
	v.start = zeros(v.start, n+1)
	for e := 0; e < len(list); e += 3 {
		v.start[list[e]+1]++
		v.start[list[e+1]+1]++
	}
	for i := range n {
		v.start[i+1] += v.start[i]
	}
	v.to, v.edge = zeros(v.to, 2*m), zeros(v.edge, 2*m)
	v.next = append(v.next[:0], v.start[:n]...)
	join := func(a, b, label int32) {
		at := &v.next[a]
		v.to[*at], v.edge[*at] = b, label
		*at++
	}
	for e := 0; e < len(list); e += 3 {
		join(list[e], list[e+1], list[e+2])
		join(list[e+1], list[e], list[e+2])
	}
}

func (v *view) n() int             { return len(v.label) }
func (v *view) degree(a int32) int { return v.start[a+1] - v.start[a] }

func (v *view) near(a int32) []int32 { return v.to[v.start[a]:v.start[a+1]] }

// zeros returns s with n elements, all 0.
func zeros[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
