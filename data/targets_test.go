package data

import (
	"slices"
	"strings"
	"testing"
)

// What a data set says about its target reads it again, since a run's config.yaml says it: also
// where no column has a name.
func TestOwnTarget(t *testing.T) {
	x, y := npy("<f8", "4, 2", []float64{1, 2, 3, 4, 5, 6, 7, 9}), npy("<f8", "4, 2", []float64{1, 0, 0, 1, 0, 2, 1, 3})
	t.Chdir(folderOf(t, map[string]string{
		"head.csv": "a,b,c\n1,2,0\n3,4,1\n5,6,0\n7,9,1\n", "bare.csv": "1,2,0\n3,4,1\n5,6,0\n7,9,1\n",
		"rows.svm": "1 1:2\n-1 2:1\n1 1:3\n-1 2:4\n",
		"images":   idx(pixels(24), 4, 2, 3), "labels": idx([]byte{1, 0, 1, 0}, 4),
		"table.npy": npy("<f8", "4, 3", []float64{1, 2, 0, 3, 4, 1, 5, 6, 0, 7, 9, 1}),
		"x.npy":     x, "y.npy": y, "answers.npy": npy("<i8", "4,", []int64{1, 0, 1, 0}),
		"a.npz": zipOf("x.npy", x, "y.npy", y), "seq.fasta": ">a\nAC\n>b\nCC\n>a\nAA\n>b\nCA\n",
	}))
	for _, c := range []struct{ file, asked, labels, target string }{
		{"head.csv", "", "", "c"}, {"head.csv", "3,1", "", "c,a"}, {"bare.csv", "", "", "x2"},
		{"bare.csv", "1,3", "", "x0,x2"},
		{"rows.svm", "", "", "label"}, {"images", "", "labels", "label"}, {"seq.fasta", "", "", "class"},
		{"table.npy", "", "", "x2"}, {"table.npy", "3,1", "", "x2,x0"}, {"x.npy", "", "", "y0,y1"},
		{"x.npy", "", "answers.npy", "label"}, {"a.npz", "", "", "y0,y1"},
	} {
		first, _, err := ReadFile(c.file, ReadOptions{Target: c.asked, Labels: c.labels})
		if err != nil || first.Target != c.target {
			t.Errorf("%s: %+v, %v", c.file, first, err)
			continue
		}
		again, _, err := ReadFile(c.file, ReadOptions{Target: first.Target, Task: string(first.Task), Labels: c.labels})
		if err != nil || again.Fingerprint != first.Fingerprint || again.Target != first.Target ||
			!slices.Equal(again.Outputs(), first.Outputs()) {
			t.Errorf("%s again: %+v, %v", c.file, again, err)
		}
	}
	for _, c := range []struct{ file, asked, labels, want string }{
		{"rows.svm", "y", "",
			`rows.svm: is a LIBSVM file: its target is the first number of each line: leave the target column "y" ` +
				`out; the name here is label`},
		{"images", "y0,y1", "labels", "labels: holds 1 target per row: leave the target column"},
		{"x.npy", "2", "", "x.npy: is an array of inputs, and its targets are in another file"},
		{"x.npy", "y0,y1,y2", "",
			`y.npy: holds 2 targets per row: leave the target column "y0,y1,y2" out; the name here is y0,y1`},
		{"a.npz", "label", "", `a.npz(y.npy): holds 2 targets per row: leave the target column "label" out`},
		{"table.npy", "x3", "", `table.npy: has no column "x3" to be the target`},
	} {
		if _, _, err := ReadFile(c.file, ReadOptions{Target: c.asked, Labels: c.labels}); err == nil ||
			!strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s, %s: %v", c.file, c.asked, err)
		}
	}
}
