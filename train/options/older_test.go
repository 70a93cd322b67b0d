package options

import (
	"strings"
	"testing"
)

// A config file of an older version may name an option that was removed, where it does not use it.
func TestRemovedOptions(t *testing.T) {
	read := func(text string) (*Config, error) {
		settings, err := ParseYAML("f", []byte(text))
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
		"antithetic: true": `f:1:13: antithetic: "true" was removed in version 0.2.0: ` +
			`pairs of samples were no better than independent ones: leave the line out`,
		"sampling: qmc":                    `f:1:11: sampling: "qmc" was removed in version 0.2.0`,
		"steps: 3\nema: 0.99":              `f:2:6: ema: "0.99" was removed in version 0.2.0`,
		"orthogonal: true":                 `f:1:13: orthogonal: "true" was removed in version 0.2.0`,
		"mean: linear":                     `f:1:7: mean: "linear" was removed in version 0.2.0`,
		"orthogonal: false\northogonal: 0": `f:2:1: key "orthogonal" is already on line 1`,
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
		settings, err := ParseYAML("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Resolve(settings, nil)
		if err != nil || c.Spectra != want {
			t.Errorf("%q: %v, expected spectra %s", text, err, want)
			continue
		}
		again, err := ParseYAML("f", c.YAML())
		if err != nil {
			t.Fatal(err)
		}
		if c, err = Resolve(again, nil); err != nil || c.Spectra != want {
			t.Errorf("%q: its own file gives %v", text, err)
		}
	}
	settings, err := ParseYAML("f", []byte("spectra: var-fixed\nfixed-noise: some"))
	if err == nil {
		_, err = Resolve(settings, nil)
	}
	if err == nil || !strings.Contains(err.Error(),
		`f:2:14: fixed-noise: "some" is not one of its values: it is part of spectra since version 0.2.0`) {
		t.Error(err)
	}
}
