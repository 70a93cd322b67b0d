package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// readmeCommands returns the commands of the README that begin with a word, in order.
func readmeCommands(t *testing.T, word string) (commands []string) {
	t.Helper()
	readme := must.Get(os.ReadFile(filepath.Join("..", "..", "README.md")))(t)
	for _, line := range regexp.MustCompile(`(?m)^\$ (.*)$`).FindAllStringSubmatch(string(readme), -1) {
		for command := range strings.SplitSeq(line[1], " && ") {
			if strings.HasPrefix(command, word+" ") {
				commands = append(commands, command)
			}
		}
	}
	return commands
}

var (
	stepsGiven  = regexp.MustCompile(` --steps \d+| --time-limit \w+`)
	exampleFile = regexp.MustCompile(`examples/[\w./-]+`)
)

// Every command of the README works on the files of this repository, with fewer steps.
func TestREADME(t *testing.T) {
	if testing.Short() {
		t.Skip("ten trainings")
	}
	commands := readmeCommands(t, "gpdrf-gpu")
	if len(commands) < 8 {
		t.Fatalf("the README has %d commands: %q", len(commands), commands)
	}
	pages := must.Get(filepath.Glob(filepath.Join("..", "..", "docs", "*.md")))(t)
	named := map[string]bool{}
	for _, page := range pages {
		text := must.Get(os.ReadFile(page))(t)
		for _, file := range exampleFile.FindAllString(string(text), -1) {
			named[file] = true
		}
	}
	folder := t.TempDir()
	must.OK(t, os.CopyFS(filepath.Join(folder, "examples"), os.DirFS(filepath.Join("..", "..", "examples"))))
	t.Setenv("GPDRF_DATA", "")
	t.Chdir(folder)
	for _, command := range commands {
		for _, file := range exampleFile.FindAllString(command, -1) {
			named[file] = true
		}
		if strings.HasPrefix(command, "gpdrf-gpu train") {
			command = stepsGiven.ReplaceAllString(command, "") + " --steps 20 --device cpu"
		}
		var said bytes.Buffer
		p := &program{ctx: context.Background(), console: console{out: &said, err: &said}}
		if code := p.run(strings.Fields(command)); code != exitOK {
			t.Fatalf("%s: exit code %d\n%s", command, code, said.String())
		}
	}
	err := filepath.WalkDir("examples", func(path string, entry os.DirEntry, err error) error {
		others := []string{".yaml", ".md", ".py"} // config files are in options.txtar; scripts are not commands
		if err == nil && !entry.IsDir() && !named[filepath.ToSlash(path)] &&
			!slices.Contains(others, filepath.Ext(path)) {
			t.Errorf("neither a command of the README nor a page of docs names %s", path)
		}
		return err
	})
	must.OK(t, err)
}
