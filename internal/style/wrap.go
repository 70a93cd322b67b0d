package main

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// fill breaks words into lines of at most columns columns. The first line starts with first, the
// others with rest; none of these looks like an item of a list.
func fill(words []string, first, rest string) (lines []string) {
	line, empty := first, true
	for i, word := range words {
		if i > 0 && marker.MatchString(word) {
			line += " " + word
			continue
		}
		width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t",
			strings.Repeat(" ", tab))) + utf8.RuneCountInString(word)
		if !empty && width+1 > columns {
			lines = append(lines, line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return append(lines, line)
}

// prose is a line of a comment that may be filled: text after one space, which is no item of a
// list.
var prose = regexp.MustCompile(`^(\s*)// (\S.*)$`)

// marker is a word that would start an item, where it starts a line.
var marker = regexp.MustCompile(`^(?:[-*+•>#]|\d+[.)])$`)

var itemOfList = regexp.MustCompile(`^(?:[-*•]|\d+[.)]) `)

// after is a comment behind code: the code, and the comment.
var after = regexp.MustCompile(`^(\s*)(\S.*?)\s+// (.*)$`)

// wrapSource fills the paragraphs of comments in which a line is too long, and puts a comment that
// makes a line of code too long above it. isComment says on which lines a comment stands.
func wrapSource(text string, isComment func(line int) bool) string {
	lines := strings.Split(text, "\n")
	tooLong := func(i int) bool { return isComment(i+1) && len(comments(lines, i+1, strings.TrimSpace(lines[i]))) > 0 }
	paragraphLine := func(i int, indent string) (string, bool) {
		if i >= len(lines) || !isComment(i+1) {
			return "", false
		}
		m := prose.FindStringSubmatch(lines[i])
		if m == nil || m[1] != indent || directive.MatchString(strings.TrimSpace(lines[i])) {
			return "", false
		}
		return m[2], true
	}
	var out []string
	for i := 0; i < len(lines); {
		m := prose.FindStringSubmatch(lines[i])
		if m == nil || !isComment(i+1) || directive.MatchString(strings.TrimSpace(lines[i])) {
			if back := after.FindStringSubmatch(lines[i]); back != nil && tooLong(i) &&
				!strings.HasSuffix(back[2], `\`) {
				out = append(out, fill(strings.Fields(back[3]), back[1]+"// ", back[1]+"// ")...)
				out = append(out, back[1]+back[2])
			} else {
				out = append(out, lines[i])
			}
			i++
			continue
		}
		// A paragraph ends where the next item begins.
		end, long, words := i, false, []string(nil)
		for {
			content, ok := paragraphLine(end, m[1])
			if !ok || end > i && itemOfList.MatchString(content) {
				break
			}
			long = long || tooLong(end)
			words = append(words, strings.Fields(content)...)
			end++
		}
		if long {
			out = append(out, fill(words, m[1]+"// ", m[1]+"// ")...)
		} else {
			out = append(out, lines[i:end]...)
		}
		i = end
	}
	return strings.Join(out, "\n")
}

// wrapMarkdown fills the paragraphs and items of a Markdown text in which a line is too long.
func wrapMarkdown(text string) string {
	lines := strings.Split(text, "\n")
	isProse, tooLong := map[int]bool{}, map[int]bool{}
	paragraphs(text, func(line int, text string) {
		isProse[line-1] = !heading.MatchString(text) && !quote.MatchString(text)
		tooLong[line-1] = columnsOf(text) > columns
	})
	var out []string
	for i := 0; i < len(lines); {
		if !isProse[i] {
			out = append(out, lines[i])
			i++
			continue
		}
		end, long, words := i, false, []string(nil)
		for end < len(lines) && isProse[end] && (end == i || !bullet.MatchString(lines[end])) {
			long = long || tooLong[end]
			words = append(words, strings.Fields(bullet.ReplaceAllString(lines[end], ""))...)
			end++
		}
		if mark := bullet.FindString(lines[i]); long && mark != "" {
			out = append(out, fill(words, mark, strings.Repeat(" ", len(mark)))...)
		} else if long {
			indent := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " "))]
			out = append(out, fill(words, indent, indent)...)
		} else {
			out = append(out, lines[i:end]...)
		}
		i = end
	}
	return strings.Join(out, "\n")
}
