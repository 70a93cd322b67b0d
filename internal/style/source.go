package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	tab         = 4   // columns of a tab
	codeColumns = 120 // of a line of code
)

// longCode are the rooms whose code has longer lines yet.
var longCode = regexp.MustCompile(`^(cuda|device/gpu)/`)

// goSource checks the comments of a Go file, and the strings of one that is no test.
func goSource(name, text string) (all []finding, err error) {
	generated, err := isGenerated(name, text)
	if err != nil || generated {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if n := widthOf(line); n > codeColumns && !longCode.MatchString(name) && !directive.MatchString(line) {
			all = append(all, finding{i + 1, fmt.Sprintf("%d columns of code, at most %d", n, codeColumns)})
		}
	}
	comment := &paragraph{} // comments on lines that follow one another
	prose := &paragraph{}   // the same without comments behind code and blocks of code
	scan(name, text, func(line int, what token.Token, literal string) {
		if what == token.STRING && !strings.HasSuffix(name, "_test.go") {
			value, _ := strconv.Unquote(literal)
			for _, h := range phrases(value) {
				all = append(all, finding{line + strings.Count(value[:h.at], "\n"), h.says})
			}
		}
		if what != token.COMMENT {
			return
		}
		for i, part := range strings.Split(literal, "\n") {
			all = append(all, comments(lines, line+i, part)...)
			if n := len(comment.lines); n > 0 && comment.lines[n-1] < line+i-1 {
				all, comment = append(all, inProse(comment)...), &paragraph{}
			}
			text := strings.TrimSpace(strings.TrimPrefix(part, "//"))
			comment.add(text, line+i)
			whole := strings.HasPrefix(strings.TrimSpace(lines[line+i-1]), "//") && text != "" &&
				!directive.MatchString(part)
			if n := len(prose.lines); n > 0 && (!whole || prose.lines[n-1] < line+i-1) {
				all, prose = append(all, tooLong(prose, ".!?:;", clause)...), &paragraph{}
			}
			if whole {
				prose.add(text, line+i)
			}
		}
	})
	return append(append(all, inProse(comment)...), tooLong(prose, ".!?:;", clause)...), nil
}

// tooLong are the sentences of a paragraph, between marks, with more than so many words.
func tooLong(p *paragraph, marks string, most int) (all []finding) {
	for _, s := range sentences(p, marks) {
		if s.words > most {
			all = append(all, finding{s.line, tooMany(s.words, most, s.text)})
		}
	}
	return all
}

// isGenerated reports whether a Go file says that a program wrote it.
func isGenerated(name, text string) (bool, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.PackageClauseOnly)
	return err == nil && ast.IsGenerated(parsed), err
}

// scan visits the tokens of a Go file.
func scan(name, text string, visit func(line int, what token.Token, literal string)) {
	files := token.NewFileSet()
	file := files.AddFile(name, files.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	for {
		pos, what, literal := s.Scan()
		if what == token.EOF {
			return
		}
		visit(file.Position(pos).Line, what, literal)
	}
}

// wrapGo fills the comments of a Go file.
func wrapGo(name, text string) string {
	isComment := map[int]bool{}
	scan(name, text, func(line int, what token.Token, literal string) {
		if what == token.COMMENT && strings.HasPrefix(literal, "//") {
			isComment[line] = true
		}
	})
	return wrapSource(text, func(line int) bool { return isComment[line] })
}

// wrapCUDA fills the comments of a CUDA file.
func wrapCUDA(text string) string {
	lines := strings.Split(text, "\n")
	return wrapSource(text, func(line int) bool { return lineComment.MatchString(lines[line-1]) })
}

// inProse are the banned phrases of a paragraph.
func inProse(p *paragraph) (all []finding) {
	for _, h := range phrases(p.text.String()) {
		all = append(all, finding{p.lines[h.at], h.says})
	}
	return all
}

// directive is a comment that a tool reads, a block of code or a link: no line break may enter it.
var directive = regexp.MustCompile(`^//(?:go:|nolint|lint:|line |\t|    )|https?://`)

// widthOf is the columns of a line.
func widthOf(line string) int {
	return utf8.RuneCountInString(strings.ReplaceAll(line, "\t", strings.Repeat(" ", tab)))
}

// comments checks the length of the line that a comment, or a part of it, stands on.
func comments(lines []string, number int, part string) []finding {
	line := lines[number-1]
	if directive.MatchString(strings.TrimSpace(part)) {
		return nil
	}
	if n := widthOf(line); n > columns {
		return []finding{long(number, n)}
	}
	return nil
}

var lineComment = regexp.MustCompile(`(?:^|\s)//(.*)$`)

// cudaSource checks the comments of a CUDA or C++ file: those that start with //.
func cudaSource(text string) (all []finding) {
	lines := strings.Split(text, "\n")
	comment := &paragraph{}
	for i, line := range lines {
		found := lineComment.FindStringSubmatch(line)
		if found == nil {
			all, comment = append(all, inProse(comment)...), &paragraph{}
			continue
		}
		all = append(all, comments(lines, i+1, found[0])...)
		comment.add(strings.TrimSpace(found[1]), i+1)
	}
	return append(all, inProse(comment)...)
}
