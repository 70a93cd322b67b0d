package seq

import (
	"os"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestDocument: every map, alphabet, candidate and modifier stands in docs/sequences.md or docs/graphs.md as the
// program takes it.
func TestDocument(t *testing.T) {
	var text []byte
	for _, page := range []string{"sequences", "graphs"} {
		one := must.Get(os.ReadFile("../docs/" + page + ".md"))(t)
		text = append(text, one...)
	}
	words := []string{}
	for _, m := range allMaps() {
		words = append(words, "| `"+m.usage()+"` |", "`"+m.Example+"`")
	}
	for _, k := range Kinds() {
		candidates := []string{}
		if k == Vectors { // vectors have the candidates of integers
			continue
		}
		for _, spec := range Candidates(encode(t, k, randomLines(k, 20, 30, 1)...)) {
			candidates = append(candidates, "`"+spec.String()+"`")
		}
		words = append(words, "| `"+string(k)+"` |", "| `"+string(k)+"` | "+strings.Join(candidates, ", ")+" |")
	}
	for _, m := range modifiers() {
		words = append(words, "`/"+m+"`")
	}
	for _, w := range words {
		if !strings.Contains(string(text), w) {
			t.Errorf("docs/sequences.md and docs/graphs.md lack %s", w)
		}
	}
}
