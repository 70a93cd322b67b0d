package data

import (
	"bytes"
	"strings"
)

// isFASTQ: a header with an @, lines of letters, and a line with a +, which may lie behind the head
// of a file with long reads.
func isFASTQ(head []byte) bool {
	header, rest, _ := bytes.Cut(head, []byte("\n"))
	behind := bytes.TrimLeft(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*.-\r\n")
	return bytes.HasPrefix(header, []byte("@")) && len(behind) < len(rest) &&
		(bytes.HasPrefix(behind, []byte("+")) || len(behind) == 0 && len(head) >= headSize/2)
}

// readFASTQ reads sequences with a quality for each symbol: a header as of FASTA behind an @, lines
// of symbols, a line with a +, and lines of as many qualities. Qualities do not count.
func readFASTQ(in *input) (*table, error) {
	t := &texts{name: in.name}
	var headers []string
	plus, missing := 0, 0 // the line of the +; the qualities that are still to come
	wrong := func(at, found int) error {
		return t.errorAt(place{at, 1}, "found %s for the %s after %s: every symbol needs one",
			plural(found, "quality character"), plural(t.symbols(), "symbol"), quote("@"+headers[len(headers)-1]))
	}
	err := in.eachLine(func(number int, line []byte) error {
		line = bytes.TrimRight(line, " \t")
		switch {
		case plus > 0 && (missing > 0 || len(line) == 0):
			if missing -= len(line); missing < 0 {
				return wrong(number, t.symbols()-missing)
			}
		case (headers == nil || plus > 0) && len(line) > 0:
			if line[0] != '@' {
				return t.errorAt(place{number, 1}, "found %s where a header with an @ belongs", quote(string(line)))
			}
			t.close()
			headers, plus = append(headers, strings.TrimSpace(string(line[1:]))), 0
			t.where, t.at = append(t.where, place{number, 1}), append(t.at, place{number + 1, 1})
		case len(line) > 0 && line[0] == '+':
			plus, missing = number, t.symbols()
		default:
			t.text = append(append(t.text, line...), '\n')
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case plus == 0:
		return nil, t.errorAt(t.where[len(headers)-1],
			"the sequence after %s has no qualities: write a line with a + and as many qualities as symbols",
			quote("@"+headers[len(headers)-1]))
	case missing > 0:
		return nil, wrong(plus, t.symbols()-missing)
	}
	t.close()
	t.note("FASTQ: the qualities are not used")
	return t.finishFASTA(in, headers)
}

// symbols is how many the sequence has that was read last.
func (t *texts) symbols() (n int) {
	from := 0
	if len(t.end) > 0 {
		from = t.end[len(t.end)-1]
	}
	text := t.text[from:]
	return len(text) - bytes.Count(text, []byte("\n"))
}
