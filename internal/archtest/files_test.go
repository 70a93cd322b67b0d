package archtest

import (
	"go/ast"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// longest is the number of lines of a file that still holds one idea.
const longest = 400

// Code and tests hold one idea per file.
func TestFilesAreShort(t *testing.T) {
	for _, f := range load(t).files {
		if n := strings.Count(f.text, "\n"); n > longest && !f.generated {
			t.Errorf("%s has %d lines; at most %d", f.path, n, longest)
		}
	}
}

// The device code and the code around it hold one idea per file, too.
func TestKernelFilesAreShort(t *testing.T) {
	names := []string{"kernels.cu"}
	for _, pattern := range []string{"cuda/kernels/*.cuh", "cuda/double/*", "cuda/shim/*.*"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		if n := strings.Count(read(t, name), "\n"); n > longest {
			t.Errorf("%s has %d lines; at most %d", name, n, longest)
		}
	}
}

// plain are methods whose meaning everybody knows.
var plain = map[string]bool{"Error": true, "String": true, "Unwrap": true, "Len": true}

func TestExportedNamesAreExplained(t *testing.T) {
	m := load(t)
	for _, f := range m.code() {
		for _, d := range f.syntax.Decls {
			for _, ident := range unexplained(d) {
				t.Errorf("%s: %s has no comment", m.fset.Position(ident.Pos()), ident.Name)
			}
		}
	}
}

// unexplained returns the exported names of a declaration without a comment of their own or of their group.
func unexplained(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		hidden := d.Recv != nil && (!ast.IsExported(receiver(d)) || plain[d.Name.Name])
		if d.Name.IsExported() && d.Doc == nil && !hidden {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					names = append(names, s.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						names = append(names, n)
					}
				}
			}
		}
	}
	return names
}
