package archtest

import (
	"go/ast"
	"go/types"
	"testing"
)

// registers are the package variables that may be written outside init, and by whom.
var registers = map[string]string{
	"device.backends":  "Register", // called from the init of each backend
	"tablefile.linked": "Register", // and from that of data/columnar
}

// A package keeps no state: its variables are written where they are declared or in init, and
// never again.
func TestNoPackageState(t *testing.T) {
	m := load(t)
	c := newChecker(m)
	for _, f := range m.code() {
		c.check(f.dir)
		for _, d := range f.syntax.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok || function.Recv == nil && function.Name.Name == "init" {
				continue
			}
			for _, target := range written(function) {
				v, ok := c.info.Uses[target].(*types.Var)
				if !ok || v.Parent() != v.Pkg().Scope() {
					continue
				}
				if registers[v.Pkg().Name()+"."+v.Name()] != function.Name.Name {
					t.Errorf("%s: %s writes the package variable %s", m.fset.Position(target.Pos()),
						function.Name.Name, v.Name())
				}
			}
		}
	}
}

// written are the variables that a function assigns to, also through an element or a field.
func written(function *ast.FuncDecl) (targets []*ast.Ident) {
	add := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				e = x.X
			case *ast.SelectorExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.ParenExpr:
				e = x.X
			case *ast.Ident:
				targets = append(targets, x)
				return
			default:
				return
			}
		}
	}
	ast.Inspect(function, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			for _, e := range s.Lhs {
				add(e)
			}
		case *ast.IncDecStmt:
			add(s.X)
		}
		return true
	})
	return targets
}
