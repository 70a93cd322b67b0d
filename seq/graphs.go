package seq

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/graph"
)

// IsGraph reports whether an alphabet is for graphs or trees: the codes are by package graph, and the letters are the
// labels of nodes and edges.
func (k Kind) IsGraph() bool { return k == Graphs || k == Trees }

// Noun returns the word for a row of the kind: a sequence, a graph or a tree.
func (k Kind) Noun() string {
	return cmp.Or(map[Kind]string{Graphs: "graph", Trees: "tree"}[k], "sequence")
}

// OfVectors returns the alphabet of the vectors that a codebook makes symbols of: a itself, or the alphabet of the
// attributes of nodes. It is nil if there are no vectors.
func (a *Alphabet) OfVectors() *Alphabet {
	if a.Kind == Vectors {
		return a
	}
	return a.Attributes
}

// Plain returns the alphabet as a model keeps it: without the vectors of its training set.
func (a *Alphabet) Plain() *Alphabet {
	own := *a
	switch {
	case a.Kind == Vectors:
		return &Alphabet{Kind: a.Kind, Width: a.Width}
	case a.Attributes != nil:
		own.Attributes = a.Attributes.Plain()
	}
	return &own
}

// MeanEdges returns the mean number of edges of the graphs of a set.
func (s *Set) MeanEdges() float64 {
	total := 0
	for i := range s.N() {
		total += graph.Edges(s.At(i))
	}
	return float64(total) / float64(max(1, s.N()))
}

// edgeLabels returns the number of different labels of the edges of a set of graphs.
func (s *Set) edgeLabels() int {
	labels := map[int32]bool{}
	for i := range s.N() {
		for e := graph.EdgeList(s.At(i)); len(e) > 0; e = e[3:] {
			labels[e[2]] = true
		}
	}
	return len(labels)
}

// size returns the length of a sequence: its symbols, or the nodes of a graph or tree.
func (k Kind) size(x []int32) int {
	if k.IsGraph() {
		return graph.Nodes(x)
	}
	return len(x)
}

// CheckGraphs refuses codes that are no graphs or trees over the set's alphabet.
func (s *Set) CheckGraphs() error {
	check := graph.Check
	if s.Alphabet.Kind == Trees {
		check = graph.CheckTree
	}
	for i := range s.N() {
		if err := check(s.At(i), s.Alphabet.Letters); err != nil {
			return err
		}
	}
	return nil
}

// GraphStats counts the parts of texts of graphs that do not become features.
type GraphStats struct {
	Loops, Repeats int
	Warnings       int
	First          string // the first warning
	FirstAt        int    // number of the graph of the first warning
}

// Graphs counts the parts of the texts of graphs that were left out or are likely mistakes.
func (e *Encoder) Graphs() GraphStats { return e.graphs }

// label returns the code of a label or a word. A new one gets the next code, or is unknown if the alphabet was given.
func (e *Encoder) label(label string) int32 {
	code, known := e.words[label]
	switch {
	case known:
		return code
	case e.fixed:
		e.lost++
		return Unknown
	}
	a := e.set.Alphabet
	code = int32(len(a.Words))
	a.Words = append(a.Words, label)
	a.Letters++
	e.words[label] = code
	return code
}

func (e *Encoder) addGraph(text []byte) error {
	g, err := graph.Parse(text)
	if err != nil {
		return symbolError(err)
	}
	if e.set.Alphabet.Standard {
		g.Standardise()
	}
	return e.code(g)
}

// AddGraph adds a parsed graph, as Add does a text.
func (e *Encoder) AddGraph(g *graph.Graph) error {
	if err := e.code(g); err != nil {
		return err
	}
	e.set.Start = append(e.set.Start, len(e.set.Codes))
	return nil
}

func (e *Encoder) code(g *graph.Graph) error {
	if err := e.attributes(g); err != nil {
		return err
	}
	e.graphs.Loops += g.Loops
	e.graphs.Repeats += g.Repeats
	if e.graphs.Warnings == 0 && len(g.Warnings) > 0 {
		e.graphs.First, e.graphs.FirstAt = g.Warnings[0], e.set.N()
	}
	e.graphs.Warnings += len(g.Warnings)
	e.set.Codes = g.Append(e.set.Codes, e.label, e.frames.number)
	return nil
}

