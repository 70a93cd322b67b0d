package archtest

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// requirement is a line of go.mod without an "// indirect": a module and its version.
var requirement = regexp.MustCompile(`(?m)^(?:require |\t)(\S+) (v\S+)$`)

// users returns the packages whose code imports a module, in alphabetical order, then "tests" where a test does in
// another package: "data, tests".
func (m *module) users(required string) string {
	code, tests := map[string]bool{}, map[string]bool{}
	for _, f := range m.files {
		room := f.dir
		if strings.HasPrefix(room, "cmd/") {
			room = "cmd"
		}
		for to := range m.imports(f) {
			if to == required || strings.HasPrefix(to, required+"/") {
				if f.test {
					tests[room] = true
				} else {
					code[room] = true
				}
			}
		}
	}
	users := slices.Sorted(maps.Keys(code))
	for room := range tests {
		if !code[room] {
			users = append(users, "tests")
			break
		}
	}
	return strings.Join(users, ", ")
}

// docs/dependencies.md has a row for each module that go.mod requires directly, and no other.
func TestDependencies(t *testing.T) {
	m, required := load(t), map[string]string{}
	for _, line := range requirement.FindAllStringSubmatch(read(t, "go.mod"), -1) {
		required[line[1]] = line[2]
	}
	explained := map[string]bool{}
	for _, row := range tableUnder(t, read(t, "docs/dependencies.md"), "Modules") {
		if len(row) != 7 {
			t.Errorf("row %q has %d cells, expected 7", row[0], len(row))
			continue
		}
		for _, cell := range row {
			if cell == "" {
				t.Errorf("row %q has an empty cell", row[0])
			}
		}
		names := quoted(row[0])
		if len(names) != 1 {
			t.Errorf("row %q does not name one module", row[0])
			continue
		}
		explained[names[0]] = true
		if users := m.users(names[0]); users != row[3] {
			t.Errorf("%s is used in %s; docs/dependencies.md says %s", names[0], users, row[3])
		}
		version, ok := required[names[0]]
		if !ok {
			t.Errorf("%s is not a direct requirement of go.mod", names[0])
		} else if release, _, _ := strings.Cut(row[1], ","); release != version {
			t.Errorf("%s: go.mod has %s, docs/dependencies.md %s", names[0], version, release)
		}
	}
	for name := range required {
		if !explained[name] {
			t.Errorf("docs/dependencies.md does not explain %s", name)
		}
	}
}
