package gpdrf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A program that uses the library alone is small: it has no readers of Parquet and Arrow, and no server.
func TestMinimalProgram(t *testing.T) {
	const most = 20e6
	if testing.Short() {
		t.Skip("it builds a program")
	}
	packages := must.Get(exec.Command("go", "list", "-deps", "./testdata/minimal").Output())(t)
	for name := range strings.Lines(string(packages)) {
		for _, heavy := range []string{"github.com/parquet-go/", "google.golang.org/grpc", "github.com/prometheus/"} {
			if strings.HasPrefix(name, heavy) {
				t.Errorf("the library links %s", name)
			}
		}
	}
	program := filepath.Join(t.TempDir(), "minimal")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, "./testdata/minimal")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	info := must.Get(os.Stat(program))(t)
	t.Logf("%.1f MB", float64(info.Size())/1e6)
	if info.Size() > most {
		t.Errorf("the program has %d bytes, at most %g are wanted", info.Size(), most)
	}
}
