package hostmem

import (
	"slices"
	"testing"
)

// A process is in a group and in all above it, by version 2 or by version 1 of control groups.
func TestGroups(t *testing.T) {
	for own, want := range map[string][]string{
		"0::/a/b\n": {"/sys/fs/cgroup/a/b/memory.max", "/sys/fs/cgroup/a/memory.max",
			"/sys/fs/cgroup/memory.max"},
		"4:memory:/x\n3:cpuset:/\n": {"/sys/fs/cgroup/memory/x/memory.limit_in_bytes",
			"/sys/fs/cgroup/memory/memory.limit_in_bytes"},
		"": nil,
	} {
		var asked []string
		for _, g := range groups(own, func(name string) string { return name }) {
			asked = append(asked, g.limit)
		}
		if !slices.Equal(asked, want) {
			t.Errorf("%q: %q", own, asked)
		}
	}
	if bytes, known := Available(); !known || bytes < 1<<20 {
		t.Errorf("this machine has %d bytes, %v", bytes, known)
	}
}
