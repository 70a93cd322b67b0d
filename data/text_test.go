package data

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// What is no UTF-8 is one error with its line, wherever it stands; runes may be cut by any reading.
func TestUTF8(t *testing.T) {
	for _, rows := range []int{1, 2000, 9000} {
		text := "town,b,y\n" + strings.Repeat("Zürich,0.5,1.5\n", rows) + "Z\xfcrich,0.25,2.5\nGenf,1,1\n"
		_, _, err := read("t.csv", strings.NewReader(text), ReadOptions{}, fileLimits())
		want := "t.csv:" + phrase.Number(float64(rows+2)) + ": is not UTF-8 text (byte 0xfc): " +
			"save it as UTF-8, as by iconv -f latin1 -t utf-8 FILE"
		if err == nil || err.Error() != want {
			t.Errorf("%d rows: %v, expected %s", rows, err, want)
		}
	}
	_, _, err := read("t.csv", strings.NewReader("a,b\n1,2\n3,Z\xc3"), ReadOptions{}, fileLimits())
	wantError(t, "", err, strings.HasPrefix, "t.csv:3: is not UTF-8")
	good := strings.Repeat("Zürich–𝔊\n", 100)
	u := &utf8Reader{src: iotest.OneByteReader(strings.NewReader(good)), line: 1}
	must.OK(t, iotest.TestReader(u, []byte(good)))
	must.Equal(t, u.line, 101)
	cut := io.MultiReader(strings.NewReader("a,b\nZ\xc3"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := io.ReadAll(&utf8Reader{src: cut, line: 1}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// Words may hold control characters, which editors and exports leave.
func TestControlCharacters(t *testing.T) {
	d, _, err := readText("town,y\nO\x1a\x1aBrien,1\n\vBern,2\nO\x1a\x1aBrien,1\n\vBern,2\n", ReadOptions{})
	must.OK(t, err)
	must.Equal(t, d.N(), 4)
}

// Bytes 0x00 are an error with their line, wherever they stand: a file that was cut by a power failure ends in them.
func TestZeroBytes(t *testing.T) {
	zeros := strings.Repeat("\x00", 4096)
	for _, rows := range []int{1, 2000, 9000} {
		text := "town,b,y\n" + strings.Repeat("Zürich,0.5,1.5\n", rows)
		for end, want := range map[string]string{
			"Genf,1," + zeros:          "the file goes on with bytes 0x00, as after a power cut",
			"Genf,\x001,1\nBern,2,2\n": "found a byte 0x00, which text does not have",
		} {
			_, _, err := read("t.csv", strings.NewReader(text+end), ReadOptions{}, fileLimits())
			wantError(t, end, err, strings.HasPrefix, fmt.Sprintf("t.csv:%d: %s", rows+2, want))
		}
	}
}

// Rows to predict may be any number: a file to train on has a bound, since it is held whole.
func TestStreamOfAnyLength(t *testing.T) {
	d := dataset(readText(small, ReadOptions{}))(t)
	rows := must.Get(OpenStream(write(t, "t.csv", small), d.Schema(), TableOptions{}, ReadControl{}, nil))(t)
	defer rows.Close()
	if most := rows.rec.guard.limits.text; most < math.MaxInt64 {
		t.Errorf("rows of %d bytes are too many", most)
	}
}
