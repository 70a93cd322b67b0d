//go:build cuda && cgo

package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Each fault of cuda/mutants.txt makes the test of its line fail. PTX_MUTANTS names the list.
func TestPTXMutants(t *testing.T) {
	file := os.Getenv("PTX_MUTANTS")
	if file == "" {
		t.Skip("PTX_MUTANTS is not set: make test-ptx")
	}
	text := must.Get(os.ReadFile(file))(t)
	for i, line := range strings.Split(string(text), "\n") {
		f := strings.Split(line, "|")
		if len(f) != 6 {
			continue
		}
		image, kernel, test := strings.TrimSpace(f[0]), strings.TrimSpace(f[1]), strings.TrimSpace(f[2])
		t.Run(fmt.Sprintf("line %d, %s", i+1, kernel), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0], "-test.run="+test, "-test.failfast", "-test.v")
			cmd.Env = append(os.Environ(), "PTX_MUTANTS=", fmt.Sprintf("EMU_MUTANT=%d", i+1),
				"EMU_CAPABILITY="+image[:1]+".0")
			out, err := cmd.CombinedOutput()
			if bytes.Contains(out, []byte("no tests to run")) {
				t.Fatalf("there is no test %s", test)
			}
			if err == nil {
				t.Fatalf("%s does not find the fault", test)
			}
			if !errors.As(err, new(*exec.ExitError)) {
				t.Fatal(err)
			}
		})
	}
}
