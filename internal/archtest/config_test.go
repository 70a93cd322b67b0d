package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// A Config is made by train/options alone: other packages, and their tests, write none of its fields.
func TestConfigIsImmutable(t *testing.T) {
	m := load(t)
	c := newChecker(m)
	seen := 0
	for _, f := range m.files {
		if f.dir == "train/options" || f.generated {
			continue
		}
		c.check(f.dir)
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			targets := assigned(n)
			switch n := n.(type) {
			case *ast.UnaryExpr:
				if _, field := n.X.(*ast.SelectorExpr); n.Op == token.AND && field {
					targets = []ast.Expr{n.X}
				}
			case *ast.CompositeLit:
				if c.isConfig(n) {
					t.Errorf("%s: a Config comes from options.Resolve", m.fset.Position(n.Pos()))
				}
			case *ast.SelectorExpr:
				if c.isConfig(n.X) {
					seen++
				}
			}
			for _, target := range targets {
				if c.within(target) {
					t.Errorf("%s: writes a field of a Config, which never changes: take Config.With",
						m.fset.Position(target.Pos()))
				}
			}
			return true
		})
	}
	if seen < 100 {
		t.Errorf("only %d places read a Config: this test does not see them", seen)
	}
}

// isConfig reports whether an expression is a Config, one of its parts, or a pointer to one.
func (c *checker) isConfig(e ast.Expr) bool {
	t := c.info.Types[e].Type
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "train/options" {
		return false
	}
	name := named.Obj().Name()
	return name == "Config" || name != "Options" && strings.HasSuffix(name, "Options")
}

// within reports whether an expression is a Config behind a pointer, or a part of one.
func (c *checker) within(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.SelectorExpr:
		return c.isConfig(x.X) || c.within(x.X)
	case *ast.IndexExpr:
		return c.within(x.X)
	case *ast.StarExpr:
		return c.isConfig(x.X)
	case *ast.ParenExpr:
		return c.within(x.X)
	}
	return false
}
