package gpdrf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that uses the library alone is small: it has no readers of Parquet and Arrow, and no server.
func TestMinimalProgram(t *testing.T) {
	const most = 20e6
	if testing.Short() {
		t.Skip("it builds a program")
	}
	packages, err := exec.Command("go", "list", "-deps", "./testdata/minimal").Output()
	if err != nil {
		t.Fatal(err)
	}
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
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f MB", float64(info.Size())/1e6)
	if info.Size() > most {
		t.Errorf("the program has %d bytes, at most %g are wanted", info.Size(), most)
	}
}
