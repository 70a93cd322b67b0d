package graph

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// Tree is an ordered tree with labels, its nodes in the order in which they are written: a node, and then the trees
// below it.
type Tree struct {
	Labels   []string
	Children []int // number of trees directly below each node
}

// ParseTree reads a tree in brackets, (S (NP (DT the) (NN cat)) (VP sat)), or in Newick, which ends in a semicolon:
// ((a,b)c,d)e; Lengths of Newick's branches are read and do not count. Errors are *Error.
func ParseTree(text []byte) (*Tree, error) {
	p := &treeParser{text: text}
	if p.skip(); p.at == len(text) {
		return nil, errorAt(0, string(text), "which is a tree without nodes: remove it, or give at least one node")
	}
	read := p.readBrackets
	if bytes.HasSuffix(bytes.TrimRight(text, " \t\r\n"), []byte(";")) {
		read = p.readNewick
	}
	if err := read(); err != nil {
		return nil, err
	}
	return &p.tree, nil
}

// treeParser reads a tree without recursion, so that its depth does not matter.
type treeParser struct {
	text []byte
	at   int
	tree Tree
	open []int // the nodes whose brackets are open

	wanted bool // a node may begin here, in Newick
	named  int  // the node that a name belongs to, in Newick; −1: no node
}

// skip goes to the next byte that is no blank.
func (p *treeParser) skip() { p.at = len(p.text) - len(bytes.TrimLeft(p.text[p.at:], blanks)) }

// node adds a node below the open node.
func (p *treeParser) node(label string) {
	if len(p.open) > 0 {
		p.tree.Children[p.open[len(p.open)-1]]++
	}
	p.tree.Labels, p.tree.Children = append(p.tree.Labels, label), append(p.tree.Children, 0)
}

// word returns the text before the next blank or one of the marks.
func (p *treeParser) word(marks string) string {
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(marks, p.text[p.at]) < 0 {
		p.at++
	}
	return string(p.text[from:p.at])
}

func (p *treeParser) readBrackets() *Error {
	if p.text[p.at] == '(' && bytes.IndexByte(p.text, ',') > 0 && len(bytes.Fields(p.text)) == 1 {
		return errorAt(p.at, string(p.text[p.at:]),
			"which is a tree of Newick without its end: write a semicolon after it")
	}
	for p.skip(); p.at < len(p.text); p.skip() {
		start := p.at
		switch {
		case len(p.tree.Labels) > 0 && len(p.open) == 0:
			return errorAt(start, string(p.text[start:]),
				"after the end of the tree: give one tree, or remove a closing bracket before")
		case p.text[start] == '(':
			p.at++
			p.skip()
			p.node(p.word(" \t\r\n()"))
			p.open = append(p.open, len(p.tree.Labels)-1)
		case p.text[start] == ')' && len(p.open) == 0:
			return errorAt(start, ")", "a closing bracket before any that opens: remove it")
		case p.text[start] == ')':
			p.at++
			p.open = p.open[:len(p.open)-1]
		default:
			p.node(p.word(" \t\r\n()"))
		}
	}
	if len(p.open) > 0 {
		brackets := "brackets"
		if len(p.open) == 1 {
			brackets = "bracket"
		}
		return errorAt(len(p.text)-1, string(p.text[len(p.text)-1:]),
			"where the tree is not complete: close %d more %s", len(p.open), brackets)
	}
	return nil
}

// marks end a name or a number of Newick.
const marks = "(),:;[]' \t\r\n"

// readNewick reads a tree whose labels stand after their brackets. A node is added when its bracket opens, and named
// when it is closed.
func (p *treeParser) readNewick() *Error {
	p.wanted, p.named = true, -1
	for p.skip(); p.at < len(p.text); p.skip() {
		if err := p.newickStep(); err != nil {
			return err
		}
	}
	return nil
}

