package archtest

import (
	"errors"
	"go/ast"
	"go/types"
	"strings"
)

// checker finds the types of this module's own packages. Types of other modules stay unknown, which is quick, and
// enough to see which packages use which names.
type checker struct {
	*module
	packages map[string]*types.Package // types of each package, by folder
	info     *types.Info
}

func newChecker(m *module) *checker {
	return &checker{module: m, packages: map[string]*types.Package{}, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
	}}
}

// Import implements types.Importer.
func (c *checker) Import(path string) (*types.Package, error) {
	if dir, own := c.own(path); own {
		return c.check(dir), nil
	}
	return nil, errors.New("not read")
}

// check finds the types of a package, with its tests, once.
func (c *checker) check(dir string) *types.Package {
	if known, ok := c.packages[dir]; ok {
		return known
	}
	var files, outside []*ast.File
	for _, f := range c.files {
		if f.dir != dir {
			continue
		}
		if strings.HasSuffix(f.syntax.Name.Name, "_test") {
			outside = append(outside, f.syntax)
		} else if !f.test {
			files = append(files, f.syntax)
		}
	}
	config := types.Config{Importer: c, Error: func(error) {}, DisableUnusedImportCheck: true, FakeImportC: true}
	c.packages[dir], _ = config.Check(dir, c.fset, files, c.info)
	for _, f := range c.files {
		if f.dir == dir && f.test && !strings.HasSuffix(f.syntax.Name.Name, "_test") {
			files = append(files, f.syntax)
		}
	}
	_, _ = config.Check(dir, c.fset, files, c.info)
	_, _ = config.Check(dir+"_test", c.fset, outside, c.info)
	return c.packages[dir]
}
