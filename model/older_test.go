package model

import (
	"encoding/json"
	"errors"
	"testing"
)

// A model of an older version is read where this version has all its parts, and refused by name
// where not.
func TestOlderConfig(t *testing.T) {
	const drf = `{"model":"drf","inputs":3,"outputs":1,"likelihood":"gaussian","samples":2,` +
		`"layers":2,"features":4,"hidden":2,"fixed_noise":"spectra",`
	for text, what := range map[string]string{
		drf + `"spectra":"var-integrated","orthogonal":true,"sampling":"qmc","mean":"zero"}`: "",
		drf + `"spectra":"var-fixed","orthogonal":true}`:                                     "",
		drf + `"spectra":"prior-fixed","orthogonal":true}`: "orthogonal frequencies of " +
			"spectra prior-fixed",
		drf + `"spectra":"var-fixed","mean":"linear"}`: "mean linear",
	} {
		var c Config
		err := json.Unmarshal([]byte(text), &c)
		var gone *RemovedError
		if what == "" && (err != nil || c.Validate() != nil || c.Layers != 2) || what != "" &&
			(!errors.As(err, &gone) || gone.What != what) {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
	}
}

// What a model of an older version froze, and what its samples shared, is part of the treatment.
func TestOlderSpectra(t *testing.T) {
	for text, want := range map[string]string{
		`{"model":"gp","share_spectra":false}`:                                   "",
		`{"spectra":"var-integrated","fixed_noise":"all","share_spectra":false}`: "var-integrated",
		`{"spectra":"prior-fixed","fixed_noise":"all","share_spectra":true}`:     "prior-fixed",
		`{"spectra":"var-resampled","fixed_noise":"all","share_spectra":false}`:  "var-resampled-each",
		`{"spectra":"var-fixed","fixed_noise":"spectra","share_spectra":true}`:   "var-fixed",
		`{"spectra":"var-fixed","fixed_noise":"spectra","share_spectra":false}`:  "var-fixed-each",
		`{"spectra":"var-fixed","fixed_noise":"all","share_spectra":true}`:       "var-fixed-all",
		`{"spectra":"var-fixed","fixed_noise":"all","share_spectra":false}`:      "var-fixed-all-each",
		`{"spectra":"var-fixed-all-each"}`:                                       "var-fixed-all-each",
	} {
		var c Config
		if err := json.Unmarshal([]byte(text), &c); err != nil || c.Spectra != want {
			t.Errorf("%s: spectra %q, %v, expected %q", text, c.Spectra, err, want)
		}
	}
}
