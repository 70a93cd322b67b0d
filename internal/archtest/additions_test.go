package archtest

import (
	"regexp"
	"strings"
	"testing"
)

// constants returns the names that begin lines of a file and fit a pattern, in its order.
func constants(t *testing.T, path, pattern string) (names []string) {
	t.Helper()
	for _, line := range regexp.MustCompile(`(?m)^\t(`+pattern+`)\b`).FindAllStringSubmatch(read(t, path), -1) {
		names = append(names, line[1])
	}
	if len(names) < 4 {
		t.Fatalf("%s has the constants %q that fit %s", path, names, pattern)
	}
	return names
}

// A kernel of the GP layer is whole when a row of the conformance suite has its form, and when the bound is compared
// with loops for it. docs/extending.md has the list.
func TestKernelsAreTested(t *testing.T) {
	var rows strings.Builder
	for _, f := range load(t).files {
		if f.dir == "device/conformance" {
			rows.WriteString(f.text)
		}
	}
	elbo, equations := read(t, "model/elbo_test.go"), read(t, "docs/equations.md")
	for _, form := range constants(t, "device/correlation.go", `RBF|[A-Z][a-z]+\d*`) {
		if !strings.Contains(rows.String(), "device."+form) {
			t.Errorf("no row of device/conformance has device.%s", form)
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
	for _, name := range constants(t, "model/config.go", `[A-Z]\w+Likelihood`) {
		if !strings.Contains(elbo, name) {
			t.Errorf("model/elbo_test.go compares no bound with %s", name)
		}
		if op := strings.TrimSuffix(name, "Likelihood") + "LogLik"; !strings.Contains(derived, op) {
			t.Errorf("docs/derivations.md does not derive %s", op)
		}
	}
}