// newickStep reads a comment, a bracket, a comma, a length or a name.
func (p *treeParser) newickStep() *Error {
	c := p.text[p.at]
	bad := func(msg string) *Error { return errorAt(p.at, string(c), "%s", msg) }
	switch {
	case c == '[':
		end := bytes.IndexByte(p.text[p.at:], ']')
		if end < 0 {
			return bad("a comment that is not closed: write a ] after it")
		}
		p.at += end + 1
	case c == '(' && !p.wanted:
		return bad("where a comma or a closing bracket belongs")
	case c == '(':
		p.at++
		p.node("")
		p.open = append(p.open, len(p.tree.Labels)-1)
		p.named = -1
	case c == ')' || c == ',' || c == ';':
		if p.wanted {
			p.node("") // a leaf without a name
		}
		switch {
		case c == ';' && len(p.open) > 0:
			return bad("where the tree is not complete: close its brackets before the semicolon")
		case c != ';' && len(p.open) == 0:
			return bad("outside all brackets: open one before")
		}
		p.at++
		p.wanted = c == ','
		if c == ')' {
			p.named = p.open[len(p.open)-1]
			p.open = p.open[:len(p.open)-1]
		}
		if p.skip(); c == ';' && p.at < len(p.text) {
			return errorAt(p.at, string(p.text[p.at:]), "after the semicolon that ends the tree: give one tree")
		}
	case c == ':':
		if p.wanted {
			p.node("")
			p.wanted = false
		}
		p.at++
		p.skip()
		from := p.at
		length := p.word(marks)
		if _, err := strconv.ParseFloat(length, 64); err != nil {
			return errorAt(from, length, "where the length of a branch belongs: give a number, or leave the colon out")
		}
		p.named = -1
	default:
		return p.newickName()
	}
	return nil
}

// newickName names a leaf, or the node whose bracket was closed.
func (p *treeParser) newickName() *Error {
	label, err := p.newickLabel()
	switch {
	case err != nil:
		return err
	case p.wanted:
		p.node(label)
		p.wanted = false
	case p.named >= 0:
		p.tree.Labels[p.named] = label
	default:
		return errorAt(p.at-1, label,
			"a second name of a node: separate nodes by commas, and quote names with blanks")
	}
	p.named = -1
	return nil
}

// newickLabel reads a name, in quotes or not.
func (p *treeParser) newickLabel() (string, *Error) {
	if p.text[p.at] != '\'' {
		start := p.at
		if label := p.word(marks); label != "" {
			return label, nil
		}
		return "", errorAt(start, string(p.text[start]), "where a node or a comma belongs: remove it")
	}
	start := p.at
	var label []byte
	for p.at++; p.at < len(p.text); p.at++ {
		if p.text[p.at] == '\'' {
			if p.at++; p.at == len(p.text) || p.text[p.at] != '\'' {
				return string(label), nil
			}
		}
		label = append(label, p.text[p.at])
	}
	return "", errorAt(start, string(p.text[start:]), "a name whose quote is not closed")
}

// Append adds the code of t to codes: n, and for each node its label and the number of trees directly below it.
func (t *Tree) Append(codes []int32, label func(string) int32) []int32 {
	codes = append(codes, int32(len(t.Labels)))
	for i, l := range t.Labels {
		codes = append(codes, label(l), int32(t.Children[i]))
	}
	return codes
}

// CheckTree refuses codes of a tree that Append cannot have made, of labels below letters.
func CheckTree(codes []int32, letters int) error {
	damaged := errors.New("a coded tree is damaged")
	if len(codes) < 1 || codes[0] < 1 || len(codes) != 1+2*int(codes[0]) {
		return damaged
	}
	missing := 1
	for i := 1; i < len(codes); i += 2 {
		missing += int(codes[i+1]) - 1
		ended := missing == 0 && i+2 < len(codes)
		if codes[i] < Unknown || int(codes[i]) >= letters || codes[i+1] < 0 || missing < 0 || ended {
			return damaged
		}
	}
	if missing != 0 {
		return damaged
	}
	return nil
}
