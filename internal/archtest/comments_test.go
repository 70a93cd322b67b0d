package archtest

import (
	"io/fs"
	"os"
	"regexp"
	"testing"
)

// noun matches a comment “name is …” and the name of the function below it.
var noun = regexp.MustCompile(`(?m)^// (\w+) (?:is|are|was) .*\n(?://.*\n)*func (?:\([^)]*\) )?(\w+)`)

// The comment of a function says what the function does: “name returns …”, not “name is …”.
func TestFunctionCommentsBeginWithVerbs(t *testing.T) {
	names, err := fs.Glob(os.DirFS(root), "internal/simd/gen/*.go") // a separate module
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, f := range load(t).files {
		names = append(names, f.path)
	}
	for _, name := range names {
		for _, found := range noun.FindAllStringSubmatch(read(t, name), -1) {
			if found[1] == found[2] {
				t.Errorf("%s: begin the comment of %s with a verb, such as “%[2]s returns”", name, found[1])
			}
		}
	}
}
