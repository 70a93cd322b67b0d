package data

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A warning names each column that tells the target exactly, where there are rows enough to know.
func TestLeakWarnings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers, words := "a,same,far,near,y\n", "a,word,part,kind\n"
	for i := range 60 {
		a, y := random.NormFloat64(), random.NormFloat64()
		numbers += fmt.Sprintf("%g,%g,%.6f,%g,%g\n", a, y, 1.8*y+32, y+a/1000, y)
		k := i * i % 11 % 3
		words += fmt.Sprintf("%g,%s,%s,%s\n", a, []string{"r", "g", "b"}[k], []string{"r", "g", "g"}[k],
			[]string{"red", "green", "blue"}[k])
	}
	short := func(text string) string { return strings.Join(strings.SplitAfter(text, "\n")[:20], "") }
	for _, c := range []struct {
		text string
		want []string
	}{
		{numbers, []string{"same", "far"}}, {short(numbers), nil}, {words, []string{"word"}}, {short(words), nil},
	} {
		_, _, notes, err := Load(Source{Data: write(t, "t.csv", c.text), Test: NoTest})
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(notes, "\n")
		if n := strings.Count(all, "tells the target exactly"); n != len(c.want) {
			t.Errorf("%d warnings in %s", n, all)
		}
		for _, name := range c.want {
			if !strings.Contains(all, fmt.Sprintf("warning: the column %q tells the target exactly: leave it out "+
				"(of a table by --ignore %s) if new rows will not have it", name, name)) {
				t.Errorf("no warning of %s in %s", name, all)
			}
		}
	}
}
