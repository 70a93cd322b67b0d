package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/report"
)

// The limits of the tables of classes. If there are more than report.MaxClasses, or the matrix is wider than helpWidth,
// the worst are listed.
const (
	worstListed = 10
	labelWidth  = 24
)

// classTables returns the text of the scores of each class and of the confusion matrix; "" without classes.
func classTables(classes []metrics.ClassScore) string {
	if len(classes) == 0 {
		return ""
	}
	shown, heading := classes, ""
	if len(classes) > report.MaxClasses {
		shown = slices.Clone(classes)
		slices.SortStableFunc(shown, func(a, b metrics.ClassScore) int {
			return cmp.Compare(valueOr(a.F1, 1), valueOr(b.F1, 1))
		})
		shown = shown[:worstListed]
		heading = fmt.Sprintf("the %d of %d classes with the lowest F1\n", worstListed, len(classes))
	}
	text := heading + classRows(shown)
	if len(classes) <= report.MaxClasses {
		matrix := confusionMatrix(classes).lines("  ")
		tooWide := func(line string) bool { return runewidth.StringWidth(line) > helpWidth }
		if !slices.ContainsFunc(matrix, tooWide) {
			return text + "\n\nrows by class (down) and predicted class (across)\n" + strings.Join(matrix, "\n")
		}
	}
	if confused := worstConfusions(classes); confused != "" {
		text += "\n\nmost frequent confusions\n" + confused
	}
	return text
}

// classRows returns the table of scores, with a line for each class.
func classRows(classes []metrics.ClassScore) string {
	share := func(v *float64) string { return cmp.Or(optional("%.4f", v), "-") }
	t := newNumberTable("class", "precision", "recall", "F1", "rows")
	for _, c := range classes {
		t.add(label(c.Class), share(c.Precision), share(c.Recall), share(c.F1), c.Support)
	}
	return t.indented()
}

func confusionMatrix(classes []metrics.ClassScore) *textTable {
	header := []any{""}
	for _, c := range classes {
		header = append(header, label(c.Class))
	}
	t := newNumberTable(header...)
	for _, c := range classes {
		row := []any{label(c.Class)}
		for _, other := range classes {
			row = append(row, c.Predicted[other.Class])
		}
		t.add(row...)
	}
	return t
}

// worstConfusions returns the table of the largest numbers off the diagonal; "" if there are none.
func worstConfusions(classes []metrics.ClassScore) string {
	all := report.Confusions(classes)
	if all == nil {
		return ""
	}
	t := newTable("class", "taken for", "rows")
	for _, c := range all[:min(worstListed, len(all))] {
		t.add(label(c.Class), label(c.Predicted), fmt.Sprintf("%v of %v", c.Rows, c.Of))
	}
	return t.indented()
}

// label returns the name of a class for a table: quoted if it is empty or not printable, cut if it is long.
func label(class string) string {
	if class == "" || strings.ContainsFunc(class, func(r rune) bool { return !unicode.IsPrint(r) }) {
		class = strconv.Quote(class)
	}
	return runewidth.Truncate(class, labelWidth, "…")
}
