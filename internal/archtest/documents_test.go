package archtest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// documents returns the documents at the root, and all of docs, examples and bench/results.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md", "bench/results/*.md", "bench/results/*/*.md"} {
		found := must.Get(fs.Glob(os.DirFS(root), pattern))(t)
		names = append(names, found...)
	}
	return names
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every relative link leads to a file.
func TestLinks(t *testing.T) {
	for _, name := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(read(t, name), -1) {
			to, _, _ := strings.Cut(match[1], "#")
			if to == "" || strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, path.Dir(name), to)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, match[1])
			}
		}
	}
}

// goName is a name as the documents write it: package.Name, package.Type.Method or package.op.
var goName = regexp.MustCompile(`\b([a-z]+)\.([A-Za-z]\w*(?:\.[A-Za-z]\w*)?)`)

// The architecture and the other documents about code name only things that exist.
func TestDocumentsNameWhatExists(t *testing.T) {
	m := load(t)
	all := m.declarations(t)
	for _, op := range operations(m) {
		all["device."+op] = declaration{} // the documents write operations so
	}
	packages := map[string]bool{}
	for _, f := range m.code() {
		packages[f.syntax.Name.Name] = true
	}
	count := 0
	for _, name := range []string{"docs/architecture.md", "docs/equations.md",
		"docs/derivations.md", "docs/glossary.md", "docs/randomness.md"} {
		text := read(t, name)
		for _, span := range append(quoted(text), indented(text)...) {
			for _, match := range goName.FindAllStringSubmatch(span, -1) {
				if !packages[match[1]] || match[2] == "go" || match[2] == "md" {
					continue
				}
				count++
				if _, ok := all[match[0]]; !ok {
					t.Errorf("%s names %s, which is not there", name, match[0])
				}
			}
		}
	}
	if count < 40 {
		t.Errorf("only %d names found: is the pattern still right?", count)
	}
}

var named = regexp.MustCompile("`((?:[a-z-]+/)*[\\w.]+\\.(?:go|md|cuh|cu|txtar|tsv|py))`")

// Both documents list files, which are there.
func TestListedFiles(t *testing.T) {
	for _, name := range []string{"docs/architecture.md", "docs/extending.md"} {
		files := named.FindAllStringSubmatch(read(t, name), -1)
		if len(files) < 20 {
			t.Fatalf("%s: only %d files found: is the pattern still right?", name, len(files))
		}
		for _, f := range files {
			read(t, f[1])
		}
	}
}

var fileName = regexp.MustCompile(`\s([a-z]\w*\.go)\b`)

// The comment of a package names files that the package has.
func TestFilesOfPackages(t *testing.T) {
	count := 0
	for _, f := range load(t).code() {
		for _, match := range fileName.FindAllStringSubmatch(f.syntax.Doc.Text(), -1) {
			count++
			if _, err := os.Stat(filepath.Join(root, f.dir, match[1])); err != nil {
				t.Errorf("%s names %s, which is not there", f.path, match[1])
			}
		}
	}
	if count < 5 {
		t.Errorf("only %d names found: is the pattern still right?", count)
	}
}

// indented returns the lines of code blocks.
func indented(text string) (lines []string) {
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "    ") {
			lines = append(lines, line)
		}
	}
	return lines
}
