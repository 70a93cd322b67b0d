package data

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// limits keep a hostile or mistaken file from taking all memory.
type limits struct {
	text   int64 // bytes of text, after decompression
	record int64 // bytes of one row
	cells  int64 // numbers kept: N·(D+1)
}

// fileLimits allow a table of 4 GiB in memory, which is more than the engine can train on. They
// stop a gzip bomb long before it fills a disk.
func fileLimits() limits {
	return limits{text: 16 << 30, record: 64 << 20, cells: 512 << 20}
}

const headSize = 64 << 10 // bytes looked at to tell what a file is

var (
	errTextLimit   = errors.New("text limit")
	errRecordLimit = errors.New("record limit")
)

// openFile opens a regular file or a pipe for reading.
func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{File: path, Msg: "there is no such file", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return nil, &Error{File: path, Msg: "may not be read: check its permissions", Err: err}
	case err != nil:
		return nil, &Error{File: path, Msg: "cannot be opened: " + cause(err), Err: err}
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, errorf(path, "is a folder: give a file, or a folder of graphs, which has one file DS_A.txt")
	}
	return f, nil
}

// cause is the message of a path error without operation and path, which are known.
func cause(err error) string {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// unzipped undoes gzip. It returns the reader and the first bytes of what is in it.
func unzipped(name string, r io.Reader) (*bufio.Reader, []byte, error) {
	br := bufio.NewReaderSize(r, headSize)
	if magic, _ := br.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		gz, err := gzip.NewReader(br)
		if err != nil {
			return nil, nil, readError(name, err)
		}
		br = bufio.NewReaderSize(gz, headSize)
	}
	head, err := br.Peek(headSize)
	if len(head) == 0 {
		if err == io.EOF {
			return nil, nil, errorf(name, "is empty: a table with at least one row is needed")
		}
		return nil, nil, readError(name, err)
	}
	return br, head, nil
}

// text takes the byte order mark away and refuses what is no text. It returns its first bytes.
func (in *input) text() ([]byte, error) {
	head := in.head
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		in.bytes.Discard(3)
		head = head[3:]
	}
	what := notText(head)
	switch {
	case strings.Contains(what, "UTF-"):
		return nil, errorf(in.name, "%s: save it as UTF-8", what)
	case what != "":
		return nil, errorf(in.name, "%s: give %s, plain or gzip", what, knownFormats())
	}
	if bad, line := badRune(head); bad >= 0 && utf8.FullRune(head[bad:]) {
		return nil, notUTF8(in.name, line, head[bad])
	}
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		in.bytes = bufio.NewReaderSize(&oldLines{in.bytes}, headSize)
		head, _ = in.bytes.Peek(len(head))
	}
	in.bytes = bufio.NewReaderSize(&utf8Text{src: in.bytes, name: in.name, line: 1}, headSize)
	return head, nil
}

// headRows is how many lines the first bytes of a table hold at least, and mostHead how many bytes
// these are at most.
const (
	headRows = 3
	mostHead = 16 << 20
)

// someRows are the first bytes of a table, or more of them where its rows are so long that they
// hold too few to tell names from cells.
func (in *input) someRows(head []byte) []byte {
	for size := 2 * headSize; size <= mostHead && len(head) >= headSize/2 &&
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

// oldLines are lines that end in a carriage return alone.
type oldLines struct{ src io.Reader }

func (o *oldLines) Read(b []byte) (int, error) {
	n, err := o.src.Read(b)
	for i, c := range b[:n] {
		if c == '\r' {
			b[i] = '\n'
		}
	}
	return n, err
}

// notText says what the bytes are where they are no UTF-8 text, and "" where they are.
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
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			return "is not text (byte 0x" + hex2(c) + " near its start)"
		}
	}
	return ""
}

func hex2(c byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[c>>4], digits[c&15]})
}

// readError tells damage of the file, which is bad input, from a failing machine.
func readError(name string, err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, new(*Error)):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{File: name, Msg: "the gzip data end too early: the file was cut short, fetch it again", Err: err}
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return &Error{File: name, Msg: "the gzip data are damaged: fetch the file again", Err: err}
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

// guard stops a text or a row that grows beyond its limit. The reader of rows moves
// the mark to the start of each row.
type guard struct {
	src        io.Reader
	limits     limits
	read, mark int64
}

