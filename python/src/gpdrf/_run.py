"""The run folder of a fit, which one process at a time may use, and what lies beside it."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from gpdrf import _claims
from gpdrf._errors import GPDRFInputError

CHECKPOINT_FILE = "checkpoint.safetensors"
RESULT_FILE = "result.json"
_CONFIG_FILE = "config.yaml"

_ROWS = "-rows"
_ENDS = [".npz", ".csv"]


class Run:
    """A run folder, and the claim of it. Without a path it is a temporary one."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._own = path is None
        self.path = Path(tempfile.mkdtemp(prefix="gpdrf-"), "run") if path is None else Path(os.fspath(path))
        self.folder = self.path.parent
        self.stem = self.path.with_name(self.path.name + _ROWS)
        self.kept = self._replaces = False
        if self._own:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self._real = Path(os.path.realpath(self.path))
        try:
            self._claim = _claims.Claim(self._real.with_name(f"{self._real.name}{_ROWS}.lock"))
        except _claims.TakenError:
            raise GPDRFInputError(
                f"run={str(self.path)!r}: another fit is at work in this folder: give each estimator a run of its "
                "own, or leave run out (a clone, as in a grid search, has the same run)"
            ) from None
        for left in self._on_their_way():
            shutil.rmtree(left, ignore_errors=True)

    def _on_their_way(self) -> list[Path]:
        """The folders of fits that are to replace the run, or were when they were killed."""
        found = self._real.parent.glob(f".{self._real.name}-new.tmp-*/{_CONFIG_FILE}")
        return [file.parent for file in found if self.stem.name in file.read_text(encoding="utf-8")]

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
        if not (self.path / CHECKPOINT_FILE).exists():
            self._replaces = result.exists()
        elif result.exists():
            self._replaces = not json.loads(result.read_text(encoding="utf-8"))["interrupted"]
        else:
            return True
        return not self._replaces and result.exists()

    def only_rows(self, file: Path) -> None:
        """Remove rows of an earlier fit, which may be in another format."""
        for end in _ENDS:
            if file.suffix != end:
                self.stem.with_name(self.stem.name + end).unlink(missing_ok=True)

    def close(self) -> None:
        """Give the folder back. Rows go, and a temporary folder does, unless the training is to be resumed there."""
        if not self.kept:
            for end in _ENDS:
                self.stem.with_name(self.stem.name + end).unlink(missing_ok=True)
        if not self._own:
            self._claim.close()
        elif not self.kept:
            shutil.rmtree(self.folder, ignore_errors=True)
