package seq

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// plainGraph is a coded graph as the definitions look at it.
type plainGraph struct {
	label []int32
	bond  map[[2]int]int32 // label of each bond, in both directions
}

func decoded(x []int32) plainGraph {
	n, m := int(x[0]), int(x[1])
	g := plainGraph{x[3 : 3+n], map[[2]int]int32{}}
	for e := range m {
		edge := x[3+n+3*e:]
		a, b := int(edge[0]), int(edge[1])
		g.bond[[2]int{a, b}], g.bond[[2]int{b, a}] = edge[2], edge[2]
	}
	return g
}

// distances finds all shortest paths (Floyd & Warshall), −1 without a path.
func (g plainGraph) distances() [][]int {
	n := len(g.label)
	d := make([][]int, n)
	for a := range n {
		d[a] = make([]int, n)
		for b := range n {
			d[a][b] = -1
			if _, joined := g.bond[[2]int{a, b}]; joined {
				d[a][b] = 1
			}
		}
		d[a][a] = 0
	}
	for c := range n {
		for a := range n {
			for b := range n {
				if through := d[a][c] + d[c][b]; d[a][c] >= 0 && d[c][b] >= 0 && (d[a][b] < 0 || through < d[a][b]) {
					d[a][b] = through
				}
			}
		}
	}
	return d
}

func (g plainGraph) degree(a int) (n int) {
	for ends := range g.bond {
		if ends[0] == a {
			n++
		}
	}
	return n
}

// ring reports whether a node has an edge without which its ends are still joined.
func (g plainGraph) ring(a int) bool {
	for ends := range g.bond {
		if ends[0] != a {
			continue
		}
		less := plainGraph{g.label, map[[2]int]int32{}}
		for other, l := range g.bond {
			if other != ends && other != [2]int{ends[1], ends[0]} {
				less.bond[other] = l
			}
		}
		if less.distances()[ends[0]][ends[1]] > 0 {
			return true
		}
	}
	return false
}

// colour writes the colour of a node after some rounds as text, "" where an unknown label is so near.
func (g plainGraph) colour(a, rounds int, edges bool, first func(a int) string) string {
	if rounds == 0 {
		return first(a)
	}
	own := g.colour(a, rounds-1, edges, first)
	var near []string
	for ends, l := range g.bond {
		if ends[0] != a {
			continue
		}
		other := g.colour(ends[1], rounds-1, edges, first)
		if other == "" || edges && l == Unknown {
			return ""
		}
		if edges {
			other = fmt.Sprint(l, other)
		}
		near = append(near, other)
	}
	if own == "" {
		return ""
	}
	slices.Sort(near)
	return "<" + own + ":" + strings.Join(near, ",") + ">"
}

func (g plainGraph) named(a int) string {
	if g.label[a] == Unknown {
		return ""
	}
	return fmt.Sprint("[", g.label[a], "]")
}

func (g plainGraph) colours(h int, edges bool, first func(a int) string) bag {
	b := bag{}
	for a := range g.label {
		for round := 0; round <= h; round++ {
			if c := g.colour(a, round, edges, first); c != "" {
				b[fmt.Sprint(round, c)]++
			}
		}
	}
	return b
}

// naiveGraph defines each map of graphs and trees by the plainest loops.
func naiveGraph(name string) func(x []int32, args []int, a *Alphabet) bag {
	return map[string]func(x []int32, args []int, a *Alphabet) bag{
		"vertices": func(x []int32, _ []int, _ *Alphabet) bag {
			g := decoded(x)
			return g.colours(0, false, g.named)
		},
		"edges": func(x []int32, _ []int, _ *Alphabet) bag {
			b, g := bag{}, decoded(x)
			for ends, l := range g.bond {
				names := []string{g.named(ends[0]), g.named(ends[1])}
				slices.Sort(names)
				if ends[0] < ends[1] && names[0] != "" && l != Unknown {
					b[fmt.Sprint(names, l)]++
				}
			}
			return b
		},
		"wl": func(x []int32, args []int, _ *Alphabet) bag {
			g := decoded(x)
			return g.colours(args[0], false, g.named)
		},
		"wledges": func(x []int32, args []int, _ *Alphabet) bag {
			g := decoded(x)
			return g.colours(args[0], true, g.named)
		},
		"circular": func(x []int32, args []int, _ *Alphabet) bag {
			g := decoded(x)
			return g.colours(args[0], true, func(a int) string {
				if g.label[a] == Unknown {
					return ""
				}
				return fmt.Sprint("[", g.label[a], g.degree(a), g.ring(a), "]")
			})
		},
		"paths": func(x []int32, args []int, _ *Alphabet) bag {
			b, g := bag{}, decoded(x)
			for a, row := range g.distances() {
				for c, d := range row {
					if d > 0 && d <= args[0] && g.label[a] != Unknown && g.label[c] != Unknown {
						b[fmt.Sprint(g.label[a], g.label[c], d)]++
					}
				}
			}
			return b
		},
		"atompairs": func(x []int32, args []int, _ *Alphabet) bag {
			b, g := bag{}, decoded(x)
			for a, row := range g.distances() {
				for c, d := range row {
					if a < c && d > 0 && d <= args[0] && g.label[a] != Unknown && g.label[c] != Unknown {
						ends := []string{fmt.Sprint(g.named(a), g.degree(a)), fmt.Sprint(g.named(c), g.degree(c))}
						slices.Sort(ends)
						b[fmt.Sprint(ends, d)]++
					}
				}
			}
			return b
		},
		"graphlets": func(x []int32, args []int, _ *Alphabet) bag {
			b, g := bag{}, decoded(x)
			for mask := range 1 << len(g.label) {
				part, old := plainGraph{bond: map[[2]int]int32{}}, []int{}
				for a := range g.label {
					if mask>>a&1 == 1 {
						part.label, old = append(part.label, 0), append(old, a)
					}
				}
				if len(old) != args[0] {
					continue
				}
				degrees, joined := make([]int, len(old)), true
				for i, a := range old {
					for j, c := range old {
						if _, edge := g.bond[[2]int{a, c}]; edge {
							part.bond[[2]int{i, j}] = 0
							degrees[i]++
						}
					}
				}
				for _, d := range part.distances()[0] {
					joined = joined && d >= 0
				}
				if slices.Sort(degrees); joined {
					b[fmt.Sprint(degrees)]++
				}
			}
			return b
		},
		"subtrees": func(x []int32, _ []int, _ *Alphabet) bag {
			b := bag{}
			var read func(at int) (text string, end int)
			read = func(at int) (text string, end int) {
				text, end = fmt.Sprint("(", x[at]), at+2
				for range x[at+1] {
					var below string
					below, end = read(end)
					text += below
				}
				if text += ")"; !strings.Contains(text, "(-1") {
					b[text]++
				}
				return text, end
			}
			read(1)
			return b
		},
		"partial": func(x []int32, args []int, _ *Alphabet) bag {
			b := bag{}
			var read func(at int) (all []string, end int)
			read = func(at int) (all []string, end int) {
				var below [][]string
				end = at + 2
				for range x[at+1] {
					var child []string
					child, end = read(end)
					below = append(below, child)
				}
				if x[at] != Unknown {
					all = []string{fmt.Sprint("(", x[at])}
					for _, child := range below { // a subtree has or lacks the child, with each of its trees
						for _, text := range slices.Clone(all) {
							for _, tree := range child {
								all = append(all, text+tree)
							}
						}
					}
				}
				for i := range all {
					all[i] += ")"
					if strings.Count(all[i], "(") <= args[0] {
						b[all[i]]++
					}
				}
				return all, end
			}
			read(1)
			return b
		},
	}[name]
}

