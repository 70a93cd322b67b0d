package archtest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// direct are the modules that go.mod requires without an "// indirect", with their versions.
func direct(t *testing.T) map[string]string {
	t.Helper()
	modules := map[string]string{}
	inside := false
	for _, line := range strings.Split(read(t, "go.mod"), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "require (":
			inside = true
			continue
		case line == ")":
			inside = false
		}
		required := strings.TrimPrefix(line, "require ")
		fields := strings.Fields(required)
		if (inside || required != line) && len(fields) == 2 {
			modules[fields[0]] = fields[1]
		}
	}
	return modules
}

// users are the rooms whose code imports a module, in alphabetical order, then "tests" where a test
// does in another room: "data, tests".
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
	m, required := load(t), direct(t)
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
