package graph

import (
	"fmt"
	"strings"
	"testing"
)

// text returns a tree with each node in brackets.
func (t *Tree) text() string {
	at := 0
	var below func() string
	below = func() string {
		i := at
		at++
		text := "(" + t.Labels[i]
		for range t.Children[i] {
			text += below()
		}
		return text + ")"
	}
	return below()
}

func TestTrees(t *testing.T) {
	for text, want := range map[string]string{
		"(S (NP (DT the) (NN cat)) (VP sat))": "(S(NP(DT(the))(NN(cat)))(VP(sat)))",
		"( (S a) )":                           "((S(a)))",
		"word":                                "(word)",
		"(A)":                                 "(A)",
		"(S\n  (NP a)\n  (VP b))\n":           "(S(NP(a))(VP(b)))",
		"(a,b)c;":                             "(c(a)(b))",
		"((a:0.1,b:1e-3)c:2,d)e:0;":           "(e(c(a)(b))(d))",
		"(,);":                                "(()())",
		"('it''s (a) name',b);":               "((it's (a) name)(b))",
		"(a[a comment],b)[more]c;":            "(c(a)(b))",
		"a;":                                  "(a)",
		";":                                   "()",
		"(:1,b:2):3;":                         "(()(b))",
	} {
		tree, err := ParseTree([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := tree.text(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestBadTrees(t *testing.T) {
	for _, c := range []struct {
		text string
		at   int
		msg  string
	}{
		{"", 0, "a tree without nodes"},
		{"(A (B)", 5, "close 1 more bracket"},
		{"(A))", 3, "after the end of the tree"},
		{")", 0, "a closing bracket"},
		{" (a,b)\n", 1, "a tree of Newick without its end"},
		{"(A) (B)", 4, "after the end of the tree"},
		{"((a,b);", 6, "close its brackets before the semicolon"},
		{"a,b;", 1, "outside all brackets"},
		{"(a,b));", 5, "outside all brackets"},
		{"(a:x,b);", 3, "the length of a branch"},
		{"(a b,c);", 3, "a second name"},
		{"(a,b)(c);", 5, "where a comma or a closing bracket belongs"},
		{"(a,'b);", 3, "a name whose quote is not closed"},
		{"(a,[b);", 3, "a comment that is not closed"},
		{"(a,b);(c);", 6, "after the semicolon"},
		{"(a]b);", 2, "where a node or a comma belongs"},
	} {
		_, err := ParseTree([]byte(c.text))
		bad, ok := err.(*Error)
		if !ok || bad.At != c.at || !strings.Contains(bad.Msg, c.msg) {
			t.Errorf("%q: %v at %v, want byte %d: %s", c.text, err, fmt.Sprintf("%+v", bad), c.at, c.msg)
		}
	}
}
