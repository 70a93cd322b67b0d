package archtest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// launch is a call of family.launch in device/gpu: the kernel's name without its type, whose kernels they are, and the
// kinds of the arguments as far as the source shows them.
type launch struct {
	at, family, name string
	kinds            []cuda.Kind // 0 where the source does not show it
}

// suffixes are the types of the kernels of a family.
var suffixes = map[string][]string{
	"real": {"_f32", "_f64"}, "any": {"_f32", "_f64"},
	"products": {"_f32", "_f64", "_tf32"}, "double": {"_f64"}, "plain": {""},
}

// launches returns the calls of launch in a file. The family is the receiver of the call: d.real, or the receiver of a
// method of family itself, which stands for any family that has the kernel.
func launches(t *testing.T, m *module, f *file) (all []launch) {
	named := textsOf(f)
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || method.Sel.Name != "launch" {
			return true
		}
		l := launch{at: m.fset.Position(call.Pos()).String(), family: "any"}
		if owner, ok := method.X.(*ast.SelectorExpr); ok {
			l.family = owner.Sel.Name
		}
		names := constantsOf(call.Args[0])
		if variable, ok := call.Args[0].(*ast.Ident); ok {
			names = named[variable.Name]
		}
		if names == nil || suffixes[l.family] == nil || call.Ellipsis.IsValid() {
			t.Errorf("%s: a launch names its family, its kernel and its arguments", l.at)
			return true
		}
		for _, arg := range call.Args[3:] {
			l.kinds = append(l.kinds, kindOf(arg, l.family))
		}
		for _, l.name = range names {
			all = append(all, l)
		}
		return true
	})
	return all
}

// textsOf returns the constant texts that the variables of a file take.
func textsOf(f *file) map[string][]string {
	named := map[string][]string{}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok && len(s.Lhs) == 1 {
			if variable, ok := s.Lhs[0].(*ast.Ident); ok {
				named[variable.Name] = append(named[variable.Name], constantsOf(s.Rhs[0])...)
			}
		}
		return true
	})
	return named
}

// constantsOf returns the text of a constant; nothing of another expression.
func constantsOf(e ast.Expr) []string {
	if c, ok := e.(*ast.BasicLit); ok && c.Kind == token.STRING {
		text, _ := strconv.Unquote(c.Value)
		return []string{text}
	}
	return nil
}

// real is the kind of an argument made by scalar: as the kernel's type.
const real = cuda.Kind(255)

// kindOf returns the kind of cuda.Int(n), d.ptr(t) and the like; 0 for a variable.
func kindOf(arg ast.Expr, family string) cuda.Kind {
	call, ok := arg.(*ast.CallExpr)
	if !ok {
		return 0
	}
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	switch name {
	case "Int", "Uint", "flag":
		return cuda.U32
	case "ptr", "at", "Pointer":
		return cuda.U64
	case "Float64":
		return cuda.F64
	case "Float32":
		return cuda.F32
	case "scalar":
		return real
	}
	return 0
}

// Every launch of device/gpu fits the .entry of its kernel in each PTX image that has it, one at least, and every
// kernel is launched.
func TestLaunchesFitKernels(t *testing.T) {
	images, err := fs.Glob(os.DirFS(root), "cuda/*.ptx")
	if err != nil || len(images) != 3 {
		t.Fatalf("%d images of PTX, %v", len(images), err)
	}
	m, found := load(t), map[string]bool{}
	for _, image := range images {
		signatures := must.Get(cuda.Signatures(read(t, image)))(t)
		launched := map[string]bool{}
		for _, f := range m.code() {
			if f.dir != "device/gpu" {
				continue
			}
			for _, l := range launches(t, m, f) {
				for _, suffix := range suffixes[l.family] {
					name := l.name + suffix
					launched[name] = true
					s, ok := signatures[name]
					if found[name] = found[name] || ok; !ok {
						continue
					}
					if want := l.parameters(suffix, s); !slices.Equal(want, s.Params) {
						t.Errorf("%s: kernel %s has the parameters %v in %s, not %v", l.at, name, s.Params, image, want)
					}
				}
			}
		}
		for name := range signatures {
			if !launched[name] && !strings.HasPrefix(name, "probe_") {
				t.Errorf("nothing launches kernel %s", name)
			}
		}
	}
	for name, ok := range found {
		if !ok {
			t.Errorf("%s is launched, and no image has it", name)
		}
	}
}

// A variable of the device exists once for each image that is loaded. So what a kernel reads, a kernel of the same
// image writes: live, which set_live writes, is not for products alone.
func TestVariablesStayInTheirImage(t *testing.T) {
	images, _ := fs.Glob(os.DirFS(root), "cuda/*.ptx")
	readers := 0
	for _, image := range images {
		text := read(t, image)
		readers += len(unwritten(strings.ReplaceAll(text, "st.global", "")))
		for _, name := range unwritten(text) {
			t.Errorf("%s: a kernel reads %s, which none of this image writes", image, name)
		}
	}
	if readers != 1 {
		t.Errorf("%d images have kernels that read live: the test expects the one with all kernels", readers)
	}
}

// unwritten returns the variables of an image that one of its kernels uses, and none writes.
func unwritten(text string) (names []string) {
	for _, variable := range variables.FindAllStringSubmatch(text, -1) {
		written, used := false, false
		for _, line := range regexp.MustCompile(`.*\b`+variable[1]+`\b[^\[].*`).FindAllString(text, -1) {
			store := strings.Contains(line, "st.global")
			written, used = written || store, used || !store && !strings.HasPrefix(line, ".visible")
		}
		if used && !written {
			names = append(names, variable[1])
		}
	}
	return names
}

var variables = regexp.MustCompile(`(?m)^(?:\.visible )?\.global .*\.b8 (\w+)\[\d+\];`)

// parameters returns the kinds of the arguments for a kernel with a suffix; where the source does not show one, it is
// as the kernel has it.
func (l *launch) parameters(suffix string, s cuda.Signature) []cuda.Kind {
	want := slices.Clone(l.kinds)
	for i := range want {
		if want[i] == real {
			want[i] = map[string]cuda.Kind{"_f32": cuda.F32, "_f64": cuda.F64}[suffix]
		}
		if want[i] == 0 && i < len(s.Params) {
			want[i] = s.Params[i]
		}
	}
	return want
}

// docs/kernels.md describes each kernel, and has no row of another.
func TestKernelsAreDocumented(t *testing.T) {
	signatures := map[string]cuda.Signature{}
	for _, image := range []string{"cuda/kernels_sm70.ptx", "cuda/kernels_sm80.ptx"} {
		own := must.Get(cuda.Signatures(read(t, image)))(t)
		maps.Copy(signatures, own)
	}
	text, works, there := read(t, "docs/kernels.md"), map[string]bool{}, map[string]bool{}
	for _, row := range tableUnder(t, text, "Work at the shapes of MNIST") {
		for _, name := range quoted(row[0]) {
			works[name] = true
		}
	}
	for name := range signatures {
		work := name
		for _, suffix := range suffixes["products"] {
			work = strings.TrimSuffix(work, suffix)
		}
		if !works[work] {
			t.Errorf("docs/kernels.md lacks %s: write what it does", name)
		}
		there[work] = true
	}
	for work := range works {
		if !there[work] {
			t.Errorf("docs/kernels.md has a row of %s, which is no kernel", work)
		}
	}
}
