"""Rows on their way to the program: as a file to train on, and as tensors to predict."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Tensors = dict[str, "Numbers | list[str]"]

_SEQUENCE = "sequence"


@dataclass
class Rows:
    """Numbers [N, D], columns of numbers and words by name, or a sequence for each row: one of them is there."""

    numbers: Numbers | None = None
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    sequences: list[str] | None = None

    @classmethod
    def mixed(cls, frame: Any) -> Rows:
        """The columns of a data frame of pandas or polars."""
        return cls(columns={str(name): np.asarray(frame[name]) for name in frame.columns})

    def __len__(self) -> int:
        if self.numbers is not None:
            return len(self.numbers)
        return len(next(iter(self._cells().values())))

    def __getitem__(self, part: slice) -> Rows:
        return Rows(
            None if self.numbers is None else self.numbers[part],
            {name: column[part] for name, column in self.columns.items()},
            None if self.sequences is None else self.sequences[part],
        )

    def _cells(self) -> Mapping[str, Sequence[Any] | NDArray[Any]]:
        """The columns of a table."""
        if self.sequences is not None:
            return {_SEQUENCE: self.sequences}
        if self.numbers is not None:
            return {f"x{j}": column for j, column in enumerate(self.numbers.T)}
        return self.columns

    def write(self, stem: Path, y: NDArray[Any] | None = None) -> list[str]:
        """Write the rows, with their targets y [N] or [N, T], and say how the program reads them.

        Numbers go as npz, which is fast and exact. What is missing, words and sequences go as CSV, in which a number is
        exact, too.
        """
        if self.numbers is not None and np.isfinite(self.numbers).all():
            path = stem.with_name(stem.name + ".npz")
            if y is None:
                np.savez(path, x=self.numbers)
            else:
                np.savez(path, x=self.numbers, y=y)
            return ["--data", str(path)]
        cells = dict(self._cells())
        arguments = ["--sequence", _SEQUENCE] if self.sequences is not None and y is not None else []
        if y is not None:
            targets: list[str] = []
            for column in y.reshape(len(y), -1).T:
                name = f"target{len(targets)}"
                while name in cells:
                    name += "_"
                targets.append(name)
                cells[name] = column
            arguments += ["--target", ",".join(targets)]
        path = stem.with_name(stem.name + ".csv")
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(cells)
            table.writerows(zip(*map(_texts, cells.values()), strict=True))
        return ["--data", str(path), "--set", "separator=comma", "--set", "header=yes", *arguments]

    def tensors(self, about: Mapping[str, Any]) -> Tensors:
        """The inputs of a request to a model with this description."""
        names: list[str] = about.get("numbers", [])
        if self.numbers is not None:
            if len(names) == self.numbers.shape[1]:
                return {"inputs": self.numbers}
            return {
                "inputs": self.numbers[:, [int(name[1:]) for name in names]]
            }  # one that was empty in training is no input
        tensors: Tensors = {}
        cells = self._cells()
        for tensor in about["inputs"]:
            if tensor["datatype"] == "BYTES":
                tensors[tensor["name"]] = list(_texts(cells[tensor["name"]]))
            else:
                tensors[tensor["name"]] = np.stack([_floats(cells[name]) for name in names], axis=1)
        return tensors


def _texts(cells: Iterable[Any]) -> Iterable[str]:
    """Cells as they stand in a file; a missing one is empty."""
    values = cells.tolist() if isinstance(cells, np.ndarray) else cells
    return ("" if _missing(v) else str(int(v)) if isinstance(v, bool) else str(v) for v in values)


def _floats(cells: Iterable[Any]) -> Numbers:
    return np.array([np.nan if _missing(v) else float(v) for v in cells])


def _missing(v: Any) -> bool:
    """None, NaN and pandas.NA, which is equal to nothing, not even to itself."""
    return v is None or type(v).__name__ in ("NAType", "NaTType") or bool(v != v)  # noqa: PLR0124


def is_frame(x: Any) -> bool:
    return hasattr(x, "columns") and hasattr(x, "dtypes")


def has_words(frame: Any) -> bool:
    """Whether a data frame has a column of words."""
    return any(isinstance(v, str) for name in frame.columns for v in _objects(frame[name]))


def _objects(column: Any) -> NDArray[Any]:
    array = np.asarray(column)
    return array if array.dtype.kind in "OUT" else array[:0]


def as_sequences(x: Any) -> list[str] | None:
    """The rows as sequences, where x is a list, an array or a column of texts."""
    if isinstance(x, str) or not hasattr(x, "__len__") or getattr(x, "ndim", 1) != 1 or is_frame(x) or len(x) == 0:
        return None
    rows = list(x)
    return [str(row) for row in rows] if all(isinstance(row, str) for row in rows) else None
