package graph

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// TUDataset is a set of graphs in the format of TUDataset, a folder DS with the files DS_A.txt (edges),
// DS_graph_indicator.txt, DS_graph_labels.txt and more, plain or gzip.
type TUDataset struct {
	Graphs []*Graph
	Labels []string // labels or targets of the graphs, as the file has them
	// Unread is the reason why Labels are missing, as they may; nil if they are there.
	Unread error
	// Classes says that Labels are of DS_graph_labels.txt, not targets of DS_graph_attributes.txt.
	Classes bool
	// EdgeAttributes is the file of the attributes of edges, which are not read; "" without one.
	EdgeAttributes string
}

// TUDatasetError is a fault of a file of a folder.
type TUDatasetError struct {
	File string
	Line int // 0: the fault is of the whole file
	Msg  string
}

func (e *TUDatasetError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// The ends of the names of a folder's files.
const (
	endEdges          = "_A.txt"
	endIndicator      = "_graph_indicator.txt"
	endGraphLabels    = "_graph_labels.txt"
	endGraphValues    = "_graph_attributes.txt" // targets of a regression
	endNodeLabels     = "_node_labels.txt"
	endEdgeLabels     = "_edge_labels.txt"
	endNodeAttributes = "_node_attributes.txt"
	endEdgeAttributes = "_edge_attributes.txt"
)

// FindTUDataset returns the path of a folder and the name of its set before _A.txt, "" where path is no folder of
// graphs.
func FindTUDataset(path string) (set string) {
	for _, zipped := range []string{"", ".gz"} {
		files, err := filepath.Glob(filepath.Join(escaped(path), "*"+endEdges+zipped))
		if err == nil && len(files) == 1 {
			return strings.TrimSuffix(strings.TrimSuffix(files[0], zipped), endEdges)
		}
	}
	return ""
}

// escaped returns a path with Glob's special characters escaped.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// ReadTUDataset reads the set whose files begin with this path. If optional is set, targets may be missing, and Labels
// are nil then. Errors of the files are *TUDatasetError.
func ReadTUDataset(set string, optional bool) (*TUDataset, error) {
	r := &tuReader{set: set}
	f := &r.f
	if err := r.nodes(); err != nil {
		return nil, err
	}
	if err := r.labels(optional); err != nil && !optional {
		return nil, err
	} else if err != nil {
		f.Labels, f.Unread = nil, err
	}
	for _, read := range []func() error{r.nodeLabels, r.attributes, r.edges} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	for _, g := range f.Graphs {
		g.simplify()
	}
	for _, zipped := range []string{"", ".gz"} {
		file := r.set + endEdgeAttributes + zipped
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			f.EdgeAttributes = file
		}
	}
	return f, nil
}

type tuReader struct {
	set   string
	graph []int // graph of each node
	node  []int // number of each node in its graph
	f     TUDataset
}

// maxLines is the largest number of lines of a file. Gzip packs a thousand times as many into its bytes.
var maxLines = 1 << 27 // tests set a smaller number

// lines visits the lines of a file that are not blank. there is false if the file does not exist.
func (r *tuReader) lines(end string, visit func(text string) error) (there bool, err error) {
	name := r.set + end
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		name += ".gz"
		f, err = os.Open(name)
	}
	switch {
	case os.IsNotExist(err):
		return false, nil
	case err != nil:
		return false, &TUDatasetError{r.set + end, 0, "cannot be opened: " + err.Error()}
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return true, &TUDatasetError{name, 0, "is not a gzip file: fetch it again"}
		}
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	line := 1
	for ; lines.Scan(); line++ {
		if line > maxLines {
			return true, &TUDatasetError{name, line, fmt.Sprintf("there are more than %d lines: too many for memory, "+
				"take a part of the graphs", maxLines)}
		}
		text := lines.Text()
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // editors of Windows write this mark
		}
		if text = strings.TrimSpace(text); text != "" {
			if err := visit(text); err != nil {
				return true, &TUDatasetError{name, line, err.Error()}
			}
		}
	}
	if err := lines.Err(); err != nil {
		return true, &TUDatasetError{name, line, "cannot be read: " + err.Error()}
	}
	return true, nil
}

// missing returns the error for a missing file that every folder must have.
func (r *tuReader) missing(end, what string) error {
	return &TUDatasetError{r.set + end, 0, "there is no such file, plain or .gz: it holds " + what}
}

// each visits the lines of a file by their numbers from 0. Their number must be right, such as the number of nodes.
func (r *tuReader) each(end string, want int, what string, visit func(i int, text string) error) (bool, error) {
	n := 0
	there, err := r.lines(end, func(text string) error {
		if n++; n > want {
			return nil
		}
		return visit(n-1, text)
	})
	if err == nil && there && n != want {
		err = &TUDatasetError{r.set + end, 0,
			fmt.Sprintf("has %d lines for %d %s: give one on each line", n, want, what)}
	}
	return there, err
}

