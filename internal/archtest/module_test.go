package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

const (
	root       = "../.."
	modulePath = "github.com/gpdrf/gpdrf-gpu"
)

// file is one Go file of the module.
type file struct {
	path      string // path from the module's root, with slashes
	dir       string // folder of the package, "." for the root
	text      string
	syntax    *ast.File
	test      bool
	generated bool
}

// module is every Go file of this module, parsed once.
type module struct {
	fset  *token.FileSet
	files []*file
}

var readModule = sync.OnceValues(func() (*module, error) {
	m := &module{fset: token.NewFileSet()}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if entry.IsDir() {
			if rel != "." && outside(name, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(m.fset, rel, text, parser.ParseComments)
		if err != nil {
			return err
		}
		m.files = append(m.files, &file{
			path: rel, dir: path.Dir(rel), text: string(text), syntax: syntax,
			test: strings.HasSuffix(rel, "_test.go"), generated: ast.IsGenerated(syntax),
		})
		return nil
	})
	return m, err
})

// outside reports whether a folder is not part of the module: hidden, data of tests, or a separate module. bench is a
// separate module, too, so that its dependencies stay out of the program. It counts as part: its code keeps the rules
// and calls the packages.
func outside(name, base string) bool {
	if base == "bench" {
		return false
	}
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" {
		return true
	}
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	return err == nil
}

func load(t *testing.T) *module {
	t.Helper()
	m := must.Get(readModule())(t)
	if len(m.files) < 20 {
		t.Fatalf("only %d Go files found from %s", len(m.files), root)
	}
	return m
}

func read(t *testing.T, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(root, name)))(t)
	return string(text)
}

// imports returns the import paths of a file with their places.
func (m *module) imports(f *file) map[string]string {
	out := map[string]string{}
	for _, spec := range f.syntax.Imports {
		to, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			out[to] = m.fset.Position(spec.Pos()).String()
		}
	}
	return out
}

// code returns the files that are neither tests nor generated.
func (m *module) code() (files []*file) {
	for _, f := range m.files {
		if !f.test && !f.generated {
			files = append(files, f)
		}
	}
	return files
}

// declaration is where a name of a package is declared.
type declaration struct {
	file *file
	doc  string
}

// declarations returns all top-level names of the non-test files by "package.Name", with methods, those of interfaces
// too, and fields as "package.Type.Method", and packages themselves as "package". Two packages of one name would be an
// error.
func (m *module) declarations(t *testing.T) map[string]declaration {
	t.Helper()
	all := map[string]declaration{}
	home := map[string]string{}
	for _, f := range m.files {
		pkg := f.syntax.Name.Name
		if f.test || pkg == "main" {
			continue
		}
		if h, known := home[pkg]; known && h != f.dir {
			t.Fatalf("two packages are called %s: %s and %s", pkg, h, f.dir)
		}
		home[pkg] = f.dir
		if doc := f.syntax.Doc.Text(); doc != "" {
			all[pkg] = declaration{f, doc}
		}
		for _, d := range f.syntax.Decls {
			declare(all, pkg, f, d)
		}
	}
	return all
}

func declare(all map[string]declaration, pkg string, f *file, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := pkg + "."
		if d.Recv != nil {
			name += receiver(d) + "."
		}
		all[name+d.Name.Name] = declaration{f, d.Doc.Text()}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				name := pkg + "." + s.Name.Name
				all[name] = declaration{f, d.Doc.Text() + s.Doc.Text()}
				for _, member := range members(s.Type) {
					for _, n := range member.Names {
						all[name+"."+n.Name] = declaration{f, member.Doc.Text()}
					}
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					all[pkg+"."+n.Name] = declaration{f, d.Doc.Text() + s.Doc.Text() + s.Comment.Text()}
				}
			}
		}
	}
}

// members returns the fields of a struct and the methods of an interface.
func members(t ast.Expr) []*ast.Field {
	switch t := t.(type) {
	case *ast.InterfaceType:
		return t.Methods.List
	case *ast.StructType:
		return t.Fields.List
	}
	return nil
}

// receiver returns the name of a method's type, without pointer and type parameters.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// methods returns the wanted methods that a file declares, in the order of the file.
func methods(f *file, wanted map[string]bool) (names []string) {
	for _, d := range f.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && wanted[fn.Name.Name] {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

// operations returns the methods of device.Device that compute: the methods of the interfaces embedded in it.
func operations(m *module) (ops []string) {
	device := newChecker(m).check("device").Scope().Lookup("Device").Type().Underlying().(*types.Interface)
	for family := range device.EmbeddedTypes() {
		for op := range family.Underlying().(*types.Interface).Methods() {
			ops = append(ops, op.Name())
		}
	}
	slices.Sort(ops)
	return ops
}
