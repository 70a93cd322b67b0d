package main

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	columns = 100 // of a line
	words   = 25  // of a sentence
	clause  = 30  // words of a comment between two of .!?:;
)

// finding is one place that breaks a rule.
type finding struct {
	line int
	says string
}

// paragraph is text that belongs together, with the line on which each byte of it stands.
type paragraph struct {
	text  strings.Builder
	lines []int
}

// add appends a line to the paragraph, after a space.
func (p *paragraph) add(text string, line int) {
	if p.text.Len() > 0 {
		text = " " + text
	}
	p.text.WriteString(text)
	for range len(text) {
		p.lines = append(p.lines, line)
	}
}

var (
	fence   = regexp.MustCompile("^\\s*(```|~~~)")
	heading = regexp.MustCompile(`^#+ `)
	bullet  = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.)\s+`)
	quote   = regexp.MustCompile(`^\s*>\s?`)
	table   = regexp.MustCompile(`^\s*\|`)
	address = regexp.MustCompile(`\]\([^)\s]*\)|<https?://[^>\s]*>|https?://\S+`)
	code    = regexp.MustCompile("``[^`].*?``|`[^`]*`")
	formula = regexp.MustCompile(`\$[^$]+\$`)
)

// markdown checks a Markdown text.
func markdown(text string) (all []finding) {
	for _, p := range paragraphs(text, func(line int, text string) {
		if n := columnsOf(text); n > columns {
			all = append(all, long(line, n))
		}
	}) {
		all = append(append(all, tooLong(p, ".!?", words)...), inProse(p)...)
	}
	return all
}

// columnsOf is the width of a line without the addresses of its links.
func columnsOf(text string) int {
	return utf8.RuneCountInString(address.ReplaceAllString(text, "]"))
}

// paragraphs are a text's paragraphs, headings and items, without code blocks and tables. Each line
// of prose is also passed to visit.
func paragraphs(text string, visit func(line int, text string)) (all []*paragraph) {
	var current *paragraph
	fenced, blank, item := "", true, false
	end := func() { current = nil }
	for i, line := range strings.Split(text, "\n") {
		number := i + 1
		if mark := fence.FindStringSubmatch(line); mark != nil && (fenced == "" || fenced == mark[1]) {
			if fenced == "" {
				fenced = mark[1]
			} else {
				fenced = ""
			}
			end()
			continue
		}
		indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		switch {
		case fenced != "":
			continue
		case strings.TrimSpace(line) == "":
			blank = true
			end()
			continue
		case table.MatchString(line), indented && blank && !item, strings.HasPrefix(line, "<"):
			end()
			continue
		}
		visit(number, line)
		if heading.MatchString(line) {
			current, blank, item = &paragraph{}, false, false
			current.add(heading.ReplaceAllString(line, ""), number)
			all = append(all, current)
			end()
			continue
		}
		line = quote.ReplaceAllString(line, "")
		if bullet.MatchString(line) {
			end()
			item = true
			line = bullet.ReplaceAllString(line, "")
		} else if blank && !indented && !strings.HasPrefix(line, " ") {
			item = false
		}
		if current == nil {
			current = &paragraph{}
			all = append(all, current)
		}
		current.add(strings.TrimSpace(line), number)
		blank = false
	}
	return all
}

// sentence is one sentence, its number of words and the line on which it starts.
type sentence struct {
	text  string
	words int
	line  int
}

// abbreviations end in a full stop that ends no sentence.
var abbreviations = regexp.MustCompile(`(?i)(?:^|[\s(])(?:e\.g|i\.e|s\.e|et al|vs|fig|eq|no|cf|approx|resp)\.$`)

// sentences splits a paragraph at marks, such as full stops, that a space follows. Code, formulas
// and a link's text count as they are read: code and formulas as one word.
func sentences(p *paragraph, marks string) (all []sentence) {
	text := p.text.String()
	text = mask(text, address, ' ')
	text = mask(text, code, 'X')
	text = mask(text, formula, 'X')
	start := 0
	cut := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			from := start + len(text[start:end]) - len(strings.TrimLeft(text[start:end], " "))
			all = append(all, sentence{strings.TrimSpace(p.text.String()[start:end]), count(s), p.lines[from]})
		}
		start = end
	}
	for i := 0; i < len(text); i++ {
		if !strings.ContainsRune(marks, rune(text[i])) {
			continue
		}
		end := i + 1
		for end < len(text) && strings.ContainsRune(`)"'*_]`, rune(text[end])) {
			end++
		}
		if end < len(text) && text[end] != ' ' || abbreviations.MatchString(text[:i+1]) {
			continue
		}
		cut(end)
		i = end
	}
	cut(len(text))
	return all
}

// mask replaces what matches by as many bytes of one character, so that places stay.
func mask(text string, what *regexp.Regexp, by byte) string {
	return what.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(string(by), len(s)) })
}

// word is what a reader counts as a word: letters and digits, and what joins them. A formula does
// not count.
var word = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}.,:/’'+%-]*$`)

// count is the number of words between spaces and dashes, without signs and formulas.
func count(text string) (n int) {
	for _, part := range strings.FieldsFunc(text,
		func(r rune) bool { return unicode.IsSpace(r) || r == '—' || r == '–' }) {
		if word.MatchString(strings.Trim(part, `.,;:!?()[]"“”*_'`)) {
			n++
		}
	}
	return n
}