// wholeNumber parses a whole number from 1.
func wholeNumber(word, what string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil || n < 1 || n > math.MaxInt32 {
		return 0, fmt.Errorf("found %q, where %s belongs: give a whole number from 1", word, what)
	}
	return n, nil
}

// nodes reads which graph each node belongs to.
func (r *tuReader) nodes() error {
	there, err := r.lines(endIndicator, func(text string) error {
		n, err := wholeNumber(text, "the number of a graph")
		if err != nil {
			return err
		}
		last := len(r.f.Graphs)
		if n < last || n > last+1 {
			missing := fmt.Sprintf("graph %d has no nodes: remove it", last+1)
			if n < last {
				missing = "the nodes of a graph must stand together, graphs in order"
			}
			return fmt.Errorf("found graph %d after graph %d: %s", n, last, missing)
		}
		if n > last {
			r.f.Graphs = append(r.f.Graphs, &Graph{})
		}
		g := r.f.Graphs[n-1]
		r.graph, r.node = append(r.graph, n-1), append(r.node, len(g.Labels))
		g.Labels = append(g.Labels, "")
		return nil
	})
	switch {
	case err != nil:
		return err
	case !there:
		return r.missing(endIndicator, "the number of the graph of each node")
	case len(r.graph) == 0:
		return &TUDatasetError{r.set + endIndicator, 0, "is empty: a graph with at least one node is needed"}
	}
	return nil
}

// labels reads the classes of the graphs, or their targets.
func (r *tuReader) labels(optional bool) error {
	for _, end := range []string{endGraphLabels, endGraphValues} {
		r.f.Classes = end == endGraphLabels
		there, err := r.each(end, len(r.f.Graphs), "graphs", func(_ int, text string) error {
			if strings.Contains(text, ",") {
				return fmt.Errorf("found %q: only one target of each graph can be read, so keep one", text)
			}
			r.f.Labels = append(r.f.Labels, text)
			return nil
		})
		if there || err != nil {
			return err
		}
	}
	r.f.Classes = false
	if optional {
		return nil
	}
	return r.missing(endGraphLabels, "the class of each graph")
}

// joined returns one word for a label of several numbers.
func joined(words []string) string {
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	return strings.Join(words, ",")
}

func (r *tuReader) nodeLabels() error {
	_, err := r.each(endNodeLabels, len(r.graph), "nodes", func(i int, text string) error {
		r.f.Graphs[r.graph[i]].Labels[r.node[i]] = joined(strings.Split(text, ","))
		return nil
	})
	return err
}

func (r *tuReader) attributes() error {
	width := 0
	_, err := r.each(endNodeAttributes, len(r.graph), "nodes", func(i int, text string) error {
		words := strings.Split(text, ",")
		if width == 0 {
			width = len(words)
		}
		if len(words) != width {
			return fmt.Errorf("found %d values, and the nodes before have %d: all have the same "+
				"number", len(words), width)
		}
		values := make([]float32, width)
		for i, w := range words {
			v, err := strconv.ParseFloat(strings.TrimSpace(w), 32)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("found %q, where a value of a node belongs: give a finite number", w)
			}
			values[i] = float32(v)
		}
		g := r.f.Graphs[r.graph[i]]
		g.Values = append(g.Values, values)
		return nil
	})
	return err
}

// edges reads the edges, and then their labels, in the same order of lines.
func (r *tuReader) edges() error {
	var of []*Graph // graph of each edge
	there, err := r.lines(endEdges, func(text string) error {
		from, to, comma := strings.Cut(text, ",")
		if !comma {
			return fmt.Errorf("found %q, where an edge belongs: write two nodes, with a comma between", text)
		}
		var ends [2]int
		for i, word := range []string{from, to} {
			v, err := wholeNumber(word, "the number of a node")
			if err != nil {
				return err
			}
			if v > len(r.graph) {
				return fmt.Errorf("found an edge to node %d, and there are %d nodes: correct it, or add the node to %s",
					v, len(r.graph), filepath.Base(r.set)+endIndicator)
			}
			ends[i] = v - 1
		}
		if a, b := r.graph[ends[0]], r.graph[ends[1]]; a != b {
			return fmt.Errorf("found an edge between node %d of graph %d and node %d of graph "+
				"%d: edges stay in their graph",
				ends[0]+1, a+1, ends[1]+1, b+1)
		}
		g := r.f.Graphs[r.graph[ends[0]]]
		g.Edges = append(g.Edges, Edge{r.node[ends[0]], r.node[ends[1]], ""})
		of = append(of, g)
		return nil
	})
	if err != nil {
		return err
	}
	if !there {
		return r.missing(endEdges, "the edges")
	}
	at := map[*Graph]int{}
	_, err = r.each(endEdgeLabels, len(of), "edges", func(i int, text string) error {
		g := of[i]
		g.Edges[at[g]].Label = joined(strings.Split(text, ","))
		at[g]++
		return nil
	})
	return err
}
