package usererror

import "testing"

func TestShellWord(t *testing.T) {
	for _, c := range []struct{ word, system, want string }{
		{"runs/a", "linux", "runs/a"},
		{"", "linux", "''"},
		{"it's", "linux", `'it'\''s'`},
		{`C:\runs`, "linux", `'C:\runs'`},
		{`C:\runs`, "windows", `C:\runs`},
		{`C:\my runs`, "windows", `"C:\my runs"`},
		{"", "windows", `""`},
	} {
		if got := shellWord(c.word, c.system); got != c.want {
			t.Errorf("%q on %s: %s, expected %s", c.word, c.system, got, c.want)
		}
	}
}

// Messages have options by their names alone, or as the command line takes them.
func TestDashOptions(t *testing.T) {
	defer func() { dashed = false }()
	for _, want := range []string{"out: is for order", "--out: is for --set order"} {
		if got := OfFlag("out", "is for %s", Key("order")).Error(); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
		DashOptions()
	}
}
