package archtest

import (
	"go/ast"
	"regexp"
	"slices"
	"testing"
)

// A message that the library may print has no flag in its text: usererror.Flag and Key write the option.
func TestMessagesHaveNoFlags(t *testing.T) {
	flag := regexp.MustCompile(`(^|[ (])--[a-z%]`)
	messages := []string{".", "data", "seq", "graph", "device", "model", "train", "train/fitted", "predict"}
	for _, f := range load(t).code() {
		if !slices.Contains(messages, f.dir) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				for _, text := range constantsOf(e) {
					if flag.MatchString(text) {
						t.Errorf("%s: %q: write the option by usererror.Flag or Key", f.path, text)
					}
				}
			}
			return true
		})
	}
}
