// This test compares docs/formats.md with the files of runs.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/best"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// docs/formats.md names every file, key and tensor of the golden files, and the keys that they could have.
func TestFormatsAreDocumented(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "formats.md")))(t)
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
	err := filepath.WalkDir("testdata/golden", func(path string, d fs.DirEntry, err error) error {
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
	must.OK(t, err)
	for _, part := range []any{model.Config{}, data.Schema{}, scaling.Scaler{}, scaling.TargetScale{},
		scaling.Projection{}, fitted.Conformal{}, rundir.State{}, rundir.Result{}, rundir.CV{}, best.State{}} {
		of := fmt.Sprintf("%T", part)
		fieldsOf(reflect.TypeOf(part), map[reflect.Type]bool{}, func(key string) { needs(key, of) })
	}
	for name, file := range missing {
		t.Errorf("docs/formats.md does not name `%s`, of %s", name, file)
	}
}

// tensorRow matches a row of the document with the name of a tensor.
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
	must.OK(t, json.Unmarshal(text, &root))
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

// fieldsOf calls seen with the keys of a type in JSON, at any depth; known are the types that it has visited.
func fieldsOf(of reflect.Type, known map[reflect.Type]bool, seen func(key string)) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		fieldsOf(of.Elem(), known, seen)
	case reflect.Struct:
		if known[of] {
			return
		}
		known[of] = true
		for field := range of.Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if key == "-" || key == "" && !field.Anonymous {
				continue
			}
			if key != "" {
				seen(key)
			}
			fieldsOf(field.Type, known, seen)
		}
	}
}
