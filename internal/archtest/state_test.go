package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"testing"
)

// registers are the package variables that may be written outside init, and the function that writes each.
var registers = map[string]string{
	"device.backends":  "Register",    // called from the init of each backend
	"tablefile.linked": "Register",    // called from the init of data/columnar, too
	"usererror.dashed": "DashOptions", // called from the init of the command
}

// A package keeps no state: its variables are written where they are declared or in init, and never again, and so are
// their elements and fields.
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
			ast.Inspect(function, func(n ast.Node) bool {
				for _, target := range assigned(n) {
					v, ok := c.info.Uses[base(target)].(*types.Var)
					if ok && v.Parent() == v.Pkg().Scope() &&
						registers[v.Pkg().Name()+"."+v.Name()] != function.Name.Name {
						t.Errorf("%s: %s writes the package variable %s", m.fset.Position(target.Pos()),
							function.Name.Name, v.Name())
					}
				}
				return true
			})
		}
	}
}

// assigned returns the expressions that a node assigns to.
func assigned(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	}
	return nil
}

// base returns the variable whose element or field an expression is; nil of others.
func base(e ast.Expr) *ast.Ident {
	switch x := e.(type) {
	case *ast.IndexExpr:
		return base(x.X)
	case *ast.SelectorExpr:
		return base(x.X)
	case *ast.StarExpr:
		return base(x.X)
	case *ast.ParenExpr:
		return base(x.X)
	case *ast.Ident:
		return x
	}
	return nil
}
