package main

import (
	"fmt"
	"regexp"
	"strings"
)

// phrase is a way of writing that is banned, and what to write instead.
type phrase struct {
	pattern *regexp.Regexp
	instead string
}

// banned are habits that make a reader stop. A pattern matches whole words in any case.
var banned = []phrase{
	ban(`what is not so`, "say what is wrong"),
	ban(`(?:runs|files|models|those) of before`, "earlier runs, older files"),
	ban(`as somebody wrote (?:it|them)`, "say who wrote it, or “unchanged”"),
	ban(`(?:is|are|was|were|be) told`, "“reported”, “printed”, “distinguished”"),
	ban(`what \w+ \w+ (?:is|are) named for`, "say what it is"),
	ban(`all alike`, "“the same”, “equal”"),
	ban(`but for`, "“except”, “apart from”"),
	ban(`of (?:somebody|someone) else`, "“other”, or the name"),
	ban(`(?:that|which|it|now|fold|one|kind|option) is none`, "“does not count”, “is no …”"),
	ban(`whoever|whosoever`, "“anyone who”, or the name"),
	ban(`anew`, "“again”"),
	ban(`beforehand`, "“first”, “before”"),
	ban(`is at fault`, "say what is wrong"),
	ban(`in the mean of`, "“averaged over”"),
	ban(`herewith|hereby|therewith|thereof|thereby|whereof|whereby`, "“with it”, “by which”"),
	ban(`to be had`, "“available”"),
	ban(`unbeknown(?:st)?|albeit|lest`, "plain words"),
	ban(`goes? by the name`, "“is called”"),
	ban(`says? of`, "“says about”, “describes”, “reports whether”"),
	ban(`(?:goes?|going|went) on (?:with|from|after|where|without)|to go on`, "“continues”, “resumes”"),
	ban(`what stands`, "“the text”, “the number”"),
	ban(`the fault of|anything else than|none other`, "plain words"),
	ban(`(?:is|are|was|were) to be had|cannot be had`, "“available”"),
	ban(`worked? out from`, "“computed from”"),
	ban(`how manyth|so manyth`, "“which”"),
	ban(`, and no (?:bound|npz|table|failure|success)`, "“and not a …”"),
}

func ban(pattern, instead string) phrase {
	return phrase{regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`), instead}
}

// hit is a banned phrase at a byte of a text.
type hit struct {
	at   int
	says string
}

// phrases finds the banned phrases in a text, outside code.
func phrases(text string) (hits []hit) {
	plain := mask(text, code, 'X')
	for _, b := range banned {
		for _, at := range b.pattern.FindAllStringIndex(plain, -1) {
			hits = append(hits, hit{at[0], fmt.Sprintf("%q: write %s", strings.ToLower(plain[at[0]:at[1]]), b.instead)})
		}
	}
	return hits
}

func long(line, columnsOfIt int) finding {
	return finding{line, fmt.Sprintf("%d columns, at most %d", columnsOfIt, columns)}
}

func tooMany(n, most int, text string) string {
	if start := strings.Fields(text); len(start) > 8 {
		text = strings.Join(start[:8], " ") + " …"
	}
	return fmt.Sprintf("a sentence of %d words, at most %d: %s", n, most, text)
}
