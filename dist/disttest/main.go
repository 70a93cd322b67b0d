//go:build mpi || cuda

package disttest

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/dist"
)

// Mode is a variable of the environment that makes a program of tests a rank: its value names the
// task of the rank.
const Mode = "RANK_TEST_MODE"

// Main is a TestMain of tests that start their own program once for each rank. It runs the tests,
// or as a rank it runs rank.
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
