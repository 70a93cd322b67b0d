package didyoumean

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"steps", "seed", "samples", "batch", "gp", "drf", "gpdrf"}
	for _, c := range []struct {
		word, want string
	}{
		{"stepz", "steps"}, {"STEPS", "steps"}, {"sample", "samples"}, {"bach", "batch"},
		{"gpdfr", "gpdrf"}, {"sede", "seed"}, {"gpd", "gp"}, {"zzz", ""}, {"", ""}, {"learning", ""},
		{"x", ""}, // one edit of one letter is no resemblance to a word of two
	} {
		got, ok := Nearest(c.word, known)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Nearest(%q) = %q, %v; want %q", c.word, got, ok, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		from, to string
		edits    int
	}{{"kitten", "sitting", 3}, {"saturday", "sunday", 3}, {"", "abc", 3}, {"abc", "", 3}, {"flaw", "lawn", 2},
		{"hlep", "help", 1}, {"setp", "steps", 2}, {"ab", "ba", 1}, {"abc", "bca", 2}} {
		if got := distance(c.from, c.to); got != c.edits {
			t.Errorf("%q to %q: %d edits, want %d", c.from, c.to, got, c.edits)
		}
	}
}

func TestHint(t *testing.T) {
	few := []string{"full", "diagonal"}
	for word, want := range map[string]string{
		"ful":  `: did you mean "full"?`,
		"nope": ": use one of full, diagonal",
	} {
		if got := Hint(word, few); got != want {
			t.Errorf("Hint(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Hint("nope", make([]string, 9)); got != "" {
		t.Errorf("a list too long to read gave %q", got)
	}
	if got := Hint("nope", nil); got != "" {
		t.Errorf("an empty list gave %q", got)
	}
}
