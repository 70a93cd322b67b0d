package graph

// Map is a kind of feature map of graphs or of trees. A new one is a row in Maps.
type Map struct {
	Name       string
	Meaning    string // one line for the help
	Example    string
	Parameters []Parameter
	Trees      bool // the map is for trees
	// Steps is an upper bound of the number of parts that it looks at in a coded graph or tree, roughly; nil if the
	// number is not much more than the size.
	Steps func(args []int, codes []int32) float64
	Make  func(args []int) Counter
}

// Parameter is a whole number that a map takes.
type Parameter struct {
	Name     string
	Min, Max int
}

// Counter lists the features of a coded graph or tree to w.Found.
type Counter func(w *Work, codes []int32)

// Work is the input of a Counter, and the memory that it uses again.
type Work struct {
	// Down numbers a chain of symbols by the number of the chain before its last symbol, 0 for the empty one, and that
	// symbol, which is below 2³². Numbers are from 1 and below 2³¹; the same chain has the same number.
	Down func(chain, symbol uint64) uint64
	// Found takes a feature, which is the number of its chain, and its count. Counts of the same feature are added up.
	Found func(feature, times uint64)

	// Steps counts the work of a Counter that may look at much more than the graph. If Limit is not 0, the Counter
	// stops after that number of steps, and its counts are incomplete.
	Steps, Limit uint64

	view          view
	colour, after []uint64
	signature     []uint64
	distance      []int32
	queue         []int32
	ring          []bool
	trees         []partials
	place         map[uint64]int
}

// exceeded reports whether the Counter has taken more steps than Limit, and should stop.
func (w *Work) exceeded() bool { return w.Limit > 0 && w.Steps > w.Limit }

// Maps returns the table of feature maps.
func Maps() []Map {
	rounds := []Parameter{{"h", 0, 20}}
	most := []Parameter{{"d", 1, 1 << 20}}
	return []Map{
		{Name: "vertices", Meaning: "labels of nodes", Example: "vertices",
			Make: func([]int) Counter { return vertices }},
		{Name: "edges", Meaning: "labels of edges with those of their ends", Example: "edges",
			Make: func([]int) Counter { return edges }},
		{Name: "wl", Meaning: "Weisfeiler-Lehman colours of 0 … h rounds", Example: "wl:3", Parameters: rounds,
			Make: weisfeilerLehman(false)},
		{Name: "wledges", Meaning: "Weisfeiler-Lehman colours with the labels of edges", Example: "wledges:3",
			Parameters: rounds, Make: weisfeilerLehman(true)},
		{Name: "paths", Meaning: "pairs of nodes by labels and distance up to d (shortest paths)",
			Example: "paths:10", Parameters: most, Steps: allPairs, Make: shortestPaths},
		{Name: "graphlets", Meaning: "connected induced subgraphs of k nodes, without labels",
			Example: "graphlets:4", Parameters: []Parameter{{"k", 3, 4}}, Steps: connectedSets, Make: graphlets},
		{Name: "circular", Meaning: "neighbourhoods up to radius r in a molecule (Morgan, ECFP)",
			Example: "circular:2", Parameters: []Parameter{{"r", 0, 20}}, Make: circular},
		{Name: "atompairs", Meaning: "pairs of atoms by label, degree and distance up to d",
			Example: "atompairs:10", Parameters: most, Steps: allPairs, Make: atomPairs},
		{Name: "subtrees", Meaning: "whole subtrees, one for each node", Example: "subtrees", Trees: true,
			Make: func([]int) Counter { return subtrees }},
		{Name: "partial", Meaning: "partial trees of at most k nodes", Example: "partial:3", Trees: true,
			Parameters: []Parameter{{"k", 1, 8}}, Steps: partialSteps, Make: partialTrees},
	}
}

// Symbols that are larger than every colour and label.
const (
	roundMark = 1<<31 + iota // the neighbours follow
	againMark                // the number of an occurrence follows
	edgeMark                 // the label of an edge is added to this
)

// Occurrence returns the feature that stands for occurrence i of a feature, from 1; the first one is the feature
// itself.
func (w *Work) Occurrence(feature, i uint64) uint64 {
	if i == 1 {
		return feature
	}
	return w.Down(w.Down(feature, againMark), i)
}

func labelSymbol(label int32) uint64 { return uint64(label) + 1 }

func edgeSymbol(label int32) uint64 { return edgeMark + uint64(label) }