// attributes sets the width of attributes by the first graph, and checks the width of the others.
func (e *Encoder) attributes(g *graph.Graph) error {
	a := e.set.Alphabet
	width := 0
	if g.Values != nil {
		width = len(g.Values[0])
	}
	if e.set.N() == 0 && !e.given && width > 0 {
		a.Attributes = &Alphabet{Kind: Vectors, Width: width}
		e.frames = newFrames(a.Attributes)
	}
	want := 0
	if a.Attributes != nil {
		want = a.Attributes.Width
	}
	if width != want {
		return &SymbolError{Symbol: fmt.Sprintf("%d values of each node", width),
			Msg: fmt.Sprintf("and the graphs before have %d: give all nodes the same number of values", want)}
	}
	return nil
}

func (e *Encoder) addTree(text []byte) error {
	t, err := graph.ParseTree(text)
	if err != nil {
		return symbolError(err)
	}
	e.set.Codes = t.Append(e.set.Codes, e.label)
	return nil
}

// symbolError converts an error of package graph to one of this package.
func symbolError(err error) error {
	bad := err.(*graph.Error)
	return &SymbolError{At: bad.At, Symbol: bad.Found, Msg: bad.Msg}
}

// vectors returns the attributes of nodes as sequences of vectors, or the set itself if it has no graphs.
func (s *Set) vectors() *Set {
	if !s.Alphabet.Kind.IsGraph() {
		return s
	}
	v := &Set{Alphabet: s.Alphabet.Attributes, Start: []int{0}}
	for i := range s.N() {
		v.Codes = append(v.Codes, graph.Frames(s.At(i))...)
		v.Start = append(v.Start, len(v.Codes))
	}
	return v
}

// labelled returns the graphs of a set, with pairs as labels of nodes: the label and the number of the nearest centre.
func (c *Codebook) labelled(set *Set) *Set {
	centres := c.Encode(set.vectors())
	coded := &Set{Alphabet: c.Alphabet(set.Alphabet), Start: []int{0}}
	for i := range set.N() {
		frames := centres.At(i)
		coded.Codes = graph.WithoutFrames(coded.Codes, set.At(i), func(label, _ int32) int32 {
			centre := frames[0]
			frames = frames[1:]
			if label == Unknown {
				return Unknown
			}
			return label*int32(c.Letters()) + centre
		})
		coded.Start = append(coded.Start, len(coded.Codes))
	}
	return coded
}

// graphText returns a coded graph or tree for people and for fingerprints: nodes and edges with labels.
func (a *Alphabet) graphText(x []int32) string {
	var b strings.Builder
	name := func(code int32) {
		if code == Unknown || int(code) >= len(a.Words) {
			b.WriteByte('?')
		} else {
			b.WriteString(strconv.Quote(a.Words[code]))
		}
		b.WriteByte(' ')
	}
	number := func(n int32) { b.WriteString(strconv.Itoa(int(n)) + " ") }
	if a.Kind == Trees {
		for i := 1; i < len(x); i += 2 {
			name(x[i])
			number(x[i+1])
		}
		return b.String()
	}
	frames := graph.Frames(x)
	for i, l := range graph.Labels(x) {
		name(l)
		if len(frames) > 0 {
			b.WriteString(frameText(a.Attributes.frame(frames[i])) + " ")
		}
	}
	for i, c := range graph.EdgeList(x) {
		if i%3 == 2 {
			name(c)
		} else {
			number(c)
		}
	}
	return b.String()
}

// clone returns a copy of an alphabet, to which labels and vectors may be added.
func (a *Alphabet) clone() *Alphabet {
	own := *a
	own.Words, own.Frames = slices.Clone(a.Words), slices.Clone(a.Frames)
	if a.Kind == Vectors {
		own.Letters = len(a.Frames) / max(a.Width, 1)
	}
	if a.Attributes != nil {
		own.Attributes = a.Attributes.clone()
	}
	return &own
}
