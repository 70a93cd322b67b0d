package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readmeCommands are the commands of this program in the README, in order.
func readmeCommands(t *testing.T) (commands []string) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range regexp.MustCompile(`(?m)^\$ (gpdrf-gpu .*)$`).FindAllStringSubmatch(string(readme), -1) {
		commands = append(commands, c[1])
	}
	return commands
}

var (
	stepsGiven  = regexp.MustCompile(` --steps \d+| --time-limit \w+`)
	exampleFile = regexp.MustCompile(`examples/[\w./-]+`)
)

// Every command of the README works on the files that are here, with fewer steps.
func TestREADME(t *testing.T) {
	if testing.Short() {
		t.Skip("ten trainings")
	}
	commands := readmeCommands(t)
	if len(commands) < 8 {
		t.Fatalf("the README has %d commands: %q", len(commands), commands)
	}
	folder := t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "examples"),
		os.DirFS(filepath.Join("..", "..", "examples"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GPDRF_DATA", "")
	t.Chdir(folder)
	named := map[string]bool{}
	for _, command := range commands {
		for _, file := range exampleFile.FindAllString(command, -1) {
			named[file] = true
		}
		if strings.HasPrefix(command, "gpdrf-gpu train") {
			command = stepsGiven.ReplaceAllString(command, "") + " --steps 20 --device cpu"
		}
		var said bytes.Buffer
		p := &program{ctx: context.Background(), out: &said, err: &said}
		if code := p.run(strings.Fields(command)); code != exitOK {
			t.Fatalf("%s: exit code %d\n%s", command, code, said.String())
		}
	}
	err := filepath.WalkDir("examples", func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !named[filepath.ToSlash(path)] && entry.Name() != "README.md" {
			t.Errorf("no command of the README uses %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
