//go:build mpi || cuda

package disttest

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/dist"
)

// Mode is the environment variable that makes a test program a rank. Its value is the name of the task.
const Mode = "RANK_TEST_MODE"

// Main serves as TestMain of tests that start their own program once for each rank. It runs the tests, or rank if the
// program was started as a rank.
func Main(m *testing.M, rank func(mode string) error) {
	mode := os.Getenv(Mode)
	if mode == "" {
		os.Exit(m.Run())
	}
	err := rank(mode)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "failed:", err)
	var all *dist.RankError
	if errors.As(err, &all) {
		os.Exit(all.Code)
	}
	os.Exit(1)
}
