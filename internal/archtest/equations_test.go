package archtest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// labels are the labels of all equations of the paper, in its order.
var labels = strings.Fields(`
	kernel_ard rf_ard deepgp_lth rfdnn_lth rfdnn_lth_vec rfdnn_fwd
	our_P(F) our_lik our_full_lik post_orig
	inf_q inf_qW inf_qOmega inf_qF inf_q_each ineq_elbo elbo ell_n qF_anj qF_Bnj
	reparam_W reparam_Omega reparam_F ell_n_estim
	pred_ys pred_ys_mc`)

// The headings of docs/equations.md whose tables are read here.
const (
	withLabel   = "Equation, function, operation"
	withoutCode = "Labels without code of their own"
	noLabel     = "What the paper says without a label"
)

var code = regexp.MustCompile("`([^`]+)`")

// quoted returns the words between backquotes.
func quoted(text string) (words []string) {
	for _, match := range code.FindAllStringSubmatch(text, -1) {
		words = append(words, match[1])
	}
	return words
}

// tableUnder returns the cells of the first table below a heading, without its head.
func tableUnder(t *testing.T, text, heading string) (rows [][]string) {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("no heading %q", heading)
	}
	inside := false
	for _, line := range strings.Split(rest, "\n") {
		if !strings.HasPrefix(line, "|") {
			if inside || strings.HasPrefix(line, "## ") {
				break
			}
			continue
		}
		inside = true
		var cells []string
		for _, c := range strings.Split(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(c))
		}
		rows = append(rows, cells)
	}
	if len(rows) < 3 {
		t.Fatalf("no table below the heading %q", heading)
	}
	return rows[2:]
}

// cites reports whether a text names a label as a whole word: rfdnn_lth is not in
// "rfdnn_lth_vec".
func cites(text, label string) bool {
	return regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(label) + `(\W|$)`).MatchString(text)
}

func TestEquations(t *testing.T) {
	m := load(t)
	all := m.declarations(t)
	ops := operations(m)
	family := map[string]string{}
	for name := range all {
		parts := strings.Split(name, ".")
		if len(parts) == 3 && parts[0] == "device" && slices.Contains(ops, parts[2]) {
			family[parts[2]] = name
		}
	}
	text := read(t, "docs/equations.md")
	found := map[string]bool{}
	for _, row := range tableUnder(t, text, withLabel) {
		if len(row) != 4 {
			t.Errorf("row %q has %d cells, expected label, meaning, function, operation", row[0], len(row))
			continue
		}
		var docs []string
		for _, name := range quoted(row[2]) {
			d, ok := all[name]
			if !ok {
				t.Errorf("%s: there is no %s", row[0], name)
				continue
			}
			docs = append(docs, d.doc, d.file.text)
		}
		for _, op := range quoted(row[3]) {
			if !slices.Contains(ops, op) {
				t.Errorf("%s: device.Device has no operation %s", row[0], op)
				continue
			}
			docs = append(docs, all[family[op]].doc)
		}
		if len(quoted(row[2])) == 0 {
			t.Errorf("%s: no function is named", row[0])
		}
		for _, label := range quoted(row[0]) {
			if !slices.Contains(labels, label) {
				t.Errorf("the paper has no equation %s", label)
			}
			if found[label] {
				t.Errorf("%s stands twice", label)
			}
			found[label] = true
			if !slices.ContainsFunc(docs, func(d string) bool { return cites(d, label) }) {
				t.Errorf("%s: neither the files of %v nor the comments of %v cite it", label,
					quoted(row[2]), quoted(row[3]))
			}
		}
	}
	for _, row := range tableUnder(t, text, withoutCode) {
		for _, label := range quoted(row[0]) {
			if !slices.Contains(labels, label) || found[label] {
				t.Errorf("%s: not a label of the paper, or in both tables", label)
			}
			found[label] = true
		}
	}
	for _, label := range labels {
		if !found[label] {
			t.Errorf("docs/equations.md does not speak of %s", label)
		}
	}
	for _, row := range tableUnder(t, text, noLabel) {
		for _, name := range quoted(row[1]) {
			if _, ok := all[name]; !ok {
				t.Errorf("%s: there is no %s", row[0], name)
			}
		}
	}
}

func TestCites(t *testing.T) {
	for _, c := range []struct {
		text, label string
		want        bool
	}{
		{"rfdnn_lth_vec with rf_ard", "rfdnn_lth", false},
		{"rfdnn_lth_vec with rf_ard", "rf_ard", true},
		{"GP(0, k_j) (our_P(F)) with", "our_P(F)", true},
		{"(elbo)", "elbo", true},
		{"ineq_elbo", "elbo", false},
		{"ell_n_estim.", "ell_n", false},
		{"// ell_n_estim.", "ell_n_estim", true},
	} {
		if got := cites(c.text, c.label); got != c.want {
			t.Errorf("%q cites %s: %v", c.text, c.label, got)
		}
	}
}
