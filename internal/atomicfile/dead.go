package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
)

// The owner of a temporary holds its lock as long as it lives, so that a temporary whose lock is free belongs to a dead
// process. The lock of a folder is that of a file in it. A temporary exists before its lock. If the owner finds the
// lock taken or the file gone, another process took it for dead in between, and the owner makes another one.

// ErrLocked reports that a file belongs to another process.
var ErrLocked = errors.New("another process uses it")

var temporaryName = regexp.MustCompile(`^\.(.+)\.tmp-[0-9]+(-[0-9]+)?$`)

// own takes the lock of a temporary that was just made at path. It fails if the temporary has gone. A file system
// without locks is used without.
func own(path string, f *os.File) bool { return !errors.Is(Lock(f), ErrLocked) && isAt(f, path) }

// isAt reports whether an open file is still the file at path.
func isAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(opened, there)
}

// OpenLocked opens a file to append to it, and takes its lock, until the file is closed or the process ends. It makes
// the file if needed. If another process has the lock, the error is ErrLocked. A file system without locks is used
// without, and noLock is the reason.
func OpenLocked(path string) (f *os.File, noLock, err error) {
	for {
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
			return nil, nil, err
		}
		noLock = Lock(f)
		if errors.Is(noLock, ErrLocked) {
			return nil, nil, errors.Join(noLock, f.Close())
		}
		if isAt(f, path) {
			return f, noLock, nil
		}
		if err := f.Close(); err != nil { // the last owner has removed it meanwhile
			return nil, nil, err
		}
	}
}

// RemoveDead removes the temporaries of dead processes from a folder, and names them. lock is the name of the file
// with the lock in temporary folders; "" is for temporary files. is reports, by the path of a temporary and the name
// that it was meant to have, whether the caller does not need it.
func RemoveDead(folder, lock string, is func(path, name string) bool) (removed []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		parts := temporaryName.FindStringSubmatch(e.Name())
		if parts == nil || e.IsDir() != (lock != "") || !(e.IsDir() || e.Type().IsRegular()) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		isDead := func() bool { return is(path, parts[1]) }
		if removeDead(path, filepath.Join(path, lock), isDead) {
			removed = append(removed, path)
		}
	}
	return removed
}

// removeDead removes the temporary at path, whose lock is that of a file, if it is dead.
func removeDead(path, locked string, isDead func() bool) bool {
	f, err := os.OpenFile(locked, os.O_RDWR, 0) // NFS has no locks of files that are open to read
	if err != nil {
		return false
	}
	defer f.Close()
	// another temporary may have taken the name of one that is gone
	return Lock(f) == nil && isAt(f, locked) && isDead() && os.RemoveAll(path) == nil
}
