package cellformat

import "testing"

// A code such as 1D+2 is no number of Fortran.
func TestCodesAreNoNumbers(t *testing.T) {
	for _, code := range []string{"1D+2", "1.5D2", "1.0D", "D+02", ".D+02"} {
		if v, err := ParseNumber(code); err == nil {
			t.Errorf("%s is read as %v", code, v)
		}
	}
}
