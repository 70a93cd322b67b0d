package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// The owner of a temporary holds its lock as long as it lives, so that a temporary whose lock is free belongs to a dead
// process. The file exists before its lock. If the owner finds the lock taken or the file gone, another process took it
// for dead in between, and the owner takes another name.

// ErrLocked reports that a file belongs to another process.
var ErrLocked = errors.New("another process uses it")

var temporaryName = regexp.MustCompile(`^\.(.+)\.tmp-[0-9]+(-[0-9]+)?$`)

// own takes the lock of a temporary that was just made at path. It fails if the temporary has gone. A file system
// without locks is used without.
func own(path string, f *os.File) bool { return !errors.Is(Lock(f), ErrLocked) && IsAt(f, path) }

// IsAt reports whether an open file is still the file at path.
func IsAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(opened, there)
}

// RemoveDead removes the temporaries of dead processes from a folder, and names them. is reports, by the path of a
// temporary and the name that it was meant to have, whether the caller does not need it.
func RemoveDead(folder string, is func(path, name string, info fs.FileInfo) bool) (removed []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		parts := temporaryName.FindStringSubmatch(e.Name())
		if parts == nil || !(e.IsDir() || e.Type().IsRegular()) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if removeDead(path, parts[1], is) {
			removed = append(removed, path)
		}
	}
	return removed
}

func removeDead(path, name string, is func(path, name string, info fs.FileInfo) bool) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if Lock(f) != nil || !IsAt(f, path) { // another temporary may have taken the name of one that is gone
		return false
	}
	info, err := f.Stat()
	return err == nil && is(path, name, info) && os.RemoveAll(path) == nil
}
