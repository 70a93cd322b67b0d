package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/bench/plots"
)

const distancesPicture = "docs/images/bhattacharyya.png"

// paperDistances returns the figures of the paper's table of Bhattacharyya distances: the means over right and wrong
// rows.
func paperDistances(set, model string) (right, wrong string) {
	figures := map[string][2]string{
		"eeg gp": {"37.41", "6.37"}, "eeg drf": {"6.16", "2.19"}, "eeg gpdrf": {"110.52", "5.45"},
		"mnist gp": {"18.85", "0.79"}, "mnist drf": {"0.31", "0.18"}, "mnist gpdrf": {"50.17", "4.65"},
		"music gp": {"0.89", "0.21"}, "music drf": {"1.40", "0.97"}, "music gpdrf": {"0.99", "0.21"},
	}[set+" "+model]
	return figures[0], figures[1]
}

// predictDistances predicts the test rows of a run by themselves, and counts their distances.
func predictDistances(binary, run, testRows string) (*plots.Bins, error) {
	file := filepath.Join(run, "test.csv")
	cmd := exec.Command(binary, "predict", run, "--data",
		filepath.Join(os.Getenv("GPDRF_DATA"), testRows), "--out", file)
	if err := runLogged(cmd); err != nil {
		return nil, err
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return countDistances(in)
}

// countDistances reads predictions of rows whose target is known. A row without a distance is left out.
func countDistances(in io.Reader) (*plots.Bins, error) {
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, err
	}
	label, target, distance := slices.Index(rows[0], "label"), slices.Index(rows[0], "target"),
		slices.Index(rows[0], "bhattacharyya")
	if min(label, target, distance) < 0 {
		return nil, fmt.Errorf("the columns %q are not those of predictions with a target", rows[0])
	}
	bins := plots.NewBins(-4, 6, 8)
	for _, row := range rows[1:] {
		if row[distance] == "" {
			continue
		}
		d, err := strconv.ParseFloat(row[distance], 64)
		if err != nil {
			return nil, err
		}
		bins.Add(d, row[label] == row[target])
	}
	return bins, nil
}

// picturedSets returns the sets of the picture: sets with the distances of every row of every model.
func picturedSets(all recordsByName) (out []set) {
	for _, s := range sets() {
		ok := s.rows != ""
		for _, m := range models() {
			records, complete := all.complete(s.rowsOf(m))
			ok = ok && complete && !slices.ContainsFunc(records, func(m *record) bool { return m.Distances == nil })
		}
		if ok {
			out = append(out, s)
		}
	}
	return out
}

// drawDistances writes the picture, with a line for each model and a column for each set.
func drawDistances(all recordsByName) error {
	sets := picturedSets(all)
	if len(sets) == 0 {
		return nil
	}
	var panels [][]plots.Panel
	for _, m := range models() {
		var line []plots.Panel
		for _, s := range sets {
			records, _ := all.complete(s.rowsOf(m))
			var bins []*plots.Bins
			for _, r := range records {
				bins = append(bins, r.Distances)
			}
			line = append(line, plots.Panel{Title: modelNames[m] + " on " + s.title(), Bins: plots.Sum(bins)})
		}
		panels = append(panels, line)
	}
	return writeFile(distancesPicture,
		func(w io.Writer) error { return plots.Histograms(w, "Bhattacharyya distance", panels) })
}

// distancesPage returns the page that compares our means with the paper's.
func distancesPage(all recordsByName, words notes) string {
	const heading = "Bhattacharyya distances"
	var b strings.Builder
	title(&b, heading)
	fmt.Fprintf(&b, "%s\n\n", words[heading])
	b.WriteString("| set | model | right: paper | here | wrong: paper | here | AUROC " +
		"|\n|---|---|---|---|---|---|---|\n")
	for _, s := range sets() {
		for _, m := range models() {
			if s.rows == "" {
				continue
			}
			right, wrong := paperDistances(s.name, m)
			ours := [3]string{none, none, none}
			if records, ok := all.complete(s.rowsOf(m)); ok {
				ours = pooledDistances(records)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", s.title(), modelNames[m], right,
				ours[0], wrong, ours[1], ours[2])
		}
	}
	if len(picturedSets(all)) > 0 {
		fmt.Fprintf(&b, "\n![Histograms of the distances of right and wrong rows](%s)\n",
			strings.Replace(distancesPicture, "docs/", "../", 1))
	}
	return b.String()
}

// pooledDistances returns the mean distances of the right and of the wrong rows of all folds, and the mean AUROC over
// the folds that have it.
func pooledDistances(records []*record) (out [3]string) {
	var sum, count [3]float64
	for _, r := range records {
		wrong, _ := value(r.Test, "error")
		n := float64(r.NTest)
		for i, kind := range []struct {
			key    string
			weight float64
		}{{"correct", n * (1 - wrong)}, {"wrong", n * wrong}, {"auroc", 1}} {
			if v, ok := value(r.Test, "bhattacharyya", kind.key); ok {
				sum[i] += v * kind.weight
				count[i] += kind.weight
			}
		}
	}
	for i, decimals := range []int{2, 2, 3} {
		out[i] = none
		if count[i] > 0 {
			out[i] = fmt.Sprintf("%.*f", decimals, sum[i]/count[i])
		}
	}
	return out
}
