package data

import (
	"bytes"
	"fmt"
)

// Sequences, molecules and graphs that stand in no table may lack their text or their label.
// MissingDrop leaves them out. Nothing fills them in.

// drops: rows without text or label are left out.
func (in *input) drops() bool {
	way := in.opt.Missing
	if like := in.opt.Like; like != nil {
		way = like.Missing
	}
	return (way == MissingDrop || way == "" && in.opt.Describe) && !in.opt.TargetOptional
}

// checkMissing refuses an option that sequences cannot follow.
func (in *input) checkMissing(f format) error {
	o := in.opt.TableOptions
	if f.sequences && o.Missing == MissingImpute {
		return errorf(in.name,
			"is %s, and nothing can fill in what its rows lack: --missing drop leaves them out", f.what)
	}
	if f.sequences {
		o.Missing = ""
	}
	if given := o.given(); given != "" && !f.text {
		return errorf(in.name, "is %s, not a table of text: leave %s out", f.what, given)
	}
	return nil
}

// dropMissing leaves out the rows without text or label.
func (t *texts) dropMissing(in *input) error {
	n := t.n()
	if !in.drops() || n == 0 {
		return nil
	}
	t.keep(func(i int) bool {
		return (t.graphs != nil || len(bytes.TrimSpace(t.of(i))) > 0) && (t.labels == nil || !isMissing(t.labels[i]))
	})
	switch dropped := n - t.n(); dropped {
	case 0:
	case n:
		return errorf(t.name, "lacks the sequence or its target in each of its %s", plural(n, "row"))
	default:
		t.notes = append(t.notes,
			fmt.Sprintf("%s: %s with missing cells left out, %d stay", t.name, plural(dropped, "row"), t.n()))
	}
	return nil
}

// keep leaves out the other rows.
func (t *texts) keep(want func(i int) bool) {
	var kept []int
	for i := range t.n() {
		if want(i) {
			kept = append(kept, i)
		}
	}
	if len(kept) == t.n() {
		return
	}
	text, end := []byte(nil), []int(nil)
	for _, i := range kept {
		text = append(text, t.of(i)...)
		end = append(end, len(text))
	}
	t.text, t.end = text, end
	t.at, t.where = picked(t.at, kept), picked(t.where, kept)
	t.names, t.labels, t.graphs = picked(t.names, kept), picked(t.labels, kept), picked(t.graphs, kept)
}

// picked are some elements of a list; nil of nil.
func picked[T any](list []T, at []int) (some []T) {
	if list == nil {
		return nil
	}
	for _, i := range at {
		some = append(some, list[i])
	}
	return some
}
