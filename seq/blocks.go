package seq

import "slices"

// leaveOut is how many blocks the rows are left out in.
const leaveOut = 20

// blocks are rows that stand near each other in a file: each has the same share of every class.
// Neighbours are often alike, as sentences of one text are and members of one family, and would
// tell about each other what they do not tell about new rows.
func blocks(t Targets, places []int) [][]int {
	rank := slices.Clone(places)
	slices.Sort(rank)
	order := make([]int, len(places)) // of places
	for i, p := range places {
		at, _ := slices.BinarySearch(rank, p)
		order[at] = i
	}
	groups := make([][]int, 1)
	if t.Classes {
		groups = make([][]int, t.Columns)
	}
	for _, i := range order {
		g := 0
		if t.Classes {
			g = t.class(i)
		}
		groups[g] = append(groups[g], i)
	}
	all := make([][]int, leaveOut)
	for _, rows := range groups {
		for k, i := range rows {
			b := k * leaveOut / len(rows)
			all[b] = append(all[b], i)
		}
	}
	return slices.DeleteFunc(all, func(b []int) bool { return b == nil })
}
