package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
)

// docs/formats.md names every file, key and tensor of the golden files.
func TestFormatsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(string(text), -1) {
		named = append(named, quoted[1])
	}
	missing := map[string]string{}
	needs := func(name, file string) {
		if !slices.Contains(named, name) {
			missing[name] = file
		}
	}
	err = filepath.WalkDir("testdata/golden", func(path string, d fs.DirEntry, err error) error {
		folder := filepath.Base(filepath.Dir(path))
		if err != nil || d.IsDir() || folder == "rows" || folder == "predictions" || d.Name() == "make.sh" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		needs(d.Name(), path)
		switch filepath.Ext(path) {
		case ".json", ".jsonl":
			for line := range bytes.Lines(content) {
				if filepath.Ext(path) == ".json" {
					line = content
				}
				keysOf(t, line, func(key string) { needs(key, path) })
			}
		case ".safetensors":
			metadata, tensors, err := safetensors.Read(bytes.NewReader(content), int64(len(content)))
			if err != nil {
				return err
			}
			for key, value := range metadata {
				needs(key, path)
				if strings.HasPrefix(value, "{") {
					keysOf(t, []byte(value), func(key string) { needs(key, path) })
				}
			}
			for _, x := range tensors {
				needs(tensorRow(x.Name), path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range missing {
		t.Errorf("docs/formats.md does not name `%s`, of %s", name, file)
	}
}

// tensorRow is how the document writes the name of a tensor.
func tensorRow(name string) string {
	name = regexp.MustCompile(`^member\.\d+\.`).ReplaceAllString(name, "")
	name = regexp.MustCompile(`^drf\.\d+`).ReplaceAllString(name, "drf.L")
	name = regexp.MustCompile(`^sequences\.\d+`).ReplaceAllString(name, "sequences.T")
	return regexp.MustCompile(`table\.\d+`).ReplaceAllString(name, "table.N")
}

// keysOf calls seen with each key of JSON at any depth, except the labels of classes.
func keysOf(t *testing.T, text []byte, seen func(key string)) {
	t.Helper()
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				if seen(key); key != "predicted" {
					walk(inner)
				}
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(root)
}
