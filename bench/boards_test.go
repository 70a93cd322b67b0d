package main

import (
	"os"
	"os/exec"
	"testing"
)

// TestBoards: the scores of bench/boards.py equal closed forms, where make svm has installed numpy and scikit-learn.
func TestBoards(t *testing.T) {
	t.Chdir("..")
	if _, err := os.Stat(svmPython); err != nil {
		if os.Getenv("REQUIRE_PYTHON") != "" {
			t.Fatal(err)
		}
		t.Skipf("needs %s: make svm installs it", svmPython)
	}
	if text, err := exec.Command(svmPython, "bench/boards_test.py").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
}
