package seq

import (
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Map is a kind of feature map. A new kind is a row in allMaps, and a file if it is long.
type Map struct {
	Name       string
	Meaning    string // one line for the help
	Example    string
	Parameters []Parameter
	Kinds      []Kind // alphabets that the map is for; nil: all

	// Positions says that a feature has its place in the sequence.
	Positions bool

	// Reversal says that k(x, x') does not change when both sequences are reversed.
	Reversal bool

	graph graph.Map // map of package graph; without a name for sequences

	// checks the arguments together; nil: nothing to check
	check func(args []int) *SpecError
	make  func(args []int, a *Alphabet) (extractor, *SpecError) // makes the extractor for a checked alphabet
}

// Parameter is a whole number that a map takes.
type Parameter struct {
	Name     string
	Min, Max int
}

// extractor lists the features of sequences as numbers below 2⁶².
type extractor interface {
	// space returns a bound above every key, if a bound is known and small enough to matter; otherwise 0.
	space() uint64
	// learn gets every training sequence, in order, before any other call. It reports whether it needs them.
	learn(x []int32) bool
	// keys gives the features of x, in pieces, to s.count. Extractors are used by several goroutines at once, each with
	// a separate scratch.
	keys(x []int32, s *scratch)
	// crowded reports whether the training sequences have more features than can be numbered.
	crowded() bool
}

// counting is an extractor that counts a sequence by itself where that is faster than listing its keys.
type counting interface {
	// tally returns the keys of the strands of a sequence together, ascending, and their counts, in the memory of s. If
	// ok is false, the keys must be listed.
	tally(strands [][]int32, s *scratch) (t tally, ok bool)
}

// plainMap is the common part of most extractors: nothing to learn.
type plainMap struct{}

func (plainMap) crowded() bool      { return false }
func (plainMap) learn([]int32) bool { return false }

// allMaps returns the table of feature maps.
func allMaps() []Map {
	k := Parameter{"k", 1, 31}
	return append([]Map{
		{Name: "double", Meaning: "pairs of k-mers at distances 1 … d", Example: "double:1,5", Reversal: true,
			Parameters: []Parameter{k, {"d", 1, 64}}, make: newPairs},
		{Name: "triple", Meaning: "triples of k-mers, each 1 … d after the one before", Example: "triple:1,3",
			Reversal: true, Parameters: []Parameter{k, {"d", 1, 16}}, make: newTriples},
		{Name: "spectrum", Meaning: "k-mers", Example: "spectrum:3", Reversal: true, Parameters: []Parameter{k},
			make: newSpectrum},
		{Name: "blended", Meaning: "k-mers of the lengths 1 … k", Example: "blended:4", Reversal: true,
			Parameters: []Parameter{k}, make: newBlended},
		{Name: "gapped", Meaning: "g symbols of which any m are left out", Example: "gapped:6,2", Reversal: true,
			Parameters: []Parameter{{"g", 1, 31}, {"m", 0, 30}}, check: checkGapped, make: newGapped},
		{Name: "mismatch", Meaning: "k-mers, each counted for all that differ in at most m symbols",
			Example: "mismatch:5,1", Reversal: true, Parameters: []Parameter{k, {"m", 0, 30}},
			Kinds: []Kind{DNA, Protein, Bytes}, check: checkMismatches, make: newMismatches},
		{Name: "intersection", Meaning: "k-mers of the lengths 1 … k, each occurrence by its number",
			Example: "intersection:2", Reversal: true, Parameters: []Parameter{k}, make: newIntersection},
		{Name: "degree", Meaning: "k-mers of the lengths 1 … d with their position (weighted degree)",
			Example: "degree:8", Positions: true, Parameters: []Parameter{{"d", 1, 31}}, make: newDegrees},
		{Name: "placed", Meaning: "k-mers at the places within s of where they start", Example: "placed:3,2",
			Positions: true, Parameters: []Parameter{k, {"s", 0, 100}}, make: newPlaced},
		{Name: "words", Meaning: "runs of 1 … n words of a text", Example: "words:2",
			Parameters: []Parameter{{"n", 1, maxRun}}, Kinds: []Kind{Bytes, Words}, make: newWords},
	}, graphMaps()...)
}

// MapNames lists the names of the maps.
func MapNames() (names []string) {
	for _, m := range allMaps() {
		names = append(names, m.Name)
	}
	return names
}

func mapNamed(name string) (Map, bool) {
	all := allMaps()
	if i := slices.IndexFunc(all, func(m Map) bool { return m.Name == name }); i >= 0 {
		return all[i], true
	}
	return Map{}, false
}

// usage returns the syntax of a term of this map: `double:k,d`.
func (m Map) usage() string {
	names := make([]string, len(m.Parameters))
	for i, p := range m.Parameters {
		names[i] = p.Name
	}
	return strings.TrimSuffix(m.Name+":"+strings.Join(names, ","), ":")
}

// extractor makes the extractor of t over an alphabet.
func (t Term) extractor(a *Alphabet) (extractor, *SpecError) {
	m, ok := mapNamed(t.Map)
	if !ok {
		panic("seq: a term that was not parsed")
	}
	if a.Kind == Vectors || a.Attributes != nil {
		return nil, specErrorf("%s counts symbols, and these sequences are vectors: a codebook makes "+
			"symbols of them ("+usererror.Key("codebook")+"=N)", m.Name)
	}
	if m.Kinds == nil && a.Kind.IsGraph() {
		return nil, specErrorf("%s is for sequences; these are %s: use for example %s", m.Name,
			a.Kind, exampleFor(a.Kind))
	}
	if m.Kinds != nil && !slices.Contains(m.Kinds, a.Kind) {
		names := make([]string, len(m.Kinds))
		of := "sequences of "
		if m.Kinds[0].IsGraph() {
			of = ""
		}
		for i, k := range m.Kinds {
			names[i] = string(k)
		}
		return nil, specErrorf("%s is for %s%s; these are %s", m.Name, of, strings.Join(names, " or "), a.Kind)
	}
	if t.Fold && a.Kind != Bytes {
		return nil, specErrorf("%s: only text (bytes) has capitals to fold; these sequences are %s", t, a.Kind)
	}
	if t.BothStrands && (a.Kind != DNA || m.Positions) {
		return nil, specErrorf("%s: only DNA has a reverse complement, and maps with positions cannot "+
			"count both; these sequences are %s", t, a.Kind)
	}
	if t.occurrences() && !a.Kind.IsGraph() {
		return nil, specErrorf("%s: /%s is for graphs and trees; these are sequences: use for example "+
			"intersection:2", t, t.Counts)
	}
	ex, err := m.make(t.Args, a)
	if g, ok := ex.(*graphFeatures); ok {
		g.each = t.occurrences()
		g.whole = t.Counts == Tanimoto
	}
	return ex, err
}

// exampleFor returns a spec that an alphabet allows, for error messages.
func exampleFor(k Kind) string {
	all := allMaps()
	return all[slices.IndexFunc(all, func(m Map) bool { return slices.Contains(m.Kinds, k) })].Example
}

// tooWide returns the error for a map whose features cannot be numbered below 2⁶².
func tooWide(name string, a *Alphabet) *SpecError {
	return specErrorf("%s has too many possible features over the %d symbols of %s: make its numbers "+
		"smaller", name, a.Letters, a.Kind)
}

// power returns bᵉ·times; ok is false unless it is below 2⁶².
func power(b, e int, times uint64) (p uint64, ok bool) {
	const bound = 1 << 62
	p = times
	for range e {
		if b <= 0 || p >= bound/uint64(b) {
			return 0, false
		}
		p *= uint64(b)
	}
	return p, p < bound
}
