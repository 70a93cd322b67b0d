package model

import (
	"encoding/json"
	"fmt"
)

// RemovedError says that a model was trained with something that this version no longer has.
type RemovedError struct {
	What  string // the option and its value
	Since string // the first version without it
}

func (e *RemovedError) Error() string {
	return fmt.Sprintf("a model with %s, which was removed in version %s", e.What, e.Since)
}

// joinSpectra is a treatment of Ω with what it freezes and what its samples share, which were
// options of their own before version 0.2.0.
func joinSpectra(treatment string, allNoise, share bool) string {
	if treatment == VarIntegrated || treatment == "" {
		return treatment
	}
	if allNoise && treatment == VarFixed {
		treatment += AllNoise
	}
	if !share {
		treatment += EachSample
	}
	return treatment
}

// UnmarshalJSON reads a configuration, also one that an older version has written. A trained model
// does not depend on how training drew its samples. Orthogonal frequencies are ordinary parameters,
// except where PRIOR-FIXED kept them beside the model.
func (c *Config) UnmarshalJSON(text []byte) error {
	type plain Config
	older := struct {
		*plain
		FixedNoise   string `json:"fixed_noise"`
		ShareSpectra *bool  `json:"share_spectra"`
		Orthogonal   bool   `json:"orthogonal"`
		Mean         string `json:"mean"`
	}{plain: (*plain)(c)}
	if err := json.Unmarshal(text, &older); err != nil {
		return err
	}
	switch {
	case older.Mean == "linear":
		return &RemovedError{"mean linear", "0.2.0"}
	case older.Orthogonal && c.Spectra == PriorFixed:
		return &RemovedError{"orthogonal frequencies of spectra prior-fixed", "0.2.0"}
	}
	if older.ShareSpectra != nil {
		c.Spectra = joinSpectra(c.Spectra, older.FixedNoise == "all", *older.ShareSpectra)
	}
	return nil
}
