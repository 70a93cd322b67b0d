package archtest

import (
	"go/ast"
	"testing"
)

// forOthers are functions that stay exported, and why.
var forOthers = map[string]string{
	"cuda.Signatures": "the tests of launches here",
	"device/gpu.New":  "the twin of device/cpu.New",
	"dist.Group":      "several ranks in one process, for tests",
}

// An exported function is called by another package's code, and not by tests alone. A package that only
// tests import is theirs.
func TestExportedFunctionsAreCalled(t *testing.T) {
	m := load(t)
	c := newChecker(m)
	called, imported := map[string]bool{}, map[string]bool{}
	for _, f := range m.code() {
		c.check(f.dir)
		for to := range m.imports(f) {
			if dir, own := m.own(to); own && dir != "." {
				imported[dir] = true
			}
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := c.info.Uses[id]; o != nil && o.Pkg() != nil && o.Pkg().Path() != f.dir {
					called[o.Pkg().Path()+"."+o.Name()] = true
				}
			}
			return true
		})
	}
	for _, f := range m.code() {
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || !imported[f.dir] {
				continue
			}
			if name := f.dir + "." + fn.Name.Name; !called[name] && forOthers[name] == "" {
				t.Errorf("%s: no other package calls %s: unexport, move or delete it",
					m.fset.Position(fn.Pos()), fn.Name.Name)
			}
		}
	}
}
