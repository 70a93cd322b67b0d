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
