package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	write := flag.Bool("w", false, "fill the paragraphs in which a line is too long, instead of checking")
	flag.Parse()
	folder := "."
	if flag.NArg() > 0 {
		folder = flag.Arg(0)
	}
	if err := run(folder, *write); err != nil {
		fmt.Fprintln(os.Stderr, "style:", err)
		os.Exit(1)
	}
}

func run(folder string, write bool) error {
	files := os.DirFS(folder)
	if write {
		return each(files, func(name, text string) error {
			filled, err := wrap(name, text)
			if err != nil || filled == text {
				return err
			}
			return os.WriteFile(filepath.Join(folder, name), []byte(filled), 0o666)
		})
	}
	n, err := check(files, os.Stdout)
	if err == nil && n > 0 {
		err = fmt.Errorf("%d findings; go run ./internal/style -w fills long lines, sentences are yours", n)
	}
	return err
}

// skipped are folders at the root that programs fill.
var skipped = []string{"build", "runs", "results"}

// each visits the files that are checked.
func each(files fs.FS, visit func(name, text string) error) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			hidden := name != "." && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".ci"
			if hidden || entry.Name() == "testdata" || slices.Contains(skipped, name) {
				return fs.SkipDir
			}
			return nil
		}
		kinds := []string{".md", ".go", ".cu", ".cuh", ".cc", ".h"}
		if !slices.Contains(kinds, path.Ext(name)) || name == "internal/style/banned.go" {
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return visit(name, string(text))
	})
}

// check writes the findings of all files, and returns their number.
func check(files fs.FS, out io.Writer) (n int, err error) {
	err = each(files, func(name, text string) error {
		all, err := findings(name, text)
		slices.SortFunc(all, func(a, b finding) int {
			return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.says, b.says))
		})
		for _, f := range all {
			fmt.Fprintf(out, "%s:%d: %s\n", name, f.line, f.says)
		}
		n += len(all)
		return err
	})
	return n, err
}

// findings are those of one file.
func findings(name, text string) ([]finding, error) {
	switch path.Ext(name) {
	case ".md":
		return markdown(text), nil
	case ".go":
		return goSource(name, text)
	}
	return cudaSource(text), nil
}

// writtenBy is what a Markdown file starts with that a program writes: its source is to be changed
// instead.
var writtenBy = regexp.MustCompile(`\A# .*\n\nWritten by `)

// wrap is a file with its long paragraphs filled.
func wrap(name, text string) (string, error) {
	switch path.Ext(name) {
	case ".md":
		if writtenBy.MatchString(text) {
			return text, nil
		}
		return wrapMarkdown(text), nil
	case ".go":
		if generated, err := isGenerated(name, text); err != nil || generated {
			return text, err
		}
		filled, err := format.Source([]byte(wrapGo(name, text)))
		return string(filled), err
	}
	return wrapCUDA(text), nil
}
