package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"testing"
)

// An assignment before a condition is to a variable that the condition reads. Any other assignment has a
// separate line.
func TestConditionsReadTheirAssignments(t *testing.T) {
	m := load(t)
	for _, f := range m.code() {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if s, ok := n.(*ast.IfStmt); ok && !reads(s.Cond, s.Init) {
				t.Errorf("%s: the condition does not read what is set before it", m.fset.Position(s.Pos()))
			}
			return true
		})
	}
}

// reads reports whether a condition has one of the variables that an assignment before it sets. A definition limits
// the scope of its variables, so it may stand there.
func reads(cond ast.Expr, before ast.Stmt) (found bool) {
	var set []ast.Expr
	switch s := before.(type) {
	case *ast.AssignStmt:
		set = s.Lhs
		found = s.Tok == token.DEFINE
	case *ast.IncDecStmt:
		set = []ast.Expr{s.X}
	}
	ast.Inspect(cond, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		found = found || ok && slices.ContainsFunc(set, func(v ast.Expr) bool {
			return types.ExprString(v) == types.ExprString(e)
		})
		return !found
	})
	return found || set == nil
}
