package options

import (
	"fmt"
	"strings"
	"testing"
)

// Flags that do not fit frequencies in closed form are refused.
func TestSpectraOptions(t *testing.T) {
	for _, test := range []struct{ options, want string }{
		{"--local-reparam false", "--set local-reparam: it has no effect " +
			"with spectra var-integrated"},
		{"--spectra var-integrated --features-kernel arccos1", "--spectra: var-integrated " +
			"integrates cosines and sines"},
		{"--local-reparam true", ""},
		{"--local-reparam false --spectra var-fixed", ""},
		{"--features-kernel arccos1", ""},
		{"--preset paper --spectra var-integrated", ""},
		{"--spectra var-fixed-all-each", ""},
		{"--model gp", ""},
		{"--features-kernel arccos1 --w-cov full", "--set w-cov: full is for spectra var-integrated"},
		{"--spectra var-fixed --w-cov full", "--set w-cov: full is for spectra"},
		{"--likelihood student-t --objective predictive", "--set objective: predictive is for the likelihood gaussian"},
		{"--model gp --objective predictive", ""},
	} {
		t.Run(test.options, func(t *testing.T) {
			c, err := Resolve(nil, flags(strings.Fields(test.options)...))
			if got := fmt.Sprint(err); test.want == "" && err != nil || !strings.Contains(got, test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if err != nil {
				return
			}
			// A run's own config.yaml holds every option, and repeats the run.
			again, err := Resolve(mustParse(t, string(c.YAML())), nil)
			if err != nil {
				t.Errorf("from its config.yaml: %v", err)
			} else if again.Spectra != c.Spectra || again.LocalReparam != c.LocalReparam || again.Skip != c.Skip {
				t.Errorf("from its config.yaml: spectra %s, want %s", again.Spectra, c.Spectra)
			}
		})
	}
}

// An option of a file that does not fit a flag has no effect.
func TestObjectiveOfFile(t *testing.T) {
	file := mustParse(t, "objective: predictive\nw-cov: full\n")
	for options, want := range map[string]string{
		"":                       Predictive,
		"--likelihood student-t": ELBO,
		"--spectra var-fixed":    ELBO,
	} {
		c, err := Resolve(file, flags(strings.Fields(options)...))
		if err != nil || c.Objective != want {
			t.Errorf("%q: objective %s, want %s: %v", options, c.Objective, want, err)
		}
	}
}
