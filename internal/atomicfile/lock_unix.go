//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// Lock takes the lock of an open file or folder. The system gives it back when the process ends in any way. If another
// process has the lock, the error is ErrLocked.
func Lock(f *os.File) error { return lock(f, syscall.LOCK_EX) }

// Share takes a shared lock, which several processes may hold at once, but not together with an exclusive lock.
func Share(f *os.File) error { return lock(f, syscall.LOCK_SH) }

func lock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
