package data

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// limits keep a hostile or mistaken file from taking all memory.
type limits struct {
	text   int64 // bytes of text, after decompression
	record int64 // bytes of one row
	cells  int64 // numbers kept: N·(D+1)
}

// fileLimits allow a table of 4 GiB in memory, which is more than the engine can train on. They stop a gzip bomb long
// before it fills a disk.
func fileLimits() limits {
	return limits{text: 16 << 30, record: 64 << 20, cells: 512 << 20}
}

const headSize = 64 << 10 // headSize is the number of bytes that tell the kind of a file

var (
	errTextLimit   = errors.New("text limit")
	errRecordLimit = errors.New("record limit")
)

// open undoes gzip, and checks that a file is text unless its format is not.
func (in *input) open() (err error) {
	if in.bytes, in.head, err = unzipped(in.name, in.src); err != nil {
		return err
	}
	if isIDX(in.head) || isNpy(in.head) || isZip(in.head) || isColumns(in.head) {
		return nil
	}
	return in.text()
}

// unzipped undoes gzip, and removes a byte order mark. It returns the reader and the first bytes of the content.
func unzipped(name string, r io.Reader) (*bufio.Reader, []byte, error) {
	br := bufio.NewReaderSize(r, headSize)
	if magic, _ := br.Peek(2); string(magic) == "\x1f\x8b" {
		gz, err := gzip.NewReader(br)
		if err != nil {
			return nil, nil, readError(name, err)
		}
		br = bufio.NewReaderSize(gz, headSize)
	}
	head, err := br.Peek(headSize)
	if bytes.HasPrefix(head, []byte(byteOrderMark)) {
		br.Discard(3)
		head = head[3:]
	}
	if len(head) == 0 {
		if err == io.EOF {
			return nil, nil, errorf(name, "is empty: a table with at least one row is needed")
		}
		return nil, nil, readError(name, err)
	}
	return br, head, nil
}

// text refuses data that are not text.
func (in *input) text() error {
	what := notText(in.head)
	switch {
	case strings.Contains(what, "UTF-"):
		return in.errorf("%s: save it as UTF-8", what)
	case what != "":
		if err := zeroBytes(in.name, in.head, 1); err != nil && err.Line > 1 {
			return err
		}
		known := mapSlice(formats(), func(f format) string { return f.what })
		slices.Reverse(known)
		last := len(known) - 1
		return in.errorf("%s: give %s or %s, plain or gzip", what, strings.Join(known[:last], ", "), known[last])
	}
	if bad, line := badRune(in.head); bad >= 0 && utf8.FullRune(in.head[bad:]) {
		return notUTF8(in.name, line, in.head[bad])
	}
	if bytes.IndexByte(in.head, '\n') < 0 && bytes.IndexByte(in.head, '\r') >= 0 {
		// old computers end lines with \r
		in.bytes = bufio.NewReaderSize(&replacingReader{in.bytes, '\r', '\n'}, headSize)
		in.head, _ = in.bytes.Peek(len(in.head))
	}
	in.bytes = bufio.NewReaderSize(&utf8Reader{src: in.bytes, name: in.name, line: 1}, headSize)
	return nil
}

// headRows is the least number of lines in the first bytes of a table, and maxHead the largest number of these bytes.
const (
	headRows = 3
	maxHead  = 16 << 20
)

// someRows returns the first bytes of a table. There are more of them if its rows are so long that the usual number
// holds too few rows to tell names from cells.
func (in *input) someRows() []byte {
	head := in.head
	for size := 2 * headSize; size <= maxHead && len(head) >= headSize/2 &&
		bytes.Count(head, []byte{'\n'}) < headRows; size *= 2 {
		in.bytes = bufio.NewReaderSize(in.bytes, size)
		more, _ := in.bytes.Peek(size)
		if len(more) == len(head) {
			break
		}
		head = more
	}
	return head
}

