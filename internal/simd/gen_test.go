package simd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// The committed assembly is the generator's output. Only the first line may differ: it names the files of the command.
// Without the generator's modules the test is skipped, and fails if REQUIRE_GENERATOR is set.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir = "gen"
		return cmd.CombinedOutput()
	}
	if out, err := run("mod", "download"); err != nil {
		if os.Getenv("REQUIRE_GENERATOR") != "" {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Skipf("skipped: the generator's modules (github.com/mmcloughlin/avo) cannot be fetched: %v\n%s", err, out)
	}
	dir := t.TempDir()
	files := []string{"kernels_amd64.s", "kernels_amd64.go"}
	if out, err := run("run", ".", "-out", filepath.Join(dir, files[0]), "-stubs",
		filepath.Join(dir, files[1]), "-pkg", "simd"); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	for _, name := range files {
		fresh := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		committed := must.Get(os.ReadFile(name))(t)
		_, fresh, _ = bytes.Cut(fresh, []byte("\n"))
		_, committed, _ = bytes.Cut(committed, []byte("\n"))
		if !bytes.Equal(fresh, committed) {
			t.Errorf("%s is not what the generator writes: run go generate ./internal/simd", name)
		}
	}
}
