package data

import (
	"fmt"
	"strings"
	"testing"
)

// Training rows without a target are left out, whatever is said about missing inputs.
func TestNoTarget(t *testing.T) {
	const table = "a,y\n1,\n2,0.5\n3,NA\n,1.5\n"
	for _, c := range []struct{ way, y, want string }{
		{MissingDrop, "[0.5]", "2 rows without a target left out, 1 stay\nt.csv: 1 row with missing cells left out, 1 stay"},
		{MissingImpute, "[0.5 1.5]", "2 rows without a target left out, 2 stay"},
	} {
		ds, notes, err := readText(table, ReadOptions{TableOptions: TableOptions{Missing: c.way}})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(notes, "\n")
		if fmt.Sprint(ds.Y) != c.y || !strings.Contains(said, c.want) || strings.Contains(said, `"y" 2`) {
			t.Errorf("%s: %v %s", c.way, ds.Y, said)
		}
	}
	if ds, _, err := readText("a,y\n1,\n2,up\n3,down\n", ReadOptions{}); err != nil || fmt.Sprint(ds.Classes, ds.Labels) !=
		"[down up] [1 0]" {
		t.Error(ds, err)
	}
	dna := "dna,ph,y\nACGT,1,up\nAC,2,\nGG,3,down\n"
	if ds, _, err := readText(dna, ReadOptions{Sequence: "dna"}); err != nil || ds.N() != 2 {
		t.Error(ds, err)
	}
	like, _, err := readText("a,y\n2,0.5\n3,1.5\n", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := readText(table, ReadOptions{Like: throughJSON(t, like)}); err == nil ||
		!strings.Contains(err.Error(), "empty cell in column \"y\"") {
		t.Error(err)
	}
}
