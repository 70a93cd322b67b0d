package data

import (
	"fmt"
	"slices"
)

// overlaps are warnings about rows to test or validate on that are of a group of the training rows, or not later than
// all of these: scores tell nothing about new groups, or about the future.
func (d *Dataset) overlaps(file string, train *Dataset) (warnings []string) {
	warn := func(n int, format string, args ...any) {
		if n > 0 {
			warnings = append(warnings, fmt.Sprintf("warning: %s: %d of the %s %s, so scores may be too good", file, n,
				plural(d.N(), "row"), fmt.Sprintf(format, args...)))
		}
	}
	inTraining := map[int32]bool{}
	for _, g := range train.Groups {
		inTraining[g] = true
	}
	names := make(map[int32]string, len(d.groupOf))
	for name, g := range d.groupOf {
		names[g] = name
	}
	shared, first := 0, ""
	for _, g := range d.Groups {
		if at, known := train.groupOf[names[g]]; known && inTraining[at] && !isMissing(names[g]) {
			if shared++; shared == 1 {
				first = names[g]
			}
		}
	}
	warn(shared, "are of groups of the training rows, such as %s", quote(first))
	warn(d.withScaffolds(train.scaffolds, inTraining), "have scaffolds of the training rows")
	if d.Times != nil && train.Times != nil {
		last, early := slices.Max(train.Times), 0
		for _, t := range d.Times {
			if t <= last { // not of NaN, an unknown time
				early++
			}
		}
		warn(early, "are not later than the last training row")
	}
	return warnings
}