func (g *guard) Read(p []byte) (int, error) {
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

// Watch is who waits for files that are read. The zero Watch waits to the end and hears nothing.
type Watch struct {
	Context context.Context // reading stops soon after it ends; nil: never
	Piped   *Piped          // keeps standard input for another reading; nil: there is none
	// hears how many bytes of a file are read; total is 0 where it is not known
	Progress func(read, total int64)
}

// stopped is why reading has to stop, nil if it has not.
func (w Watch) stopped(path string) error {
	if w.Context == nil || w.Context.Err() == nil {
		return nil
	}
	return fmt.Errorf("%s: reading was stopped: %w", path, context.Cause(w.Context))
}

// watched is a file that the user waits for. The end of the context also ends the wait for a pipe.
type watched struct {
	Watch
	file        *os.File
	read, total int64
	release     func() bool
}

// open opens a regular file, a pipe or standard input for reading, from its start.
func (w Watch) open(path string) (*watched, error) {
	f, err := w.file(path)
	if err != nil {
		return nil, err
	}
	r := &watched{Watch: w, file: f, release: func() bool { return true }}
	if info, err := f.Stat(); err == nil {
		r.total = info.Size()
	}
	if w.Context != nil {
		r.release = context.AfterFunc(w.Context, func() { f.SetReadDeadline(time.Unix(1, 0)) })
	}
	return r, nil
}

func (w Watch) file(path string) (*os.File, error) {
	if path == standardInput {
		p := w.Piped
		if p == nil {
			p = &Piped{}
		}
		return p.open(w.Context)
	}
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return f, nil
	}
	defer f.Close()
	return spool(w.Context, f)
}

func (r *watched) Read(b []byte) (int, error) {
	return r.passed(func() (int, error) { return r.file.Read(b) })
}

func (r *watched) ReadAt(b []byte, at int64) (int, error) {
	return r.passed(func() (int, error) { return r.file.ReadAt(b, at) })
}

// passed reads unless it was stopped, and reports its progress.
func (r *watched) passed(read func() (int, error)) (int, error) {
	if err := r.stopped(r.file.Name()); err != nil {
		return 0, err
	}
	n, err := read()
	r.read += int64(n)
	if r.Progress != nil {
		at := r.read
		if r.total > 0 {
			at = min(at, r.total)
		}
		r.Progress(at, r.total)
	}
	return n, err
}

// Seek counts again from the start.
func (r *watched) Seek(offset int64, whence int) (int64, error) {
	at, err := r.file.Seek(offset, whence)
	if at == 0 {
		r.read = 0
	}
	return at, err
}

// plainSize is how many bytes the file of an input has, 0 where that is not known or says nothing
// of what gzip hides in it.
func (in *input) plainSize() int64 {
	r, ok := in.src.(*watched)
	if !ok {
		return 0
	}
	var magic [2]byte
	if n, _ := r.file.ReadAt(magic[:], 0); n == 2 && magic == [2]byte{0x1f, 0x8b} {
		return 0
	}
	return r.total
}

func (r *watched) Close() error {
	if r.release(); r.Piped != nil && r.file == r.Piped.file {
		return nil
	}
	return r.file.Close()
}

var _ interface {
	io.ReadSeekCloser
	io.ReaderAt
} = (*watched)(nil)

// standardInput is the path that stands for standard input.
const standardInput = "-"

// A table is read twice, and a run's rows may be read again, so what cannot be read from its start
// once more is copied to a temporary file.

// Piped keeps a copy of standard input, which can be read only once.
type Piped struct{ file *os.File }

// open is the copy, from its start.
func (p *Piped) open(ctx context.Context) (*os.File, error) {
	if p.file == nil {
		if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
			return nil, errorf("standard input", "has no rows: pipe a table into it, or give a file")
		}
		var err error
		if p.file, err = spool(ctx, os.Stdin); err != nil {
			return nil, err
		}
	}
	_, err := p.file.Seek(0, io.SeekStart)
	return p.file, err
}

// spool copies a pipe to a temporary file, which is gone when it is closed or the program ends.
func spool(ctx context.Context, pipe *os.File) (*os.File, error) {
	to, err := os.CreateTemp("", "gpdrf-gpu-*")
	if err != nil {
		return nil, err
	}
	os.Remove(to.Name()) // not possible on Windows, whose temporary files stay
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(to, io.LimitReader(pipe, fileLimits().text))
		done <- err
	}()
	if ctx == nil {
		ctx = context.Background()
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx) // and the copy ends with the program
	case err = <-done:
	}
	if err == nil {
		_, err = to.Seek(0, io.SeekStart)
	}
	if err != nil {
		to.Close()
		return nil, &readFailure{pipe.Name(), err}
	}
	return to, nil
}

// utf8Text passes a text on, and stops where it is no UTF-8.
type utf8Text struct {
	src  io.Reader
	name string
	line int    // at the end of what was passed on
	part []byte // the start of a rune that may go on
}

func (u *utf8Text) Read(to []byte) (int, error) {
	n, err := u.src.Read(to)
	text := to[:n]
	if len(u.part) > 0 {
		text = append(u.part, text...)
	}
	bad, line := badRune(text)
	switch {
	case bad < 0:
		bad, u.part = len(text), nil
	case err == nil && !utf8.FullRune(text[bad:]):
		u.part = slices.Clone(text[bad:])
	default:
		return 0, notUTF8(u.name, u.line+line-1, text[bad])
	}
	u.line += bytes.Count(text[:bad], []byte{'\n'})
	return n, err
}

// badRune is where the first bytes stand that are no UTF-8, and in which line, from 1; −1 if there
// are none.
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
	return errorAt(name, place{line: line}, "%s", "is not UTF-8 text (byte 0x"+hex2(c)+"): save it as UTF-8")
}