// replacingReader is a text in which one byte replaces another.
type replacingReader struct {
	src     io.Reader
	old, by byte
}

func (r *replacingReader) Read(b []byte) (int, error) {
	n, err := r.src.Read(b)
	for i, c := range b[:n] {
		if c == r.old {
			b[i] = r.by
		}
	}
	return n, err
}

// blankRowReader turns the blank lines of a table of one column into rows, whose cell is an empty one in quotes. Blank
// lines above a header or after the last row are unchanged.
type blankRowReader struct {
	src          *bufio.Reader
	comments     bool  // lines that start with # do not belong to the table
	beforeHeader bool  // the header has not come yet
	most         int64 // largest number of held bytes
	partial      bool  // the last piece was not a whole line
	quoted       bool  // the last piece ended inside a quoted cell
	err          error

	held  []byte // blank lines and comments, which become rows if a row follows
	ready []byte
}

func (b *blankRowReader) Read(to []byte) (n int, err error) {
	for len(b.ready) == 0 && b.err == nil {
		b.fill()
	}
	if len(b.ready) == 0 {
		return 0, b.err
	}
	n = copy(to, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// fill takes a line, or a piece of a long one.
func (b *blankRowReader) fill() {
	line, err := b.src.ReadSlice('\n')
	begins := !b.partial && !b.quoted
	if b.partial = errors.Is(err, bufio.ErrBufferFull); !b.partial {
		b.err = err
	}
	switch {
	case int64(len(b.held)) > b.most:
		b.err = errRecordLimit
	case begins && !b.partial && len(bytes.TrimSpace(line)) == 0 && !b.beforeHeader:
		b.held = append(b.held, "\"\"\n"...)
	case begins && b.comments && bytes.HasPrefix(line, []byte("#")):
		b.held = append(b.held, line...)
	default:
		b.beforeHeader = b.beforeHeader && len(bytes.TrimSpace(line)) == 0
		b.quoted = b.quoted != (bytes.Count(line, []byte(`"`))%2 == 1)
		b.ready = append(b.held, line...)
		b.held = b.held[:0]
	}
}

// notText describes bytes that are not UTF-8 text; it is "" for text.
func notText(head []byte) string {
	for _, known := range []struct{ magic, what string }{
		{"ARROW1", "is an Arrow file"},
		{"\x28\xb5\x2f\xfd", "is compressed with zstd"},
		{"BZh", "is compressed with bzip2"},
		{"\xfd7zXZ", "is compressed with xz"},
		{"\x1f\x8b", "is compressed twice"},
		{"\xff\xfe", "is UTF-16 text"},
		{"\xfe\xff", "is UTF-16 text"},
	} {
		if bytes.HasPrefix(head, []byte(known.magic)) {
			return known.what
		}
	}
	if bytes.IndexByte(head, 0) >= 0 { // words may hold other control characters, which an editor has left
		return "is not text (byte 0x00 near its start)"
	}
	return ""
}

// readError distinguishes damage of the file, which is bad input, from a failure of the machine.
func readError(name string, err error) error {
	switch {
	case errors.As(err, new(*Error)):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{File: name, Msg: "the gzip data end too early: the file was cut short, fetch it again", Err: err}
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, new(flate.CorruptInputError)):
		return &Error{File: name, Err: err,
			Msg: "the gzip data are damaged, or other bytes follow: fetch the file again"}
	}
	return &readFailure{name, err}
}

// readFailure is an error of the machine, not of the file.
type readFailure struct {
	name string
	err  error
}

func (e *readFailure) Error() string { return e.name + ": reading failed: " + cause(e.err) }
func (e *readFailure) Unwrap() error { return e.err }

// guardReader stops a text or a row that exceeds its limit. The reader of rows moves the mark to the start of each row.
type guardReader struct {
	src        io.Reader
	limits     limits
	read, mark int64
}

func (g *guardReader) Read(p []byte) (int, error) {
	switch {
	case g.read > g.limits.text:
		return 0, errTextLimit
	case g.read-g.mark > g.limits.record:
		return 0, errRecordLimit
	}
	n, err := g.src.Read(p)
	g.read += int64(n)
	return n, err
}

// eachLine visits the lines of a text without their ends, with their numbers, up to most bytes. No line has more than
// longest bytes. It reads no further than the last line. The next line overwrites a line.
func (in *input) eachLine(most, longest int64, visit func(number int, line []byte) error) error {
	var line []byte
	read := int64(0)
	for number := 1; ; number++ {
		err := bufio.ErrBufferFull
		line = line[:0]
		for errors.Is(err, bufio.ErrBufferFull) && read <= most && int64(len(line)) <= longest {
			var piece []byte
			piece, err = in.bytes.ReadSlice('\n')
			line = append(line, piece...)
			read += int64(len(piece))
		}
		switch {
		case read > most:
			return tooLong(in.name, most, number)
		case int64(len(line)) > longest:
			return in.errorAt(position{line: number}, "the line is longer than %s: write each row on a line of its own",
				humanize.IBytes(uint64(longest)))
		case err != nil && err != io.EOF:
			return readError(in.name, err)
		case len(line) == 0:
			return nil
		}
		text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if stop := visit(number, text); stop != nil || err == io.EOF {
			return stop
		}
	}
}

func tooLong(file string, most int64, line int) error {
	return errorAt(file, position{line: line}, "the file holds more than %s of text up to here: too large for memory, "+
		"take a part of it", humanize.IBytes(uint64(most)))
}

// zeroBytes returns an error about the first byte 0x00 of a text that begins in a line; nil without one.
func zeroBytes(name string, text []byte, line int) *Error {
	at := bytes.IndexByte(text, 0)
	if at < 0 {
		return nil
	}
	line += bytes.Count(text[:at], []byte{'\n'})
	if len(bytes.Trim(text[at:], "\x00\r\n")) == 0 {
		return errorAt(name, position{line: line}, "the file goes on with bytes 0x00, as after a power cut or on a "+
			"full disk: write it again, or remove the line")
	}
	return errorAt(name, position{line: line}, zeroByte+": correct the line, or write the file again")
}

// utf8Reader passes a text on, and stops at bytes that are not UTF-8, or 0x00.
type utf8Reader struct {
	src  io.Reader
	name string
	line int    // line at the end of the text that was passed on
	part []byte // start of a rune that may continue
}

func (u *utf8Reader) Read(to []byte) (int, error) {
	n, err := u.src.Read(to)
	text := to[:n]
	if len(u.part) > 0 {
		text = append(u.part, text...)
	}
	bad, line := badRune(text)
	zeros := zeroBytes(u.name, text, u.line)
	switch {
	case zeros != nil:
		return 0, zeros
	case bad < 0:
		bad = len(text)
		u.part = nil
	case err == nil && !utf8.FullRune(text[bad:]):
		u.part = slices.Clone(text[bad:])
	case err != nil && err != io.EOF && !utf8.FullRune(text[bad:]):
		return 0, err // the failure has cut the rune
	default:
		return 0, notUTF8(u.name, u.line+line-1, text[bad])
	}
	u.line += bytes.Count(text[:bad], []byte{'\n'})
	return n, err
}

// badRune finds the position and the line, from 1, of the first bytes that are not UTF-8; −1 if there are none.
func badRune(text []byte) (at, line int) {
	if utf8.Valid(text) {
		return -1, 0
	}
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at, 1 + bytes.Count(text[:at], []byte{'\n'})
}

func notUTF8(name string, line int, c byte) error {
	return errorAt(name, position{line: line}, "is not UTF-8 text (byte 0x%02x): save it as UTF-8, as by "+
		"iconv -f latin1 -t utf-8 FILE", c)
}
