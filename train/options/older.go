package options

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/model"
)

// removed are options of older versions. A config file that switches one of them off is read as if
// it did not name it, since older versions wrote all options to config.yaml.
var removed = map[string]struct {
	off   []string // the values that change nothing
	since string
	why   string
}{
	"antithetic": {words("false 0"), "0.2.0", "pairs of samples were no better than independent ones"},
	"sampling":   {words("iid"), "0.2.0", "samples that depend on each other were no better than independent ones"},
	"ema":        {words("0"), "0.2.0", "the average of the parameters was no better than the last of them"},
	"orthogonal": {words("false 0"), "0.2.0", "orthogonal frequencies were no better than independent ones"},
	"mean": {words("zero"), "0.2.0",
		"a linear mean between layers was no better than feeding the input to each layer"},
}

// RemovedOption says what became of an option of older versions; "" for other words.
func RemovedOption(key string) string {
	switch o, ok := removed[key]; {
	case ok:
		return fmt.Sprintf("was removed in version %s: %s", o.since, o.why)
	case key == "distances":
		return "was removed in version 0.2.0: a table is used if it fits the memory: leave it out"
	case key == "fixed-noise" || key == "share-spectra":
		return "is part of spectra since version 0.2.0: give one of " + strings.Join(model.SpectraTreatments(), ", ")
	}
	return ""
}

// renew puts settings of older versions into those of today. A setting that asked for what was
// removed is a *usage.Error.
func renew(settings []Setting) (kept []Setting, err error) {
	given := map[string]Setting{}
	for _, s := range settings {
		if o, ok := removed[s.Key]; ok && !slices.Contains(o.off, s.Text) {
			return nil, s.errorf("%q %s: leave the line out to train without it", s.Text, RemovedOption(s.Key))
		}
		if RemovedOption(s.Key) == "" {
			kept = append(kept, s)
		}
		given[s.Key] = s
	}
	return renewSpectra(kept, given)
}

// renewSpectra joins fixed-noise and share-spectra with spectra, which may be that of the preset.
func renewSpectra(kept []Setting, given map[string]Setting) ([]Setting, error) {
	spectra, own := given["spectra"]
	if !own {
		spectra = Setting{"spectra", defaults().Spectra, ""}
		for _, s := range presetSettings(given["preset"].Text) {
			if s.Key == "spectra" {
				spectra.Text = s.Text
			}
		}
	}
	said := false
	value := func(key string, otherwise bool, values map[string]bool) (bool, error) {
		s, ok := given[key]
		if !ok {
			return otherwise, nil
		}
		v, known := values[s.Text]
		if !known {
			return false, s.errorf("%q is not one of its values: it %s", s.Text, RemovedOption(key))
		}
		said, spectra.From = true, cmp.Or(spectra.From, s.From)
		return v, nil
	}
	all, err := value("fixed-noise", strings.Contains(spectra.Text, model.AllNoise),
		map[string]bool{"all": true, "spectra": false})
	if err != nil {
		return nil, err
	}
	share, err := value("share-spectra", !strings.HasSuffix(spectra.Text, model.EachSample),
		map[string]bool{"true": true, "1": true, "false": false, "0": false})
	joined := model.JoinSpectra(model.Treatment(spectra.Text), all, share)
	if err != nil || !said || joined == spectra.Text {
		return kept, err
	}
	spectra.Text = joined
	if i := slices.IndexFunc(kept, func(s Setting) bool { return s.Key == "spectra" }); i >= 0 {
		kept[i] = spectra
		return kept, nil
	}
	return append(kept, spectra), nil
}

// WithoutRemoved drops what was removed: a run that has ended is what its model file says.
func WithoutRemoved(settings []Setting) []Setting {
	return slices.DeleteFunc(settings, func(s Setting) bool { _, gone := removed[s.Key]; return gone })
}

// WithOffsets is the Config of a resumed run whose model is in the file named from. Where the run
// began before the option class-offsets existed, the model stays as it is.
func (c *Config) WithOffsets(m *model.Config, from string) *Config {
	if c.Explicit("class-offsets") {
		return c
	}
	settled := c.copy()
	settled.ClassOffsets, settled.explicit["class-offsets"] = m.ClassOffsets, from
	return settled
}
