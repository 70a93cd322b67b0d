package main

import (
	"os"
	"os/exec"
	"testing"
)

// TestPeers: the scripts of bench/peers plan their time, where make suite-peers has installed PyTorch.
func TestPeers(t *testing.T) {
	t.Chdir("..")
	python := methodOf("svgp").interpreter()
	if _, err := os.Stat(python); err != nil {
		t.Skipf("needs %s: make suite-peers installs it", python)
	}
	if text, err := exec.Command(python, "bench/peers_test.py").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
}