// graphSpecs returns terms of each map of graphs and trees.
func graphSpecs() map[string][]string {
	return map[string][]string{
		"vertices":  {"vertices/tfidf"},
		"edges":     {"edges/sqrt"},
		"wl":        {"wl:0", "wl:1/tfidf", "wl:4/log", "wl:2/min"},
		"wledges":   {"wledges:2", "wledges:3/tfidf"},
		"paths":     {"paths:1", "paths:3/sqrt", "paths:1000/tfidf"},
		"graphlets": {"graphlets:3", "graphlets:4/log", "graphlets:3/min"},
		"circular":  {"circular:0", "circular:3/tfidf"},
		"atompairs": {"atompairs:2", "atompairs:100/presence", "atompairs:3/min/tfidf"},
		"subtrees":  {"subtrees/tfidf", "subtrees/min"},
		"partial":   {"partial:1", "partial:2/sqrt", "partial:5/tfidf", "partial:3/min"},
	}
}

// randomGraphs returns graphs of up to 9 nodes, some with loops and repeated edges, and molecules.
func randomGraphs(n int, r *rand.Rand) []string {
	molecules := []string{"c1ccccc1O", "CC(=O)[O-].[Na+]", "C1CC2CC1CC2", "N#CC", "C"}
	texts := make([]string, n)
	for i := range texts {
		if i%4 == 3 {
			texts[i] = molecules[i/4%len(molecules)]
			continue
		}
		nodes := 1 + r.IntN(9)
		var labels, edges []string
		for range nodes {
			labels = append(labels, fmt.Sprintf("%q", string("CNO"[r.IntN(3)])))
		}
		for range r.IntN(2 * nodes) {
			edges = append(edges, fmt.Sprintf("[%d, %d, %q]", r.IntN(nodes), r.IntN(nodes), string("-="[r.IntN(2)])))
		}
		texts[i] = fmt.Sprintf(`{"nodes": [%s], "edges": [%s]}`, strings.Join(labels, ","), strings.Join(edges, ","))
	}
	return texts
}

// randomTrees returns trees of up to 9 nodes in either notation.
func randomTrees(n int, r *rand.Rand) []string {
	texts := make([]string, n)
	for i := range texts {
		left := r.IntN(9)
		var below func(newick bool) string
		below = func(newick bool) string {
			label := string("ABC"[r.IntN(3)])
			var children []string
			for left > 0 && r.IntN(3) > 0 {
				left--
				children = append(children, below(newick))
			}
			switch {
			case newick && children != nil:
				return "(" + strings.Join(children, ",") + ")" + label + ":0.5"
			case newick:
				return label
			}
			return strings.TrimSpace("("+label+" "+strings.Join(children, " ")) + ")"
		}
		if i%2 == 1 {
			texts[i] = below(true) + ";"
		} else {
			texts[i] = below(false)
		}
	}
	return texts
}

// forgetful makes some labels of graphs or trees unknown, and adds two without any feature.
func forgetful(s *Set) {
	for i := range s.N() {
		x, labels := s.At(i), 0
		step, from := 1, 3
		if s.Alphabet.Kind == Trees {
			step, from = 2, 1
		}
		for range x[0] {
			if labels++; (i+labels)%11 == 5 {
				x[from] = Unknown
			}
			from += step
		}
	}
	alone := []int32{1, 0, 0, Unknown}
	if s.Alphabet.Kind == Trees {
		alone = []int32{1, Unknown, 0}
	}
	for range 2 {
		s.Codes = append(s.Codes, alone...)
		s.Start = append(s.Start, len(s.Codes))
	}
}
