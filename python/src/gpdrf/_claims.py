"""Claims of files and folders: a lock, which the system gives back when its process ends, however it does."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
import tempfile
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


_PREFIX = "gpdrf-"
_LOCK = "lock"
_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}


class TakenError(Exception):
    """A living process, or another thread, has the claim."""


class Claim:
    """The claim of a lock file, which is there as long as the claim."""

    def __init__(self, path: Path, new: bool = True) -> None:
        """Take the claim, of a lock file that is new or was left by a dead process, or raise TakenError."""
        self.path, self.owner, self.locked = path, os.getpid(), True
        while True:
            self._file = os.open(path, os.O_RDWR | (os.O_CREAT if new else 0), 0o666)
            try:
                _lock(self._file)
            except OSError as error:
                if error.errno in _TAKEN:
                    os.close(self._file)
                    raise TakenError from None
                self.locked = False  # a file system without locks is used without
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self._file), path.stat()):
                    os.ftruncate(self._file, 1)  # no longer the length of a new file, for of_dead
                    return
            os.close(self._file)  # the last owner has removed it meanwhile

    def close(self) -> None:
        """Remove the lock file and give the claim back, unless it belongs to the process this one was forked from."""
        if os.getpid() != self.owner:
            return
        if sys.platform != "win32":  # Windows removes no open file
            self.path.unlink(missing_ok=True)
        if self.locked:
            _unlock(self._file)
        os.close(self._file)
        if sys.platform == "win32":
            with contextlib.suppress(OSError):
                self.path.unlink()


def of_dead(path: Path) -> Claim | None:
    """The claim of a lock file that a dead process has left. An empty one is new: its owner is about to lock it."""
    try:
        if path.stat().st_size == 0:
            return None
        claim = Claim(path, new=False)
    except (OSError, TakenError):
        return None
    if claim.locked:
        return claim
    os.close(claim._file)
    return None


def in_use(path: Path) -> bool:
    """Whether the program has the lock of a file. On Windows it takes none."""
    if sys.platform == "win32":
        return False
    with contextlib.suppress(FileNotFoundError), path.open("r+b") as file:
        try:
            _lock(file.fileno())
        except OSError as error:
            return error.errno in _TAKEN
    return False


class Folder(contextlib.AbstractContextManager["Folder"]):
    """A temporary folder. One whose process was killed is removed when the next one is made."""

    def __init__(self, parent: str | None = None) -> None:
        parent = parent or tempfile.gettempdir()
        for lock in Path(parent).glob(f"{_PREFIX}*/{_LOCK}"):
            if claim := of_dead(lock):
                dead = lock.parent
                with contextlib.suppress(OSError):  # Windows moves no folder with an open file
                    dead = dead.rename(dead.with_name(f"{dead.name}-dead"))  # no program writes to that
                shutil.rmtree(dead, ignore_errors=True)
                claim.close()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self.claim = Claim(self.path / _LOCK)

    def remove(self) -> None:
        """Remove the folder."""
        self.claim.close()
        shutil.rmtree(self.path, ignore_errors=True)

    def __exit__(self, *_: object) -> None:
        self.remove()
