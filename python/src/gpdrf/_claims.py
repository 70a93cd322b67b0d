"""Claims of folders: a lock, which the system gives back when its process ends, however it does."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _unlock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}


class TakenError(Exception):
    """A living process, or another thread, has the claim."""


class Claim:
    """The claim of a lock file, which is there as long as the claim."""

    def __init__(self, path: Path) -> None:
        """Take the claim, of a lock file that is new or was left by a dead process, or raise TakenError."""
        self.path, self.owner, self.locked = path, os.getpid(), True
        while True:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                _lock(self._file)
            except OSError as error:
                if error.errno in _TAKEN:
                    os.close(self._file)
                    raise TakenError from None
                self.locked = False  # a file system without locks is used without
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self._file), path.stat()):
                    return
            os.close(self._file)  # its last owner has removed it meanwhile

    def close(self) -> None:
        """Remove the lock file and give the claim back, unless it belongs to the process this one was forked from."""
        if os.getpid() != self.owner:
            return
        if sys.platform != "win32":  # which removes no open file
            self.path.unlink(missing_ok=True)
        if self.locked:
            _unlock(self._file)
        os.close(self._file)
        if sys.platform == "win32":
            with contextlib.suppress(OSError):
                self.path.unlink()
