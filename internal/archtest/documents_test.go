package archtest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents are the documents at the root, and all of docs and examples.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			t.Fatal(err)
		}
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
	all, err := m.declarations()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range operations(t, all, m) {
		all["device."+op] = declaration{} // as the documents write operations
	}
	packages := map[string]bool{}
	for _, f := range m.code() {
		packages[f.syntax.Name.Name] = true
	}
	count := 0
	for _, name := range []string{"docs/architecture.md", "docs/equations.md",
		"docs/derivations.md", "docs/glossary.md"} {
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

// sourceFile is the path of one as the documents write it.
var sourceFile = regexp.MustCompile(`^[a-z]\w*(/\w+)*\.(go|cuh|cu|c|h|s)$`)

// The files of a step that the architecture lists are there, and hold more than comments.
func TestListedFilesHoldCode(t *testing.T) {
	_, list, _ := strings.Cut(read(t, "docs/architecture.md"), "\nThe files of a step")
	list, _, _ = strings.Cut(list, "\n## ")
	count := 0
	for _, name := range quoted(list) {
		if !sourceFile.MatchString(name) {
			continue
		}
		count++
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("docs/architecture.md lists %s, which is not there", name)
		} else if !holdsCode(read(t, name)) {
			t.Errorf("docs/architecture.md lists %s, which holds no code", name)
		}
	}
	if count < 10 {
		t.Errorf("only %d files found: is the pattern still right?", count)
	}
}

// holdsCode reports whether a file has lines besides comments, directives and its package clause.
func holdsCode(text string) bool {
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		comment := strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "package ")
		if line != "" && !comment {
			return true
		}
	}
	return false
}

// indented are the lines of code blocks.
func indented(text string) (lines []string) {
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "    ") {
			lines = append(lines, line)
		}
	}
	return lines
}
