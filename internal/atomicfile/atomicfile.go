// Package atomicfile puts files and folders in place whole or not at all: they are built under a temporary name beside
// their final place, brought to disk, and renamed. After a power cut or kill -9 there is the old state or the new
// state, and at worst a temporary, too. The name of a temporary begins with a dot and ends in .tmp-<number>, and
// RemoveDead removes it. An empty folder that exists already is filled file by file, in the order of their names.
package atomicfile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// WriteFile writes the output of write to path. If anything fails before the rename, the error says so, path is as it
// was before, and nothing is left beside it; after the rename only bringing the folder's entry to disk can fail. A file
// that was there keeps its mode. A symbolic link stays a link; a device or pipe (/dev/stdout) is written to directly.
func WriteFile(path string, write func(io.Writer) error) error {
	return writeFile(osFiles, path, write)
}

// Text returns a function for WriteFile that writes a text.
func Text(text []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(text); return err }
}

// JSON returns a function for WriteFile that writes v as indented JSON.
func JSON(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return err
		}
		_, err = w.Write(append(text, '\n'))
		return err
	}
}

// files are this package's operations on the disk; tests replace them by faults.
type files struct {
	create  func(path string) (file, error)
	rename  func(from, to string) error
	syncDir func(path string) error
}

type file interface {
	io.Writer
	Sync() error
	Close() error
}

var osFiles = files{
	create: func(path string) (file, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	},
	rename:  os.Rename,
	syncDir: SyncDir,
}

func writeFile(d files, path string, write func(io.Writer) error) error {
	var mode fs.FileMode // mode of the file that was there
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("it is a folder")}
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(fill(f, write), f.Close())
	case err == nil:
		mode = info.Mode().Perm()
	}
	path = linkTarget(path)
	tmp, f, err := createBeside(d, path)
	if err != nil {
		return named(err, tmp, path)
	}
	if file, ok := f.(*os.File); ok && mode != 0 {
		file.Chmod(mode) // a file system without modes is used without
	}
	err = errors.Join(fill(f, write), f.Sync(), f.Close())
	if err == nil {
		err = d.rename(tmp, path)
	}
	if err != nil {
		return errors.Join(named(err, tmp, path), os.Remove(tmp))
	}
	return d.syncDir(filepath.Dir(path))
}

// Abandon removes the file that this process is writing to path, just before it ends.
func Abandon(path string) {
	path = linkTarget(path)
	ours := temporary(path, strconv.Itoa(os.Getpid()))
	for _, tmp := range Leftovers(path) {
		if tmp = filepath.Clean(tmp); tmp == filepath.Clean(ours) || strings.HasPrefix(tmp, filepath.Clean(ours)+"-") {
			os.Remove(tmp)
		}
	}
}

// linkTarget follows a symbolic link, whose file may not exist yet. It returns other paths unchanged.
func linkTarget(path string) string {
	for range 40 { // a system follows this number of links
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) { // Join would take .. away before links are followed
			to = filepath.Dir(path) + string(filepath.Separator) + to
		}
		path = to
	}
	return path
}

// createBeside makes the temporary. A name that is taken belongs to a dead process with the same number, or to another
// goroutine: the next number is tried.
func createBeside(d files, path string) (tmp string, f file, err error) {
	number := strconv.Itoa(os.Getpid())
	for i := range maxTries {
		if tmp = temporary(path, number); i > 0 {
			tmp += fmt.Sprintf("-%d", i)
		}
		if f, err = d.create(tmp); errors.Is(err, fs.ErrExist) {
			continue
		}
		if real, ok := f.(*os.File); ok && err == nil && !own(tmp, real) {
			err = errors.Join(fs.ErrExist, f.Close())
			continue
		}
		return tmp, f, err
	}
	return "", nil, err
}

// named puts the path into an error about its temporary, and a remedy if its folder is missing.
func named(err error, tmp, path string) error {
	pe := (*fs.PathError)(nil)
	if !errors.As(err, &pe) || pe.Path != tmp {
		return err
	}
	pe.Path = path
	switch _, wrong := os.Stat(filepath.Dir(path)); {
	case errors.Is(wrong, fs.ErrNotExist):
		pe.Err = fmt.Errorf("%w: make the folder %s, or give another", pe.Err, filepath.Dir(path))
	case errors.Is(err, fs.ErrPermission):
		pe.Err = fmt.Errorf("%w: check the permissions of %s, or give another", pe.Err, filepath.Dir(path))
	}
	return err
}

const maxTries = 1000

// temporary returns the name of a temporary for path that ends in a number.
func temporary(path, number string) string {
	dir, name := filepath.Split(path)
	return fmt.Sprintf("%s.%s.tmp-%s", dir, name, number)
}

// Leftovers returns the temporary files beside path, of running and of killed processes. The caller knows that no other
// process is at work there.
func Leftovers(path string) (found []string) {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+name+".tmp-") {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}

func fill(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// SyncDir brings a renamed entry of a folder to disk. Windows cannot do so, nor can some file systems, such as AFS and
// folders that a virtual machine shares.
func SyncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
