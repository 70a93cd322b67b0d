//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// Lock takes the lock of an open file or folder, which the system gives back when the process ends,
// however it does. Somebody else's is ErrLocked.
func Lock(f *os.File) error { return lock(f, syscall.LOCK_EX) }

// Share takes a shared lock, which several may hold at once, but none beside an exclusive one.
func Share(f *os.File) error { return lock(f, syscall.LOCK_SH) }

func lock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
