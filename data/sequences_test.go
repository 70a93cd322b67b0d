package data

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// show writes alphabet, texts and targets of a set.
func show(d *Dataset) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", d.Sequences.Alphabet.Kind)
	for i := range d.N() {
		b.WriteString(" " + strings.ReplaceAll(d.Sequences.Alphabet.Text(d.Sequences.At(i)), " ", "_"))
		switch {
		case d.Labels != nil && d.Labels[i] < 0:
			b.WriteString("=?")
		case d.Labels != nil:
			b.WriteString("=" + d.Classes[d.Labels[i]])
		case d.Y != nil:
			b.WriteString("=" + phrase.Number(d.Y[i]))
		}
	}
	return b.String()
}

// TestSequenceForms reads sequences in every form; what belongs together has one fingerprint.
func TestSequenceForms(t *testing.T) {
	const protein = "MKVLAAGIVG"
	first := ""
	for _, c := range []struct{ name, text, want string }{
		{"FASTA", ">1\nACGT\n>0\nggcaN\n>1\nAC\n>0\nTT\n", "dna: ACGT=1 GGCAN=0 AC=1 TT=0"},
		{"blanks before the first header", "\n  >1\nACGT\n>0\nGGCAN\n>1\nAC\n>0\nTT\n",
			"dna: ACGT=1 GGCAN=0 AC=1 TT=0"},
		{"tabs before a comment and a header", "\t# made\n\t>1\nACGT\n>0\nGGCAN\n>1\nAC\n>0\nTT\n",
			"dna: ACGT=1 GGCAN=0 AC=1 TT=0"},
		{"lines", "1\tACGT\n0\tGGCAN\n1\tAC\n0\tTT\n", "dna: ACGT=1 GGCAN=0 AC=1 TT=0"},
		{"gzip", zipped(">1\nACGT\n>0\nGGCAN\n>1\nAC\n>0\nTT"), "dna: ACGT=1 GGCAN=0 AC=1 TT=0"},
		{"CRLF, BOM, several lines",
			"\xef\xbb\xbf\r\n>1\r\nAC\r\n\r\nGT\r\n>0 \r\nGGC\r\nA\r\nN\r\n>1\r\nAC\r\n>0\r\nTT\r\n",
			"dna: ACGT=1 GGCAN=0 AC=1 TT=0"},
		{"header of lines", "Label\tSequence\n1\tACGT\n\n0\tGGCAN\n1\tAC\n0\tTT", "dna: ACGT=1 GGCAN=0 AC=1 TT=0"},
		{"names", ">a b|1\nACGT\n>c|1|0\nGGCAN\n>|1\nAC\n>d|0\nTT\n", "dna: ACGT=1 GGCAN=0 AC=1 TT=0"},

		{"comments", "# made\n;by hand\n>1\n; of it\nAC\n# more\nGT\n>0\nGGCAN\n>1\nAC\n>0\nTT\n",
			"dna: ACGT=1 GGCAN=0 AC=1 TT=0"},
		{"comments before FASTQ", "# made\n;by hand\n  @a\tb|1\nACGT\n+\nIIII\n@c|0\nGGCAN\n+\n#####\n" +
			"@|1\nAC\n+\nII\n@d|0\nTT\n+\n@@\n", "dna: ACGT=1 GGCAN=0 AC=1 TT=0"},
		{"blanks at line ends", ">1 \nAC \nGT\t\n>0\t\nGGCAN \n>1\nAC\t \n>0\nTT\n", "dna: ACGT=1 GGCAN=0 AC=1 TT=0"},
		{"hashtags", ">b\n#new you?\n>a\nsee you!\n>b\nall\n", "bytes: #new_you?=b see_you!=a all=b"},
		{"words as classes", ">bird\n" + protein + "\n>ant\n" + protein + "\n>bird\nMK\n>ant\nMK\n",
			"protein: MKVLAAGIVG=bird MKVLAAGIVG=ant MK=bird MK=ant"},
		{"classes with a gap", "-1\tMKVL\n7\tMKAL\n-1\tVG\n7.0\tVV\n", "protein: MKVL=-1 MKAL=7 VG=-1 VV=7"},
		{"numbers", ">0.5\n" + protein + "\n>1e1\nMK\n", "protein: MKVLAAGIVG=0.5 MK=10"},
		{"many whole numbers", ">5\n" + protein + "\n>3\nMK\n>8\nMK\n", "protein: MKVLAAGIVG=5 MK=3 MK=8"},
		{"integers", "1\t4 991 1023\n2\t7\n1\t0 0\n2\t1", "ints: 4_991_1023=1 7=2 0_0=1 1=2"},
		{"text", "spam\tBuy now, cheap!\nham\tSee you at 7.\nspam\tA\nham\té",
			"bytes: Buy_now,_cheap!=spam See_you_at_7.=ham A=spam \xc3\xa9=ham"},
		{"words and whole numbers", "1\tMKVL\nX\tVG\n1\tVV\n", "protein: MKVL=1 VG=X VV=1"},
		{"none of two", "none\tMKVL\nsome\tVG\nnone\tVV\n", "protein: MKVL=none VG=some VV=none"},
		{"one line", "1\tAC GT", "bytes: AC_GT=1"},
	} {
		d, notes, err := readText(c.text, ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := show(d); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		if d.D() != 0 || d.X != nil || d.Row(0) != nil {
			t.Errorf("%s: there are %d inputs beside the sequences", c.name, d.D())
		}
		if d.N() != d.Sequences.N() {
			t.Errorf("%s: %d rows have %d sequences", c.name, d.N(), d.Sequences.N())
		}
		if len(notes) < 2 {
			t.Errorf("%s: the notes are %q", c.name, notes)
		}
		if first == "" {
			first = d.Fingerprint
		} else if c.want[:4] == "dna:" && first != d.Fingerprint {
			t.Errorf("%s: another fingerprint", c.name)
		}
		all := make([]int, d.N())
		for i := range all {
			all[i] = i
		}
		if s := d.Subset(all); s.Fingerprint != d.Fingerprint || show(s) != c.want {
			t.Errorf("%s: the subset of all rows differs", c.name)
		}
		if d.N() == 1 {
			continue
		}
		if s := d.Subset([]int{1}); s.Fingerprint == d.Fingerprint || s.N() != 1 {
			t.Errorf("%s: a part has the fingerprint of the whole", c.name)
		}
	}
}

func TestTokens(t *testing.T) {
	for tokens, want := range map[string]string{
		"": "ints: 1_2=a 1_3=b 2=a 3=b", "auto": "ints: 1_2=a 1_3=b 2=a 3=b", "ints": "ints: 1_2=a 1_3=b 2=a 3=b",
		"chars": "bytes: 1_2=a 1_3=b 2=a 3=b", "bytes": "bytes: 1_2=a 1_3=b 2=a 3=b",
		"words": "words: 1_2=a 1_3=b 2=a 3=b",
	} {
		d, _, err := readText("a\t1 2\nb\t1 3\na\t2\nb\t3\n", ReadOptions{Tokens: tokens})
		if err != nil || show(d) != want {
			t.Errorf("%s: %v, %v", tokens, show(d), err)
		}
	}
	wantError(t, "", errorOf(readText(small, ReadOptions{Tokens: "wrods"})), strings.Contains,
		`there are no tokens "wrods": did you mean "words"?`)
}

// TestSequencesLike reads other files by the schema of a training set.
func TestSequencesLike(t *testing.T) {
	words := dataset(readText("pos\tgood film\nneg\tbad film\npos\tgood\nneg\tbad\n", ReadOptions{Tokens: "words"}))(t)
	real := dataset(readText(">0.5\nACGT\n>0.25\nACG\n", ReadOptions{}))(t)
	for _, c := range []struct {
		name, text, want string
		like             *Dataset
		optional         bool
	}{
		{"lines", "neg\tgood bad new\n", "words: good_bad_?=neg", words, false},
		{"FASTA", ">x|pos\nfilm film\n", "words: film_film=pos", words, false},
		{"no classes", "good, film\nbad film", "words: ?_film bad_film", words, true},
		{"classes, not needed", "neg\tgood\n", "words: good=neg", words, true},
		{"names of FASTA", ">first\ngood\n>second\nbad\n", "words: good bad", words, true},
		{"some classes in FASTA", ">x|pos\ngood\n>y\nbad\n", "words: good bad", words, true},
		{"some classes first", ">y\nbad\n>x|pos\ngood\n", "words: bad good", words, true},
		{"new class in FASTA", ">x|pos\ngood\n>y|other\nbad\n", "words: good bad", words, true},
		{"no class in FASTA, needed", ">x|pos\ngood\n>y\nbad\n", "", words, false},
		{"numbers", ">7\nGG\n", "dna: GG=7", real, true},
		{"names for numbers", ">seven\nGG\n", "dna: GG", real, true},
		{"fewer letters than guessed", "1.5\tAAA\n2\tAAQ\n", "", real, false},
		{"new class", "neg\tgood\nother\tbad\n", "words: good=neg bad=?", words, true},
		{"new class, needed", "neg\tgood\nother\tbad\n", "", words, false},
		{"IDX", "\x00\x00\x08\x03", "", words, false},
		{"table", small, "", words, false},
		{"no tab", "good film\nbad", "", words, false},
		{"some tabs", "neg\tgood film\nbad", "words: good_film=neg bad=?", words, true},
		{"some tabs in texts", "so\tgood film\nbad", "", words, true},
		{"text before class", "good\tneg\nbad\tpos\n", "", words, true},
		{"header", "label\ttext\nneg\tgood\n", "words: good=neg", words, true},
		{"header of another word", "kind\tphrase\nneg\tgood\npos\tbad\n", "words: good=neg bad=pos", words, true},
		{"header without classes", "text\ngood\nbad\n", "words: good bad", words, true},
		{"table of texts", "text,label\ngood film,pos\n", "", words, true},
		{"table of texts without a header", "good film,pos\nbad,neg\n", "", words, true},
		{"table of texts with numbers", "id;review\n1;good\n2;bad\n", "", words, false},
		{"table with tabs", "1\tpos\tgood\n2\tneg\tbad\n", "", words, true},
		{"texts with commas", "good, film\nbad, bad\n", "words: ?_film ?_bad", words, true},
		{"a tab before texts", "\tpos,good\n\tneg,film\n", "words: ? ?", words, true},
		{"rows in JSON", `{"text": "good"}`, "", words, true},
		{"ARFF", "@relation r\n@attribute a numeric\n@data\n1\n", "", words, true},
		{"graphs", `{"nodes": ["a"]}`, "", words, true},
	} {
		s := c.like.Schema()
		d, notes, err := readText(c.text, ReadOptions{Schema: &s, TargetOptional: c.optional})
		const ignored = "1 of its 2 sequences have a class of the model in the header: classes are ignored (line 3 has "
		some := strings.HasPrefix(c.text, ">x|pos\ngood") && c.optional
		if word := `"other")`; some != strings.Contains(strings.Join(notes, "\n"), ignored) ||
			some && strings.Contains(c.text, "other") != strings.Contains(notes[0], word) {
			t.Errorf("%s: %q", c.name, notes)
		}
		if c.want == "" {
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := show(d); got != c.want || d.HasTarget() != strings.Contains(c.want, "=") || d.Task != c.like.Task {
			t.Errorf("%s: %s, want %s; target %q", c.name, got, c.want, d.Target)
		}
	}
	for name, bad := range map[string]Schema{
		"alphabet": {Alphabet: &seq.Alphabet{Kind: "runes"}, Target: "class", Task: Regression},
		"words":    {Alphabet: &seq.Alphabet{Kind: seq.Words, Letters: 3}, Target: "class", Task: Regression},
		"target":   {Alphabet: &seq.Alphabet{Kind: seq.DNA, Letters: 4}, Task: Regression},
		"task":     {Alphabet: &seq.Alphabet{Kind: seq.DNA, Letters: 4}, Target: "class"},
		"classes": {Alphabet: &seq.Alphabet{Kind: seq.DNA, Letters: 4}, Target: "class",
			Task: Classification, Classes: []string{"a", "b", "a"}},
	} {
		if _, _, err := readText(">1\nAC\n", ReadOptions{Schema: &bad}); err == nil {
			t.Errorf("a damaged schema (%s) is accepted", name)
		}
	}
}

// TestBadSequences gives every kind of bad file and reads where it is said to be bad.
func TestBadSequences(t *testing.T) {
	many := strings.Builder{}
	for i := range 10 {
		fmt.Fprintf(&many, ">seq%d description\nACGT\n", i)
	}
	numbers, _, _ := readText(small, ReadOptions{})
	table := numbers.Schema()
	sequences, _, _ := readText(">1\nACGT\n>0\nAC\n", ReadOptions{})
	dna := sequences.Schema()
	manyNumbers := ""
	for i := range 30 {
		manyNumbers += fmt.Sprintf(">%d\nACGT\n", 7*i)
	}
	for _, c := range []struct {
		name, text, want string
		opt              ReadOptions
	}{
		{"letter", ">1\nACGTACGTACGTACGTACGT\nAC\nACGTQ\n>0\nAC\n",
			`t.csv:4:5: found "Q", not a letter of DNA (ACGTU and the IUPAC codes): correct it, or write N`,
			ReadOptions{}},
		{"letter in a line", "1\tMKVLAAGIVG\n0\tMK1L\n",
			`t.csv:2:5: found "1", not a letter of proteins: correct it, or write X`, ReadOptions{Tokens: "protein"}},
		{"integer", "1\t4 5\n0\t4 x\n", `t.csv:2:5: found "x", symbols must be whole numbers`,
			ReadOptions{Tokens: "ints"}},
		{"negative", "1\t4 5\n0\t-4 5\n", `t.csv:2:3: found "-4", symbols must be whole numbers`,
			ReadOptions{Tokens: "ints"}},
		{"empty FASTA sequence", ">1\nACGT\n>0\n\n>1\nAC", `t.csv:3:1: the sequence after ">0" is empty`,
			ReadOptions{}},
		{"last one empty", ">1\nACGT\n>0", `t.csv:3:1: the sequence after ">0" is empty`, ReadOptions{}},
		{"empty sequence", "1\tACGT N\n0\t \n", `t.csv:2:3: the sequence is empty`, ReadOptions{}},
		{"no class", ">1\nACGT\n> \nAC\n", "t.csv:3:1: the header has no class: write >CLASS or >NAME|CLASS",
			ReadOptions{}},
		{"many classes", manyNumbers, "t.csv: the labels hold 30 different values in 30 rows, too many for classes: " +
			"use the task regression; labels are the headers of FASTA", ReadOptions{Task: "classification"}},
		{"no class after the name", ">a|1\nACGT\n>b|\nAC\n", "t.csv:3:1: the header has no class", ReadOptions{}},
		{"no bar", ">a|1\nACGT\n>b\nAC\n", "t.csv:3:1: the header has no class", ReadOptions{}},
		{"names only", many.String(),
			"t.csv:1:1: the header has no class: the headers hold 10 different words in 10 sequences", ReadOptions{}},
		{"no class in any line", "\tACGT\n\tAC\n", "t.csv: lacks the sequence or its target in each", ReadOptions{}},
		{"mixed, FASTA first", ">1\nACGT\n0\tACGT\n",
			`t.csv:3:2: found a tab in the sequence after ">1": lines of class, tab and sequence cannot be mixed ` +
				`with FASTA`, ReadOptions{}},
		{"mixed, lines first", "1\tACGT\n0\tACGT\n>1\nACGT\n",
			"t.csv:3:1: found a FASTA header after lines of class, tab and sequence", ReadOptions{}},
		{"no first header", "ACGT\n>1\nACGT\n", `t.csv:1:1: found "ACGT", and FASTA headers below: write a header`,
			ReadOptions{Schema: &dna, TargetOptional: true}},
		{"texts before the tab", "a fine day\tup\nno, thanks\tdown\nso what?\tup\nall good\tup\n",
			`t.csv:1:1: found the target "a fine day": the targets hold 4 different words in 4 rows, so they are not ` +
				`classes: the classes stand after the tab, and they belong before it`, ReadOptions{}},
		{"units", "0.5 nM\tACGT\n0.7 nM\tACG\n0.9 nM\tAC\n",
			`t.csv:1:1: found the target "0.5 nM": the targets hold 3 different words in 3 rows, so they ` +
				`are not classes: write the numbers alone, without "nM"`, ReadOptions{}},
		{"FASTQ", "@a|1\r\nACGT\r\n+\r\nIIII\r\nACGT\r\n", `t.csv:5:1: found "ACGT" where a header with an @`,
			ReadOptions{}},
		{"after a comment", "; one\n>1\nACGTACGTACGT\n; two\nACGTACGTACGTQ\n", `t.csv:5:13: found "Q"`, ReadOptions{}},
		{"blank lines only", ">", `t.csv:1:1: the sequence after ">" is empty`, ReadOptions{}},
		{"class for a number", ">0.5\nAC\n>many\nACG\n",
			`t.csv:3:1: found the target "many", which must be a finite number`, ReadOptions{Task: "regression"}},
		{"infinite", ">0.5\nAC\n>inf\nACG\n>1\nA\n", `t.csv:3:1: found the target "inf"`,
			ReadOptions{Task: "regression"}},
		{"target column", ">1\nAC\n",
			`t.csv: holds sequences with their classes: leave the target column "a" out`, ReadOptions{Target: "a"}},
		{"beside vectors", ">1\nAC\n", "t.csv: is a FASTA file, the training data are vectors",
			ReadOptions{Schema: &table}},
		{"a single line first", "b\tACGT\n>a\nACGT\n",
			"t.csv:2:1: found a FASTA header after lines of class, tab and sequence", ReadOptions{}},
		{"word among fractions", "0.5\tACGT\n0.25\tAC\nhigh\tA\n",
			`t.csv:3:1: found the target "high", and others are numbers: correct it, or use the task classification`,
			ReadOptions{}},
		{"too long", ">1\n" + strings.Repeat("ACGT\n", 20000), "t.csv:13108: the file holds more than", ReadOptions{}},
	} {
		_, _, err := readText(c.text, c.opt)
		wantError(t, c.name, err, strings.HasPrefix, c.want)
	}
}

// TestTenMillionSymbols reads a long line.
func TestTenMillionSymbols(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second")
	}
	const n = 10_000_000
	path := write(t, "long.tsv", "1\t"+strings.Repeat("ACGTGACTGA", n/10)+"\n0\tACG\n")
	d := dataset(ReadFile(path, ReadOptions{}))(t)
	must.Equal(t, len(d.Sequences.At(0)), n)
}

// TestLoadSequences: training sequences among the test rows are counted.
func TestLoadSequences(t *testing.T) {
	train := write(t, "train.tsv", "1\tACGT\n0\tAC\n1\tGG\n0\tTTT\n")
	test := write(t, "test.fasta", ">1\nGG\n>0\nacgt\n>0\nTTTT\n")
	a, b, notes, err := Load(Source{Data: train, Test: test})
	must.OK(t, err)
	must.Equal(t, a.N(), 4)
	must.Equal(t, b.N(), 3)
	if want := "warning: " + test + ": 2 of the 3 sequences for testing are training sequences, too: " +
		"scores will be too good"; notes[len(notes)-1] != want {
		t.Errorf("%q", notes)
	}
	if a, b, _, err := Load(Source{Data: train, Seed: 2}); err != nil || a.N() != 3 || b.N() != 1 {
		t.Error(err)
	}
}

// FuzzReadSequences gives any bytes: no panic, and a set that is whole where there is no error.
func FuzzReadSequences(f *testing.F) {
	for _, s := range []string{">1\nACGT\n>0\nAC\n", "\t>1\nACGT\n>0\nAC\n", "1\tACGT\n0\tAC\n",
		zipped("1\t4 5 6\n2\t7"), ">a|b\r\nMKV\r\n\r\nL\r\n>c|d\nM", "label\tsequence\nx\ty", "a\t1,2;3,4\nb\t5,6",
		"@a|0\nACGT\n+\n@III\n@b|1\nAC\nGT\n+\nIIII\n", ">1\n 1 acgt acgt\n;c\n>0\nAC 10\n", "C(=O)O a\nCC\tb\n"} {
		f.Add([]byte(s), "")
		f.Add([]byte(s), "words")
		f.Add([]byte(s), "vectors")
	}
	ignored := func(BadRow) error { return nil }
	f.Fuzz(func(t *testing.T, text []byte, tokens string) {
		like := Schema{Alphabet: &seq.Alphabet{Kind: seq.DNA, Letters: 4}, Target: "class",
			Task: Classification, Classes: []string{"0", "1"}}
		for _, opt := range []ReadOptions{{Tokens: tokens}, {Schema: &like, TargetOptional: true},
			{Schema: &like, TargetOptional: true, bad: &badRows{take: ignored}},
			{TableOptions: TableOptions{Missing: MissingDrop}}} {
			d, _, err := readText(string(text), opt)
			var e *Error
			switch {
			case err != nil && !errors.As(err, &e):
				t.Fatalf("not an *Error: %v", err)
			case err == nil && d.Sequences != nil && (d.N() == 0 || d.HasTarget() && len(d.Y)+len(d.Labels) != d.N()):
				t.Fatalf("%d rows, %d + %d targets", d.N(), len(d.Y), len(d.Labels))
			}
		}
	})
}

// TestMissingSequences: rows without a label are left out. Those without a sequence or a molecule are where that was
// asked for, and errors else.
func TestMissingSequences(t *testing.T) {
	const mol = "m\n\n\n  1  0  0  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 %s   0  0\nM  END\n"
	sdf := ""
	for _, m := range [][2]string{{"C", ">  <a>\n>95%\n\n> <>\n2\n\n"}, {"O", "> <mass>\n0.5\n\n"},
		{"N", "> <mass>\n>9\n\n> <b>\n\n"},
		{"F", "> <b>\n1\n\n> <mass>\n1.5\n\n"}} {
		sdf += strings.Replace(mol, "%s", m[0], 1) + strings.Replace(m[1], ">9", "9", 1) + "$$$$\n"
	}
	for _, c := range []struct {
		name, text, want, refused, left string
		opt                             ReadOptions
	}{
		{"table", "seq,y\nACGT,1\nNA,2\nnan,3\n,4\nGGT,0.5\n", "dna: ACGT=1 GGT=0.5",
			`t.csv:3:1: the column "seq" lacks 3 sequences: --missing drop`,
			"3 rows with missing cells left out, 2 stay", ReadOptions{Sequence: "seq"}},
		{"SMILES", "smiles,y\nCCO,1\n ,2\nN/A,3\nCC,0.5\n",
			`graphs: "C"_"C"_"O"_0_1_"-"_1_2_"-"_=1 "C"_"C"_0_1_"-"_=0.5`,
			`t.csv:3:1: the column "smiles" lacks 2 sequences`, "2 rows with missing cells left out, 2 stay",
			ReadOptions{Sequence: "smiles"}},
		{"list", "a\tACGT\nb\tNA\n\tAC\nb\t\nb\tGGT\n", "dna: ACGT=a GGT=b", "t.csv:4:3: the sequence is empty",
			"1 row without a target left out, 2 stay\nt.csv: 2 rows with missing cells left out, 2 stay",
			ReadOptions{}},
		{"FASTA", ">a\nACGT\n>b\n>b\nGGT\n", "dna: ACGT=a GGT=b", `t.csv:3:1: the sequence after ">b" is empty`,
			"1 row with missing cells left out, 2 stay", ReadOptions{}},
		{"SDF", sdf, `graphs: "O"_=0.5 "N"_=9 "F"_=1.5`, "",
			"1 row without a target left out, 3 stay", ReadOptions{Target: "mass"}},
		{"graphs", `{"nodes":["C"],"edges":[],"label":"a"}` + "\n" + `{"nodes":["N"],"edges":[]}` + "\n" +
			`{"nodes":["O"],"edges":[],"label":"b"}`, `graphs: "C"_=a "O"_=b`,
			"", "1 row without a target left out, 2 stay", ReadOptions{}},
	} {
		_, _, err := readText(c.text, c.opt)
		if (err == nil) != (c.refused == "") || err != nil && !strings.HasPrefix(err.Error(), c.refused) {
			t.Errorf("%s: %v, want %s", c.name, err, c.refused)
		}
		c.opt.Missing = MissingDrop
		d, notes, err := readText(c.text, c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := show(d); got != c.want || !strings.Contains(strings.Join(notes, "\n"), "t.csv: "+c.left) {
			t.Errorf("%s: %s %q, want %s", c.name, got, notes, c.want)
		}
	}
}
