package archtest

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// widest is the number of columns of a line, with tabs as 4.
const widest = 120

var (
	handwritten = []string{".go", ".cu", ".cuh", ".h", ".cc", ".py", ".sh", ".md"}
	ignored     = []string{"build", "runs", "results"} // folders that git ignores
	generated   = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	// unfilled matches code and tables in Markdown.
	unfilled = regexp.MustCompile("(?m)^```(?s:.*?)^```$|^    .*$|^ *\\|.*$")
	// whole matches a line that may be longer: a table in a comment, or an address.
	whole = regexp.MustCompile(`^//\t|://`)
)

func TestLinesAreShort(t *testing.T) {
	count := 0
	must.OK(t, fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		hidden := name != "." && strings.HasPrefix(entry.Name(), ".")
		if entry.IsDir() && (hidden || slices.Contains(ignored, name)) {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || !slices.Contains(handwritten, path.Ext(name)) {
			return err
		}
		text := read(t, name)
		if generated.MatchString(text) {
			return nil
		}
		if path.Ext(name) == ".md" {
			text = unfilled.ReplaceAllStringFunc(text, func(s string) string {
				return strings.Repeat("\n", strings.Count(s, "\n"))
			})
		}
		for i, line := range strings.Split(text, "\n") {
			count++
			if n := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); n > widest && !whole.MatchString(line) {
				t.Errorf("%s:%d has %d columns; at most %d", name, i+1, n, widest)
			}
		}
		return nil
	}))
	if count < 50000 {
		t.Errorf("only %d lines found from %s", count, root)
	}
}
