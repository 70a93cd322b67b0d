"""The run folder of a fit, which one process at a time may use, and what lies beside it."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from gpdrf._errors import GPDRFInputError, warn

CHECKPOINT_FILE = "checkpoint.safetensors"
RESULT_FILE = "result.json"
LOG_FILE = "metrics.jsonl"
CONFIG_FILE = "config.yaml"
SEARCH_FILE = "best.json"  # state of preset best and of ensembles, which have no checkpoint

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_ROWS = "-rows"
_LOCK = f"{_ROWS}.lock"
_ENDS = [".npz", ".csv"]
_ENDING = 10  # seconds until a program that should end is ended


class Run:
    """A run folder, and its lock. Without a path it is a temporary one."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="gpdrf-"), "run") if path is None else Path(path)
        self.folder = self.path.parent
        self.stem = self.path.with_name(self.path.name + _ROWS)
        self.kept = self._replaces = False
        self._owner = os.getpid()
        self._lock: _Lock | None = None
        if path is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self._real = Path(os.path.realpath(self.path))
        try:
            self._lock = _Lock(self._real.with_name(self._real.name + _LOCK))
        except BlockingIOError:
            raise GPDRFInputError(
                f"run={str(self.path)!r}: another fit is at work in this folder: give each estimator a run of its "
                "own, or leave run out (a clone, as in a grid search, has the same run)"
            ) from None
        try:
            self._remove_dead()
        except BaseException:  # such as Ctrl-C, while it waits
            self._lock.close()
            raise

    def _remove_dead(self) -> None:
        """Remove models on their way here, which fits have left that were killed."""
        self._wait(self._real)
        for new in self._on_their_way():
            if self._wait(new):
                shutil.rmtree(new, ignore_errors=True)

    def _on_their_way(self) -> list[Path]:
        """The folders of fits that were to replace the run."""
        found = self._real.parent.glob(f".{glob.escape(self._real.name)}-new.tmp-*/{CONFIG_FILE}")
        return [file.parent for file in found if self.stem.name in file.read_text(encoding="utf-8")]

    def _wait(self, run: Path) -> bool:
        """Wait for a program that outlives its Python for the rest of a step. True if it has ended."""
        end = time.monotonic() + _ENDING
        while _in_use(run / LOG_FILE):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def has_stopped(self) -> bool:
        """Whether there is a model of this fit, which was interrupted. A run that it was to replace is replaced."""
        if not self._replaces:
            return (self.path / RESULT_FILE).exists()
        for new in self._on_their_way():
            if (new / RESULT_FILE).exists():
                shutil.rmtree(self._real)
                new.rename(self._real)
                return True
        return False

    def resumes(self) -> bool:
        """Whether a training was ended in the middle of its steps."""
        result = self.path / RESULT_FILE
        if (self.path / SEARCH_FILE).exists() and not result.exists():
            return True
        if not (self.path / CHECKPOINT_FILE).exists():
            self._replaces = result.exists()
        elif result.exists():
            self._replaces = not json.loads(result.read_text(encoding="utf-8"))["interrupted"]
        else:
            return True
        return not self._replaces and result.exists()

    def arguments(self, resumes: bool, alone: bool) -> list[str]:
        """Where the program trains. A single model replaces a finished run, and an ensemble or a search does not."""
        if not (resumes or alone) and (self.path / RESULT_FILE).exists():
            raise GPDRFInputError(
                f"run={str(self.path)!r}: a finished run is there, which only the fit of a single model replaces: "
                "remove it, or give another run"
            )
        return ["--resume", str(self.path)] if resumes else ["--out", str(self.path), *["--overwrite"] * alone]

    def only_rows(self, file: Path) -> None:
        """Remove rows of an earlier fit, which may be in another format."""
        _remove_rows(self.stem, file.suffix)

    def warn_of_end(self) -> None:
        """Warn of the end of a finished run. Where warnings are errors, it stays."""
        if self._replaces:
            warn(f"run={str(self.path)!r}: this fit replaces the finished run there: to keep both, give it another run")

    def close(self) -> None:
        """Give the folder back. Rows go, and a temporary folder does, unless the training is to be resumed there.

        A process that was forked from the owner gives nothing back.
        """
        if os.getpid() != self._owner:
            return
        if not self.kept:
            _remove_rows(self.stem)
        if self._lock:
            self._lock.close()
        elif not self.kept:
            shutil.rmtree(self.folder, ignore_errors=True)


class _Lock:
    """A lock file, which one fit at a time has. The system gives it back when a process ends, however it does."""

    def __init__(self, path: Path) -> None:
        """Make the file, or take that of a dead process. That of a living one is a BlockingIOError."""
        self._path = path
        while True:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            if not _take(self._file):
                os.close(self._file)
                raise BlockingIOError
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self._file), path.stat()):
                    return
            os.close(self._file)  # the last owner has removed it meanwhile

    def close(self) -> None:
        """Remove the file."""
        if sys.platform != "win32":  # Windows removes no open file
            self._path.unlink(missing_ok=True)
        os.close(self._file)
        if sys.platform == "win32":
            with contextlib.suppress(OSError):
                self._path.unlink()


def _take(file: int) -> bool:
    """Take the lock of an open file, unless another has it. A file system without locks is used without."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError | PermissionError)
    return True


def _in_use(path: Path) -> bool:
    """Whether the program has the lock of a file. On Windows it takes none."""
    with contextlib.suppress(FileNotFoundError):
        if sys.platform != "win32":
            with path.open("r+b") as file:
                return not _take(file.fileno())
    return False


def _remove_rows(stem: Path, but: str = "") -> None:
    for end in _ENDS:
        if end != but:
            stem.with_name(stem.name + end).unlink(missing_ok=True)
