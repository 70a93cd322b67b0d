// These tests run the program on files of its users.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The program reads the users' tables in the folder GPDRF_CASES.
func TestCasesTables(t *testing.T) {
	dir := os.Getenv("GPDRF_CASES")
	if dir == "" {
		t.Skip("set GPDRF_CASES to the folder of the cases to read their tables")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("GPDRF_CASES: %v", err)
	}
	quick := []string{"--model", "gp", "--steps", "3"}
	for _, c := range []struct {
		train, predict string
		flags          []string
		says           string // expected text of training, or else of the predictions
	}{
		{"bool_json_vs_csv.csv", "bool_json_vs_csv.jsonl", []string{"--model", "gp", "--steps", "100", "--seed", "1"},
			`(?m)^1\.[23]\d*,.*\n0?\.[34]\d*,`},
		{"leading_zeros.csv", "", quick, `"zip" is text and becomes 4 inputs`},
		{"na_target.csv", "", quick, `134 rows without a target left out, 266 stay`},
		{"na_target.csv", "", append(quick, "--missing", "impute"), `134 rows without a target left out, 266 stay`},
		{"rownames_leak.csv", "", quick, `column "rownames" counts the rows`},
		{"tiny_target.csv", "", quick, `multiply the column by a power of ten`},
		{"thousands.tsv", "", quick, `found "14,510" in column "population"`},
		{"units.csv", "", quick, `"532.54 kg" is 532.54, with the unit "kg"`},
		{"minus.csv", "", quick, `54 rows of 2 inputs`},
		{"latin1_late.csv", "", quick, `latin1_late.csv:3902: is not UTF-8 text`},
		{"const_column_report_hang.csv", "", quick, `report.html`},
		{"predict-new-class-train.csv", "predict-new-class.csv", quick, `"unknown_new" is not a class`},
		{"label_train.csv", "label_new.csv", quick, `"not yet known" is not a class`},
		{"predict_csv_on_list.train.tsv", "predict_csv_on_list.new.csv",
			[]string{"--kernel", "words:1", "--test", "none", "--steps", "3"}, `this file is a table`},
	} {
		t.Run(c.train, func(t *testing.T) {
			run := t.TempDir() + "/run"
			said := gpdrfGPU(append([]string{"train", "--data", filepath.Join(dir, c.train), "--out", run}, c.flags...))
			if c.predict != "" {
				said = gpdrfGPU([]string{"predict", run, "--data", filepath.Join(dir, c.predict), "--out", "-"})
			}
			if !regexp.MustCompile(c.says).MatchString(said) {
				t.Errorf("%s: expected %s in\n%s", c.train, c.says, said)
			}
		})
	}
}

// gpdrfGPU runs the program and returns its output.
func gpdrfGPU(args []string) string {
	cmd := exec.Command("gpdrf-gpu", args...)
	cmd.Env = append(os.Environ(), "GPDRF_CUDA_DRIVER=none")
	said, err := cmd.CombinedOutput()
	if err != nil {
		said = append(said, err.Error()...)
	}
	return string(said)
}

// TestCasesOfSequences runs the program on the users' files in the folder GPDRF_CASES.
func TestCasesOfSequences(t *testing.T) {
	folder := os.Getenv("GPDRF_CASES")
	if _, err := os.Stat(filepath.Join(folder, "fasta-comment.fa")); folder == "" || err != nil {
		t.Skip("GPDRF_CASES names no folder with such files")
	}
	const train = "train --out %s/run --test none --steps 2 --inducing 3 --data "
	for _, c := range []struct{ command, want string }{
		{"info fasta-comment.fa", "1 comment line, the first on line 1"},
		{"info fastq.fastq", "80 sequences of 60 to 66 symbols (mean 62.9), alphabet dna"},
		{"info fasta-dna-gaps.fa", "alphabet dna"},
		{"info fasta-trailing-space.fa", "alphabet dna"},
		{"info fasta-trailing-tab.fa", "alphabet dna"},
		{"info dna_hard_masked.fa", "alphabet dna"},
		{"info dna_x_masked.fa", "alphabet dna"},
		{"info dna_blocks.fa", "alphabet dna"},
		{"info rna_aligned.fa", "alphabet dna"},
		{"info fasta-uniprot-labels.fa --labels fasta-uniprot-labels.tsv", `classes "neg", "pos"`},
		{"info fasta_tab_header.fa --labels fasta_tab_header.tsv", `classes "a", "b"`},
		{train + "text-tab-label.tsv", "80 different words in 80 rows, so they are not classes"},
		{train + "sdf-units.sdf --target activity", "60 different words in 60 rows, so they are not classes"},
		{train + "sequence-na.csv --sequence seq", `the column "seq" lacks 1 sequence`},
		{"info sequence-na.csv --sequence seq --missing drop", "80 rows"},
		{"info sequence-missing-drop.csv --sequence seq --missing drop", "80 rows"},
		{"info smiles_title.csv --sequence smiles", "3 graphs of 3 nodes"},
		{"info skip_bad_smiles.missing.csv --sequence smiles --missing drop", "1 row with missing cells left out"},
		{"info sdf-empty-name.sdf --target activity", "60 rows"},
		{"info sdf-gt-value.sdf --target activity", "60 rows"},
		{"info sdf-missing-item.sdf --target activity --missing drop", "6 rows without a target left out, 54 stay"},
		{train + "sdf_partly_labelled.train.sdf --target logP --kernel wl:1", "training"},
	} {
		command := strings.ReplaceAll(c.command, "%s", t.TempDir())
		run := exec.Command("gpdrf-gpu", strings.Fields(command)...)
		run.Dir = folder
		if said, _ := run.CombinedOutput(); !strings.Contains(string(said), c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.command, said, c.want)
		}
	}
}
