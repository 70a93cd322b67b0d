package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func say(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// names lists a folder, with the content of files.
func names(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			rel += "=" + string(text)
		}
		all = append(all, rel)
		return nil
	})
	must.OK(t, err)
	return strings.Join(all, " ")
}

// holds checks the names of a folder.
func holds(t *testing.T, dir, want string) {
	t.Helper()
	if got := names(t, dir); got != want {
		t.Errorf("the folder holds %q, not %q", got, want)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, text := range []string{"one", "two"} {
		must.OK(t, WriteFile(path, say(text)))
		holds(t, dir, "a="+text)
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	must.OK(t, WriteFile(filepath.Join(dir, "link"), say("three")))
	holds(t, dir, "a=three link")
	must.OK(t, os.Symlink("b", filepath.Join(dir, "early")))
	must.OK(t, WriteFile(filepath.Join(dir, "early"), say("four")))
	holds(t, dir, "a=three b=four early link")
}

// A file that its owner alone may read stays so, whatever is written to it.
func TestModeStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	must.OK(t, os.WriteFile(path, []byte("one"), 0o600))
	before := must.Get(os.Stat(path))(t)
	must.OK(t, WriteFile(path, say("two")))
	after, err := os.Stat(path)
	if err != nil || after.Mode() != before.Mode() {
		t.Errorf("its mode was %v and is %v, %v", before.Mode(), after.Mode(), err)
	}
}

// A file can be abandoned while it is written: nothing of it is left, and an old file stays.
func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	must.OK(t, WriteFile(path, say("one")))
	written, done, ended := make(chan bool), make(chan bool), make(chan error)
	go func() {
		ended <- WriteFile(path, func(w io.Writer) error {
			written <- true
			<-done
			return nil
		})
	}()
	<-written
	if got := names(t, dir); !strings.Contains(got, ".tmp-") {
		t.Errorf("nothing is being written: %s", got)
	}
	Abandon(path)
	holds(t, dir, "a=one")
	close(done)
	if err := <-ended; err == nil {
		t.Error("it was put in place")
	}
	holds(t, dir, "a=one")
}

func TestWriteFileRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := WriteFile(dir, say("x")); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
	if err := WriteFile(filepath.Join(dir, "none", "a"), say("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	missing := filepath.Join(dir, "none")
	want := filepath.Join(missing, "a") + ": no such file or directory: make the folder " + missing +
		", or give another"
	if err := WriteFile(filepath.Join(missing, "a"), say("x")); runtime.GOOS == "linux" &&
		!strings.HasSuffix(err.Error(), " "+want) {
		t.Errorf("a missing folder: %v, expected %s", err, want)
	}
	must.OK(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o666))
	in := filepath.Join(dir, "file", "a")
	if err := WriteFile(in, say("x")); err == nil || !strings.Contains(err.Error(), in) {
		t.Errorf("a file in place of a folder: %v", err)
	}
	must.OK(t, os.Remove(filepath.Join(dir, "file")))
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := WriteFile("/dev/full", say("x")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("a full disk: %v", err)
		}
		if info, err := os.Stat("/dev/full"); err != nil || info.Mode().IsRegular() {
			t.Error("/dev/full is no device any more")
		}
	}
	holds(t, dir, "")
}

// faulty is a file whose disk fails in one way.
type faulty struct {
	*os.File
	fault string
}

func (f faulty) Write(p []byte) (int, error) {
	switch f.fault {
	case "short":
		return f.File.Write(p[:len(p)/2])
	case "full":
		n, _ := f.File.Write(p[:1])
		return n, syscall.ENOSPC
	}
	return f.File.Write(p)
}

func (f faulty) Sync() error {
	if f.fault == "sync" {
		return syscall.EIO
	}
	return f.File.Sync()
}

func (f faulty) Close() error {
	if err := f.File.Close(); f.fault != "close" {
		return err
	}
	return syscall.EDQUOT
}

// Whatever the disk does, the old content stays and no temporary is left.
func TestFaults(t *testing.T) {
	for fault, want := range map[string]error{
		"short": io.ErrShortWrite, "full": syscall.ENOSPC, "sync": syscall.EIO, "close": syscall.EDQUOT,
		"create": syscall.EROFS, "rename": syscall.EXDEV, "writer": io.ErrUnexpectedEOF,
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		must.OK(t, os.WriteFile(path, []byte("old"), 0o666))
		d := osFiles
		d.create = func(path string) (file, error) {
			if fault == "create" {
				return nil, syscall.EROFS
			}
			f, err := os.Create(path)
			return faulty{f, fault}, err
		}
		if fault == "rename" {
			d.rename = func(string, string) error { return syscall.EXDEV }
		}
		err := writeFile(d, path, func(w io.Writer) error {
			if err := say("new content")(w); err != nil || fault != "writer" {
				return err
			}
			return io.ErrUnexpectedEOF
		})
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", fault, err)
		}
		if got := names(t, dir); got != "a=old" {
			t.Errorf("%s: left %s", fault, got)
		}
	}
	dir := t.TempDir()
	d := osFiles
	d.syncDir = func(string) error { return syscall.EIO }
	if err := writeFile(d, filepath.Join(dir, "a"), say("x")); !errors.Is(err, syscall.EIO) {
		t.Errorf("the folder's entry did not reach the disk: %v", err)
	}
}

