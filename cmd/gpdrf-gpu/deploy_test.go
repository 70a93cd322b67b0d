// This test reads the files for clusters.

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// The files for Slurm and Kubernetes are valid, and use existing flags only.
func TestDeployFiles(t *testing.T) {
	files, err := filepath.Glob("../../docs/deploy/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q, %v", files, err)
	}
	known := map[string]bool{}
	for _, f := range trainFlags() {
		known[f.name] = true
	}
	calls := regexp.MustCompile(`gpdrf-gpu,? train(.*)`)
	flags := regexp.MustCompile(`--([a-z-]+)`)
	for _, path := range append(files, "../../docs/scaling.md") {
		text := must.Get(os.ReadFile(path))(t)
		found := calls.FindAllSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s: no command", path)
		}
		for _, call := range found {
			for _, flag := range flags.FindAllSubmatch(call[1], -1) {
				if !known[string(flag[1])] {
					t.Errorf("%s: %s: there is no flag --%s", path, call[0], flag[1])
				}
			}
		}
		if filepath.Ext(path) == ".yaml" {
			var any map[string]any
			if err := yaml.Unmarshal(text, &any); err != nil || any["kind"] == nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}
