package report

import (
	"slices"

	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// OptionList is a list of options of a run, for people.
type OptionList struct {
	Title   string
	Options []options.Setting
}

// OptionLists returns the options of a run that differ from the defaults: those that the user gave, and those that the
// run settled. If the history does not record what was given, there is one list.
func OptionLists(c options.Config, history []rundir.Session) (lists []OptionList) {
	given := OptionList{Title: "Options given that differ from the defaults"}
	settled := OptionList{Title: "Options settled by the run"}
	if !recordsGiven(history) {
		given.Title = "Options that differ from the defaults"
	}
	usual := options.Options()
	for k, o := range c.Options() {
		s := options.Setting{Key: o.Key, Text: o.Text()}
		switch {
		case !o.Applies(c.Model) || s.Text == usual[k].Text() || o.Key == "fold" && s.Text == "0": // no fold
		case isSettled(history, o.Key):
			settled.Options = append(settled.Options, s)
		default:
			given.Options = append(given.Options, s)
		}
	}
	return slices.DeleteFunc([]OptionList{given, settled}, func(l OptionList) bool { return l.Options == nil })
}

// recordsGiven reports whether each session records what was given, as those of this version do.
func recordsGiven(history []rundir.Session) bool {
	old := func(s rundir.Session) bool { return s.Given == nil }
	return len(history) > 0 && !slices.ContainsFunc(history, old)
}

// isSettled reports whether it is known that the user did not give an option.
func isSettled(history []rundir.Session, key string) bool {
	gave := func(s rundir.Session) bool { return slices.Contains(s.Given, key) }
	return recordsGiven(history) && !slices.ContainsFunc(history, gave)
}
