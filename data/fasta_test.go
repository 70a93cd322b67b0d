package data

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A file of sequences by its name alone lacks its headers, not columns.
func TestFASTAWithoutHeaders(t *testing.T) {
	for _, name := range []string{"a.fasta", "a.FA", "a.fq"} {
		path := filepath.Join(t.TempDir(), name)
		must.OK(t, os.WriteFile(path, []byte("ACGT\nTTGA\n"), 0o666))
		_, _, err := ReadFile(path, ReadOptions{})
		wantError(t, name, err, strings.Contains, "has no header before a sequence: write >CLASS or >NAME|CLASS")
	}
}

// Some sets of texts write LABEL before each >.
func TestLabelledHeaders(t *testing.T) {
	plain := ">1\nA cat sat.\n>0\nA dog ran.\n>1\nCats\n"
	want := dataset(readText(plain, ReadOptions{}))(t)
	if got, _, err := readText(strings.ReplaceAll(plain, ">", "LABEL>"), ReadOptions{}); err != nil ||
		got.Fingerprint != want.Fingerprint {
		t.Error(got, err)
	}
}

// Headers that count the sequences are names, whatever the task: training and tests need targets, and predictions have
// none.
func TestNumberedHeaders(t *testing.T) {
	const counted = ">1\nACGT\n>2\nAC\n>3\nGG\n"
	numbers, _, err := readText(">a|1\nACGT\n>b|2\nAC\n>c|4\nGG\n", ReadOptions{})
	classes, _, wrong := readText(strings.Repeat(counted, 2), ReadOptions{})
	if err != nil || wrong != nil || len(numbers.Y) != 3 || len(classes.Classes) != 3 {
		t.Fatal(numbers, err, classes, wrong)
	}
	regression, classification := numbers.Schema(), classes.Schema()
	for _, opt := range []ReadOptions{{}, {Task: "regression"}, {Task: "classification"}, {Schema: &regression},
		{Schema: &classification}} {
		_, _, err := readText(counted, opt)
		wantError(t, counted, err, strings.HasPrefix, "t.csv:1:1: the header has no class: the headers number the "+
			"sequences")
	}
	for _, text := range []string{">1\nACGT\n>2\nAC\n>4\nGG\n", ">a|07\nACGT\n>b|08\nAC\n>c|09\nGG\n"} {
		for _, opt := range []ReadOptions{{}, {Schema: &regression}} {
			if ds, _, err := readText(text, opt); err != nil || len(ds.Y) != 3 {
				t.Error(ds, err)
			}
		}
	}
	for _, like := range []*Schema{&regression, &classification} {
		ds, _, err := readText(counted, ReadOptions{Schema: like, TargetOptional: true})
		if err != nil || ds.HasTarget() {
			t.Error(ds, err)
		}
	}
}
