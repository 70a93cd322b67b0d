package archtest

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

var panicName = regexp.MustCompile(`\bpanic\((?:fmt\.Sprintf\()?"([a-z-]+): `)

// A panic starts with the name of its package, or of its folder; a backend may write device.
func TestPanicsNameTheirPackage(t *testing.T) {
	count := 0
	for _, f := range load(t).code() {
		for _, match := range panicName.FindAllStringSubmatch(f.text, -1) {
			count++
			backend := strings.HasPrefix(f.dir, "device/") && match[1] == "device"
			if match[1] != f.syntax.Name.Name && match[1] != path.Base(f.dir) && !backend {
				t.Errorf("%s: a panic starts with %q", f.path, match[1])
			}
		}
	}
	if count < 40 {
		t.Errorf("only %d panics found: is the pattern still right?", count)
	}
}
