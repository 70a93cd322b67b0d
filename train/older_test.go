package train

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
)

// A config file of an older version may name an option that was removed, where it does not use it.
func TestRemovedOptions(t *testing.T) {
	read := func(text string) (*Config, error) {
		settings, err := parseConfig("f", []byte(text))
		if err != nil {
			return nil, err
		}
		return Resolve(settings, nil)
	}
	c, err := read("antithetic: false\nsampling: iid\nema: 0\northogonal: false\nmean: zero\nsamples: 3")
	if err != nil || c.Samples != 3 {
		t.Errorf("%+v, %v", c, err)
	}
	for text, want := range map[string]string{
		"antithetic: true":                 `f:1:13: antithetic: "true" was removed in version 0.2.0, since pairs of samples did no better than independent ones: leave the line out`,
		"sampling: qmc":                    `f:1:11: sampling: "qmc" was removed in version 0.2.0`,
		"steps: 3\nema: 0.99":              `f:2:6: ema: "0.99" was removed in version 0.2.0`,
		"orthogonal: true":                 `f:1:13: orthogonal: "true" was removed in version 0.2.0`,
		"mean: linear":                     `f:1:7: mean: "linear" was removed in version 0.2.0`,
		"orthogonal: false\northogonal: 0": `f:2:1: key "orthogonal" stands in line 1 already`,
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What older versions wrote beside spectra is part of it, that of a preset included.
func TestOlderSpectra(t *testing.T) {
	for text, want := range map[string]string{
		"spectra: var-fixed\nfixed-noise: all\nshare-spectra: false":      "var-fixed-all-each",
		"fixed-noise: all\nshare-spectra: true\nspectra: var-fixed":       "var-fixed-all",
		"spectra: var-fixed\nfixed-noise: spectra\nshare-spectra: 1":      "var-fixed",
		"spectra: var-integrated\nfixed-noise: all\nshare-spectra: false": "var-integrated",
		"spectra: prior-fixed\nshare-spectra: false":                      "prior-fixed-each",
		"preset: paper\nshare-spectra: true":                              "var-resampled",
		"preset: paper\nfixed-noise: all":                                 "var-resampled-each",
		"preset: cutajar\nfixed-noise: all":                               "var-fixed-all",
		"share-spectra: false\ndistances: steps":                          "var-integrated",
	} {
		settings, err := parseConfig("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Resolve(settings, nil)
		if err != nil || c.Spectra != want {
			t.Errorf("%q: %v, expected spectra %s", text, err, want)
			continue
		}
		again, err := parseConfig("f", c.YAML())
		if err != nil {
			t.Fatal(err)
		}
		if c, err = Resolve(again, nil); err != nil || c.Spectra != want {
			t.Errorf("%q: its own file gives %v", text, err)
		}
	}
	settings, err := parseConfig("f", []byte("spectra: var-fixed\nfixed-noise: some"))
	if err == nil {
		_, err = Resolve(settings, nil)
	}
	if !strings.Contains(errorText(err), `f:2:14: fixed-noise: "some" is not one of its values: it is part of spectra since version 0.2.0`) {
		t.Error(err)
	}
}

// A run on sequences that was killed before there were class offsets goes on without them.
func TestResumeOlderRun(t *testing.T) {
	set := genes(t, 60, 1)
	dir := t.TempDir()
	folder, err := NewFolder(filepath.Join(dir, "whole"), "d", "gpdrf")
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "killed")
	c := config(t, "kernel=spectrum:2 inducing=9 features=7 batch=17 steps=30 checkpoint-every=20 class-offsets=false")
	complete(t, &Job{Config: c}, set, folder, func() {
		if err := os.CopyFS(at, os.DirFS(filepath.Join(dir, "whole"))); err != nil {
			t.Fatal(err)
		}
	})
	rewrite(t, filepath.Join(at, CheckpointFile), strings.NewReplacer(
		"\nfeed-forward:", "\nantithetic: false\nfeed-forward:", "\nclass-offsets: false", "", "\nfeed-forward: false", "\nfeed-forward: true"))
	goOn(t, at, set)
	sameRun(t, filepath.Join(dir, "whole"), at)
}

// rewrite changes the config in a checkpoint.
func rewrite(t *testing.T, path string, change *strings.Replacer) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	metadata, tensors, err := safetensors.Read(strings.NewReader(string(text)), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	before := maps.Clone(metadata)
	metadata[metaConfig] = change.Replace(metadata[metaConfig])
	if metadata[metaConfig] == before[metaConfig] {
		t.Fatal("the config is as it was")
	}
	delete(metadata, safetensors.ChecksumKey)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := safetensors.Write(f, metadata, tensors); err != nil {
		t.Fatal(err)
	}
}
