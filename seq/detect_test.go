package seq

import (
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		want  Kind
		lines []string
	}{
		{DNA, []string{"ACGTACGTNN", "acgtacgt"}},
		{DNA, []string{"ACGUACGUACGUACGUACGUACGUQ"}}, // one stray symbol, which is then an error
		{DNA, []string{"ACGTACGT" + strings.Repeat("N", 40), "GGCATTAG"}},
		{DNA, []string{"ACGTACGTXXXXXXXX\nXXXXXXXX", "GGCATTAG"}},
		{DNA, []string{"AC-GU..A-CG-U", "---GGCAUUAG--"}},
		{DNA, []string{"TCAGAGTCAC CGAGTGGAGA \nGCCCGAACGA\t\nGCG", "ACGT"}},
		{DNA, []string{"        1 tcagagtcac cgagtggaga\n       61 gcccgaacga", "ACGTACGTAC 10"}},
		{DNA, []string{"ACGTRYSWKMBDHVNRYSWKM"}}, // no letter that DNA never has
		{DNA, []string{"  ACGT", "\n\nACC"}},
		{Bytes, []string{"axxa", "xaax", "xxxa"}}, // masks do not make DNA of one letter
		{Bytes, []string{"abba", "caba", "bbca"}}, // B is a code of DNA, and no base
		{Bytes, []string{"a cat", "a tag", "tata"}},
		{Bytes, []string{"..---", "-..-."}},
		{Protein, []string{"LITREQLMKIASIPLK" + strings.Repeat("X", 10) + "RKEPEYNLILDA--LENF"}},
		{Protein, []string{"LITREQLMKI ASIPLKRKEP EYNLILDALE \nNFNRDIEGTS VKEIY"}},
		{Protein, []string{"LITRE \nQLMKI \nASIPL ", "KRKEP\t"}},
		{Protein, []string{"LITREQLMKIASIPLKRKEPEYNLILDALENFNRDIEGTSVKEIYSKLSKLNELVDNYQTKYPSSGRNLALENFRDSL"}},
		{Protein, []string{"mvnsilvvcigniCrsptger"[:13], "XAFDGTWKVDRNENYEKFMEKMGINVVKRKLGAH"[:0]}},
		{Protein, []string{strings.Repeat("LITREQLMKIASIPLKRKEPEYNLILDALENFNRDIEGT", 3) + "xx"}},
		{Protein, []string{"LITREQLMKIASIPLKrkepeynlildalenfNFRDIEGTS"}}, // a mask of small letters
		{Bytes, []string{"LITrEQLMKiASIPLKRkEPEYnLILDaLENFNRdIEGTS"}},    // D-amino acids, for one
		{Protein, []string{"ACDEFGHIKLMNPQRSTVWY" + strings.Repeat("X", 60)}},
		{Bytes, []string{"ACDEFGHIKLMNPQRSTVW" + strings.Repeat("X", 60)}},
		{Protein, []string{"1 LITREQLMKI ASIPLKRKEP\n21 EYNLILDALE", "EYNLILDALE 10"}},
		{Protein, []string{"LITREQLMKIASIPLKRKEPEYNLILDALENFURDIEGTS*", "LITREQLMKIASIPLKRKEPO*"}},
		{Protein, []string{"MKVL", "GAVDE"}},
		{Bytes, []string{"HINDUSTAN LEVER PROFITS RISE FOR 1986"}},
		{Bytes, []string{"Smith", "Jones", "Dupont", "Moulin"}},
		{Bytes, []string{"hello", "world", "you", "double"}},
		{Integers, []string{"4 991 1023", "7"}},
		{Bytes, []string{"4", "7"}}, // single digits may be anything
		{Bytes, []string{""}},
	} {
		var detector AlphabetDetector
		for _, l := range c.lines {
			detector.Add([]byte(l))
		}
		if got := detector.Detect(); got != c.want {
			t.Errorf("%q: %s, want %s", c.lines, got, c.want)
		}
	}
}
