package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Folder is a folder under construction. It ends in Commit or in Discard.
type Folder struct {
	path string
	lock *os.File // lock of the folder itself
	into string   // folder that was there and is to be filled; "" without one
	made []string // parents that did not exist, outermost first
}

// NewFolder starts a folder that is to stand at final, or beside it, making the parents it needs. If final exists, the
// folder is built inside it, since a mount point, or a folder in use, cannot be replaced. This also tests whether the
// place can be written to.
func NewFolder(final string) (*Folder, error) {
	f := &Folder{}
	base := final
	if info, err := os.Stat(final); err == nil && info.IsDir() {
		f.into = final
		base = filepath.Join(final, filepath.Base(final))
	} else if err := f.makeParents(filepath.Dir(final)); err != nil {
		return nil, errors.Join(err, f.removeParents())
	}
	var err error
	for i := range maxTries {
		f.path = temporary(base, i)
		if err = os.Mkdir(f.path, 0o777); errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			f.lock, err = os.Open(f.path)
		}
		if err == nil && !own(f.path, f.lock) || errors.Is(err, fs.ErrNotExist) {
			f.unlock()
			err = fs.ErrExist
			continue
		}
		break
	}
	if err != nil {
		return nil, errors.Join(named(err, f.path, final), f.removeParents())
	}
	return f, nil
}

// unlock gives the lock back. Some systems cannot move an open folder.
func (f *Folder) unlock() {
	if f.lock != nil {
		f.lock.Close()
	}
}

// tieDelay is the wait after which one of two processes that begin at the same time has stopped.
const tieDelay = 200 * time.Millisecond

// HasRival reports whether another living process builds a folder for the same place. Of two that begin at the same
// time, one has no rival.
func (f *Folder) HasRival() bool {
	rivals := f.rivals()
	if len(rivals) > 0 && rivals[0] > f.path { // the rival gives way if it has just begun
		time.Sleep(tieDelay)
		rivals = f.rivals()
	}
	return len(rivals) > 0
}

// rivals returns the folders that other living processes build for the same place, in the order of their names.
func (f *Folder) rivals() (living []string) {
	parts := temporaryName.FindStringSubmatch(filepath.Base(f.path))
	for _, path := range Leftovers(filepath.Join(filepath.Dir(f.path), parts[1])) {
		if path == f.path {
			continue
		}
		if other, err := os.Open(path); err == nil {
			if errors.Is(Lock(other), ErrLocked) {
				living = append(living, path)
			}
			other.Close()
		}
	}
	return living
}

// Path returns the current path of the folder.
func (f *Folder) Path() string { return f.path }

// Commit renames the folder to final, which must not exist, or be an empty folder: if it holds anything, the error is
// fs.ErrExist and another Commit may follow. The files in it must be on disk already.
func (f *Folder) Commit(final string) error {
	taken := &fs.PathError{Op: "rename to", Path: final, Err: fs.ErrExist}
	f.unlock()
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
	f.unlock()
	if err != nil { // some systems remove no folder that is open
		err = os.RemoveAll(f.path)
	}
	return errors.Join(err, f.removeParents())
}

// Empty reports whether nothing stands at path, or an empty folder.
func Empty(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0 || errors.Is(err, fs.ErrNotExist)
}

func (f *Folder) makeParents(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: errors.New("it is a file, not a folder")}
		}
		return nil
	}
	if up := filepath.Dir(dir); up != dir {
		if err := f.makeParents(up); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, 0o777)
	if err == nil {
		f.made = append(f.made, dir)
	} else if info, statErr := os.Stat(dir); statErr == nil && info.IsDir() {
		return nil // made by another process meanwhile
	}
	return err
}

// removeParents keeps folders that another program has used in the meantime.
func (f *Folder) removeParents() error {
	for i := len(f.made) - 1; i >= 0; i-- {
		if !Empty(f.made[i]) {
			return nil
		}
		if err := os.Remove(f.made[i]); err != nil {
			return err
		}
	}
	return nil
}
