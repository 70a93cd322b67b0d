package archtest

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// constants are the names of the constants of a file that match, in its order.
func constants(t *testing.T, path string, match *regexp.Regexp) (names []string) {
	t.Helper()
	for _, f := range load(t).files {
		if f.path != path {
			continue
		}
		for _, d := range f.syntax.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range group.Specs {
				if value, ok := s.(*ast.ValueSpec); ok && match.MatchString(value.Names[0].Name) {
					names = append(names, value.Names[0].Name)
				}
			}
		}
	}
	if len(names) < 4 {
		t.Fatalf("%s has the constants %q that match %s", path, names, match)
	}
	return names
}

// texts are the files of a folder whose names match, one after the other.
func texts(t *testing.T, folder string, match *regexp.Regexp) string {
	t.Helper()
	var all strings.Builder
	for _, f := range load(t).files {
		if f.dir == folder && match.MatchString(f.path) {
			all.WriteString(f.text)
		}
	}
	return all.String()
}

// A kernel of the GP layer is whole when a row of the conformance suite has its form, and when the
// bound is compared with loops for it. docs/extending.md has the list.
func TestKernelsAreTested(t *testing.T) {
	rows := texts(t, "device/devicetest", regexp.MustCompile(`.`))
	elbo, equations := read(t, "model/elbo_test.go"), read(t, "docs/equations.md")
	for _, form := range constants(t, "device/correlation.go", regexp.MustCompile(`^(RBF|Matern\d+|[A-Z][a-z]+\d*)$`)) {
		if !strings.Contains(rows, "device."+form) {
			t.Errorf("no row of device/devicetest has device.%s", form)
		}
		name := strings.ToLower(form)
		if !strings.Contains(elbo, `"`+name+`"`) {
			t.Errorf("model/elbo_test.go compares no bound with the kernel %q", name)
		}
		if !strings.Contains(equations, "| `"+name+"` |") {
			t.Errorf("docs/equations.md has no row of the kernel %q", name)
		}
	}
}

// A likelihood is whole when the bound is compared with loops for it, and its gradient is derived.
func TestLikelihoodsAreTested(t *testing.T) {
	elbo, derived := read(t, "model/elbo_test.go"), read(t, "docs/derivations.md")
	for _, name := range constants(t, "model/config.go", regexp.MustCompile(`^[A-Z]\w+Likelihood$`)) {
		if !strings.Contains(elbo, name) {
			t.Errorf("model/elbo_test.go compares no bound with %s", name)
		}
		if op := strings.TrimSuffix(name, "Likelihood") + "LogLik"; !strings.Contains(derived, op) {
			t.Errorf("docs/derivations.md does not derive %s", op)
		}
	}
}

var named = regexp.MustCompile("`((?:[a-z]+/)*[\\w.]+\\.(?:go|md|cuh|cu|txtar|tsv|py))`")

// docs/extending.md names files that exist.
func TestExtendingNamesFiles(t *testing.T) {
	files := named.FindAllStringSubmatch(read(t, "docs/extending.md"), -1)
	if len(files) < 20 {
		t.Fatalf("only %d files found: is the pattern still right?", len(files))
	}
	for _, f := range files {
		read(t, f[1])
	}
}
