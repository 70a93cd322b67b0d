package data

import (
	"fmt"
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
	must.Equal(t, dataset(readText(strings.ReplaceAll(plain, ">", "LABEL>"), ReadOptions{}))(t).Fingerprint,
		want.Fingerprint)
}

// Headers that count the sequences are names, whatever the task: training and tests need targets, and predictions have
// none.
func TestNumberedHeaders(t *testing.T) {
	const counted = ">1\nACGT\n>2\nAC\n>3\nGG\n"
	numbers := dataset(readText(">a|1\nACGT\n>b|2\nAC\n>c|4\nGG\n", ReadOptions{}))(t)
	classes := dataset(readText(strings.Repeat(counted, 2), ReadOptions{}))(t)
	must.Equal(t, fmt.Sprint(len(numbers.Y), len(classes.Classes)), "3 3")
	regression, classification := numbers.Schema(), classes.Schema()
	for _, opt := range []ReadOptions{{}, {Task: "regression"}, {Task: "classification"}, {Schema: &regression},
		{Schema: &classification}} {
		_, _, err := readText(counted, opt)
		wantError(t, counted, err, strings.HasPrefix, "t.csv:1:1: the header has no class: the headers number the "+
			"sequences")
	}
	for _, text := range []string{">1\nACGT\n>2\nAC\n>4\nGG\n", ">a|07\nACGT\n>b|08\nAC\n>c|09\nGG\n"} {
		for _, opt := range []ReadOptions{{}, {Schema: &regression}} {
			must.Equal(t, len(dataset(readText(text, opt))(t).Y), 3)
		}
	}
	for _, like := range []*Schema{&regression, &classification} {
		ds := dataset(readText(counted, ReadOptions{Schema: like, TargetOptional: true}))(t)
		must.Equal(t, ds.HasTarget(), false)
	}
}
