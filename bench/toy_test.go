package main

import (
	"os"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// The picture is drawn from the files of the toy and the commands in the README.
func TestToyIsCurrent(t *testing.T) {
	t.Chdir("..")
	rows, grid := toyFiles()
	for path, want := range map[string]string{toyRows: rows, toyGrid: grid} {
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s is not what make toy writes (%v)", path, err)
		}
	}
	readme := must.Get(os.ReadFile("README.md"))(t)
	for _, command := range []string{toyTrain, toyPredict} {
		if !strings.Contains(string(readme), "$ "+command+"\n") {
			t.Errorf("the README lacks %s", command)
		}
	}
}
