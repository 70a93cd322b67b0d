package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
		{train + "text-tab-label.tsv", "80 different words in 80 rows, so they are no classes"},
		{train + "sdf-units.sdf --target activity", "60 different words in 60 rows, so they are no classes"},
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