// begin starts a folder as any number of processes may for one place.
func begin(final string) (*Folder, error) {
	f, err := NewFolder(final, Rules{Lock: "lock", IsDead: func(string) bool { return true }})
	if err == nil && runtime.GOOS == "windows" { // which moves no folder with an open file
		f.Lock.Close()
	}
	return f, err
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	final := filepath.Join(dir, "deep", "runs", "one")
	f := must.Get(begin(final))(t)
	if filepath.Dir(f.Path()) != filepath.Dir(final) || !strings.HasPrefix(filepath.Base(f.Path()), ".one.tmp-") {
		t.Errorf("built in %s", f.Path())
	}
	must.OK(t, WriteFile(filepath.Join(f.Path(), "a"), say("x")))
	must.OK(t, os.Mkdir(final, 0o777)) // an empty folder may stand there
	must.OK(t, f.Commit(final))
	holds(t, dir, "deep deep/runs deep/runs/one deep/runs/one/a=x deep/runs/one/lock=")
}

// An empty folder that is there is filled, not replaced: it may be a mount point, or where somebody works.
func TestFolderFilled(t *testing.T) {
	dir := t.TempDir()
	final := filepath.Join(dir, "one")
	must.OK(t, os.Mkdir(final, 0o777))
	before := must.Get(os.Stat(final))(t)
	for _, discard := range []bool{true, false} {
		f := must.Get(begin(final))(t)
		if filepath.Dir(f.Path()) != final || !strings.HasPrefix(filepath.Base(f.Path()), ".one.tmp-") {
			t.Errorf("built in %s", f.Path())
		}
		for _, name := range []string{"a", "b"} {
			must.OK(t, WriteFile(filepath.Join(f.Path(), name), say(name)))
		}
		if discard {
			if err := f.Discard(); err != nil || names(t, dir) != "one" {
				t.Errorf("discarded: %s, %v", names(t, dir), err)
			}
			continue
		}
		must.OK(t, os.WriteFile(filepath.Join(final, "theirs"), []byte("x"), 0o666))
		if err := f.Commit(final); !errors.Is(err, fs.ErrExist) {
			t.Errorf("beside somebody's file: %v", err)
		}
		must.OK(t, os.Remove(filepath.Join(final, "theirs")))
		must.OK(t, f.Commit(final))
	}
	holds(t, dir, "one one/a=a one/b=b one/lock=")
	if after, err := os.Stat(final); err != nil || !os.SameFile(before, after) {
		t.Error("another folder stands there now")
	}
}

func TestFolderTaken(t *testing.T) {
	dir := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o666))
	must.OK(t, os.MkdirAll(filepath.Join(dir, "full", "x"), 0o777))
	f := must.Get(begin(filepath.Join(dir, "new")))(t)
	for _, name := range []string{"file", "full"} {
		if err := f.Commit(filepath.Join(dir, name)); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.Commit(filepath.Join(dir, "new")); err != nil {
		t.Errorf("after two names that were taken: %v", err)
	}
	holds(t, dir, "file=x full full/x new new/lock=")
}

func TestFolderDiscard(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(begin(filepath.Join(dir, "deep", "runs", "one")))(t)
	must.OK(t, os.WriteFile(filepath.Join(f.Path(), "a"), nil, 0o666))
	must.OK(t, f.Discard())
	holds(t, dir, "")
	must.OK(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o666))
	if _, err := begin(filepath.Join(dir, "file", "runs", "one")); err == nil {
		t.Error("a folder inside a file")
	}
}

// A file system whose folders cannot be brought to disk, such as /proc, is used without that. A folder that is not
// there is an error.
func TestFolderWithoutSync(t *testing.T) {
	if _, err := os.Stat("/proc"); err != nil {
		t.Skip("no such file system here")
	}
	if err := SyncDir("/proc"); err != nil {
		t.Error(err)
	}
	if err := SyncDir(filepath.Join(t.TempDir(), "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
