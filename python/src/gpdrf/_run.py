"""The run folder of a fit, which one process at a time may use, and what lies beside it."""

from __future__ import annotations

import glob
import json
import os
import shutil
import time
from pathlib import Path

from gpdrf import _claims
from gpdrf._errors import GPDRFInputError, warn

CHECKPOINT_FILE = "checkpoint.safetensors"
RESULT_FILE = "result.json"
LOG_FILE = "metrics.jsonl"
CONFIG_FILE = "config.yaml"
SEARCH_FILE = "best.json"  # state of preset best and of ensembles, which have no checkpoint

_ROWS = "-rows"
_LOCK = f"{_ROWS}.lock"
_ENDS = [".npz", ".csv"]
_ENDING = 10  # seconds until a program that should end is ended


class Run:
    """A run folder, and the claim of it. Without a path it is a temporary one."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._own = _claims.Folder() if path is None else None
        self.path = self._own.path / "run" if self._own else Path(os.fspath(path))  # type: ignore[arg-type]
        self.folder = self.path.parent
        self.stem = self.path.with_name(self.path.name + _ROWS)
        self.kept = self._replaces = False
        if self._own:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self._real = Path(os.path.realpath(self.path))
        try:
            self._claim = _claims.Claim(self._real.with_name(self._real.name + _LOCK))
        except _claims.TakenError:
            raise GPDRFInputError(
                f"run={str(self.path)!r}: another fit is at work in this folder: give each estimator a run of its "
                "own, or leave run out (a clone, as in a grid search, has the same run)"
            ) from None
        try:
            self._remove_dead()
        except BaseException:  # such as Ctrl-C, while it waits
            self._claim.close()
            raise

    def _remove_dead(self) -> None:
        """Remove what fits have left that were killed: rows that no checkpoint needs, and models on their way here."""
        for lock in self.folder.glob("*" + _LOCK):
            if claim := _claims.of_dead(lock):
                run = lock.with_name(lock.name.removesuffix(_LOCK))
                if not (run / CHECKPOINT_FILE).exists():
                    _remove_rows(run.with_name(run.name + _ROWS))
                claim.close()
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
        while _claims.in_use(run / LOG_FILE):
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
        """Give the folder back. Rows go, and a temporary folder does, unless the training is to be resumed there."""
        if not self.kept:
            _remove_rows(self.stem)
        if self._own is None:
            self._claim.close()
        elif self.kept:
            self._own.claim.close()
        else:
            self._own.remove()


def _remove_rows(stem: Path, but: str = "") -> None:
    for end in _ENDS:
        if end != but:
            stem.with_name(stem.name + end).unlink(missing_ok=True)
