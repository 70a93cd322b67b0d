package gpdrf

import (
	"fmt"
	"regexp"

	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// ownError is an error of the rooms below, which name the flags of the command, in the words of this package.
type ownError struct {
	err  error
	text string
}

func (e *ownError) Error() string { return e.text }
func (e *ownError) Unwrap() error { return e.err }

// own turns the error of a function with these words into one of this package, where there is one.
func own(err *error, words map[string]string) {
	if *err == nil {
		return
	}
	if text := inWords((*err).Error(), words); text != (*err).Error() {
		*err = &ownError{*err, text}
	}
}

var flagForm = regexp.MustCompile(`--(?:set )?([a-z][a-z-]*[a-z])(?:=([^\s:;)]+))?`)

// inWords is a text with the fields of this package in place of flags. One without a field is an option of Set, or
// of the command alone.
func inWords(text string, words map[string]string) string {
	return flagForm.ReplaceAllStringFunc(text, func(flag string) string {
		part := flagForm.FindStringSubmatch(flag)
		key, value := part[1], part[2]
		switch word, ok := words[key]; {
		case ok && value != "":
			return word + " " + value
		case ok:
			return word
		case options.Find(key) == nil:
			return flag
		case (Options{}).notHere(key) != "":
			return "gpdrf-gpu train " + flag
		case value != "":
			return fmt.Sprintf("Options.Set[%q] = %q", key, value)
		}
		return fmt.Sprintf("Options.Set[%q]", key)
	})
}

// wordsOfTrain are the fields of Rows and Options by the flags of train.
func wordsOfTrain() map[string]string {
	words := map[string]string{"weights": "Rows.Weights", "group": "Rows.Groups", "time": "Rows.Times",
		"offset": "Rows.Offset", "from": "Options.From"}
	for _, f := range (Options{}).fields() {
		words[f.key] = "Options." + f.name
	}
	return words
}

// wordsOfSearch are those of Search by the flags of suggest, and of train, which they speak of, too.
func wordsOfSearch() map[string]string {
	words := wordsOfTrain()
	for key, name := range map[string]string{"how": "How", "batch": "Batch", "minimize": "Minimize",
		"target": "Target", "samples": "Samples", "seed": "Seed", "feasible": "Feasible"} {
		words[key] = "Search." + name
	}
	return words
}
