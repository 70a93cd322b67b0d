package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Folder is a folder under construction. It ends in Commit or in Discard.
type Folder struct {
	Lock *os.File // file in the folder whose lock shows that its process lives; Commit leaves it open

	path   string
	into   string // folder that was there and is to be filled; "" without one
	parent string // folder above the place
	made   string // outermost parent that did not exist; "" without one
}

// Rules tell how NewFolder begins a Folder.
type Rules struct {
	Lock   string                 // name of the file in the folder whose lock its process has
	Alone  bool                   // while a living process has the folder of a place, another one is ErrLocked
	IsDead func(path string) bool // reports whether a folder without a process may be removed
}

// NewFolder starts a folder that is to stand at final, or beside it, making the parents it needs. If final exists, the
// folder is built inside it, since a mount point, or a folder in use, cannot be replaced. This also tests whether the
// place can be written to.
func NewFolder(final string, r Rules) (*Folder, error) {
	f := &Folder{parent: filepath.Dir(final)}
	base := final
	if info, err := os.Stat(final); err == nil && info.IsDir() {
		f.into = final
		base = filepath.Join(final, filepath.Base(final))
	} else if err := f.makeParents(); err != nil {
		f.removeParents()
		return nil, err
	}
	if err := f.make(base, r); err != nil {
		f.removeParents()
		return nil, named(err, f.path, final)
	}
	return f, nil
}

// A process that removes the folder of a dead one has its lock for a moment. If a lock is still taken after these
// tries, its owner lives.
const (
	lockTries = 20
	lockDelay = 10 * time.Millisecond
)

// make makes the folder under the first free name, and takes its lock. All processes try the same names in the same
// order, so with Alone the lock of a name decides which of them has the place.
func (f *Folder) make(base string, r Rules) (err error) {
	tries := 0
	for i := 1; i < maxTries; {
		f.path = temporary(base, strconv.Itoa(i))
		there := os.Mkdir(f.path, 0o777)
		if there != nil && !errors.Is(there, fs.ErrExist) {
			return there
		}
		var noLock error
		f.Lock, noLock, err = OpenLocked(filepath.Join(f.path, r.Lock))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrLocked) && r.Alone:
			if tries++; tries == lockTries {
				return err
			}
			time.Sleep(lockDelay)
		case err != nil && there == nil && !errors.Is(err, ErrLocked):
			return errors.Join(err, os.Remove(f.path))
		case err != nil:
			i++
		case there == nil:
			return nil
		default:
			if noLock != nil || !r.IsDead(f.path) || os.RemoveAll(f.path) != nil {
				i++
			}
			f.Lock.Close()
		}
	}
	return fs.ErrExist
}

// Path returns the current path of the folder.
func (f *Folder) Path() string { return f.path }

// Commit renames the folder to final, which must not exist, or be an empty folder: if it holds anything, the error is
// fs.ErrExist and another Commit may follow. The files in it must be on disk already.
func (f *Folder) Commit(final string) error {
	taken := &fs.PathError{Op: "rename to", Path: final, Err: fs.ErrExist}
	if f.into == final {
		return f.moveIn(taken)
	}
	if !Empty(final) {
		return taken
	}
	if err := SyncDir(f.path); err != nil {
		return err
	}
	// an empty folder would prevent the rename
	if info, err := os.Lstat(final); err == nil && info.IsDir() {
		if err := os.Remove(final); err != nil {
			return err
		}
	}
	err := os.Rename(f.path, final)
	if err != nil && !Empty(final) {
		return taken // another process was quicker
	} else if err != nil {
		return err
	}
	return SyncDir(filepath.Dir(final))
}

// moveIn puts the files into the folder that was there, in the order of their names.
func (f *Folder) moveIn(taken error) error {
	there, err := os.ReadDir(f.into)
	if err != nil {
		return err
	}
	if len(there) != 1 { // there is more than the folder under construction
		return taken
	}
	files, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Rename(filepath.Join(f.path, file.Name()), filepath.Join(f.into, file.Name())); err != nil {
			return err
		}
	}
	return errors.Join(os.Remove(f.path), SyncDir(f.into))
}

// Discard removes the folder and the parents that were made for it.
func (f *Folder) Discard() error {
	err := os.RemoveAll(f.path) // before another may take its name
	f.Lock.Close()
	if err != nil { // some systems remove no folder that is open
		err = os.RemoveAll(f.path)
	}
	f.removeParents()
	return err
}

// Empty reports whether nothing stands at path, or an empty folder.
func Empty(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0 || errors.Is(err, fs.ErrNotExist)
}

// makeParents makes the folder above the place, and those above it.
func (f *Folder) makeParents() error {
	for up := f.parent; up != filepath.Dir(up); up = filepath.Dir(up) {
		if _, err := os.Stat(up); err == nil {
			break
		}
		f.made = up
	}
	return os.MkdirAll(f.parent, 0o777)
}

// removeParents removes the folders that were made, and keeps those that another program has used in the meantime.
func (f *Folder) removeParents() {
	for dir := f.parent; f.made != ""; dir = filepath.Dir(dir) {
		if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) || dir == f.made {
			return
		}
	}
}
