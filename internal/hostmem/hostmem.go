// Package hostmem asks the operating system how much memory a program can still have.
package hostmem

import (
	"math"
	"strconv"
	"strings"
)

// group is the memory of a control group: limit and usage in bytes, and its statistics.
type group struct{ limit, usage, stat string }

// available returns the least free memory of the machine and of the control groups, from the texts of /proc/meminfo and
// of the groups. Files that could be dropped from a group's memory do not count as used.
func available(meminfo string, groups []group) (bytes int64, known bool) {
	bytes = math.MaxInt64
	if kib, ok := field(meminfo, "MemAvailable:"); ok {
		bytes, known = kib<<10, true
	}
	for _, g := range groups {
		limit, err := strconv.ParseInt(strings.TrimSpace(g.limit), 10, 64)
		if err != nil { // "max"
			continue
		}
		if usage, err := strconv.ParseInt(strings.TrimSpace(g.usage), 10, 64); err == nil {
			files, whole := field(g.stat, "total_inactive_file") // field of version 1, which includes the groups below
			if !whole {
				files, _ = field(g.stat, "inactive_file")
			}
			bytes, known = min(bytes, max(0, limit-usage+files)), true
		}
	}
	return bytes, known
}

// field returns the number that follows a word at the start of a line.
func field(text, name string) (n int64, ok bool) {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == name {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
