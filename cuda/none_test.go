//go:build !cuda || !cgo

package cuda

import (
	"strings"
	"testing"
)

// A program without CUDA names the release file with it, where there is one.
func TestWithout(t *testing.T) {
	for system, want := range map[string]string{
		"linux/amd64": "release file for linux-amd64-cuda", "linux/arm64": "release file for linux-arm64-cuda",
		"linux/riscv64": "needs Linux on amd64 or arm64", "darwin/arm64": "needs Linux on amd64 or arm64",
		"windows/amd64": "in WSL",
	} {
		name, processor, _ := strings.Cut(system, "/")
		if got := without(name, processor); !strings.HasPrefix(got, "built without CUDA") ||
			!strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", system, got, want)
		}
	}
}
