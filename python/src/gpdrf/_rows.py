"""Rows on their way to the program: as a file to train on, and as tensors to predict."""

from __future__ import annotations

import csv
import datetime
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from gpdrf._errors import WORD, GPDRFInputError

Numbers = NDArray[np.float64]
Tensors = dict[str, "Numbers | list[str]"]

_SEQUENCE = "sequence"
_SCAFFOLD = "scaffold"  # name for the groups of molecules that the program finds
_DENSE = 1 << 30  # largest size in bytes of a sparse matrix that becomes an array

# Words that the program takes for missing cells, among numbers or everywhere, and booleans in its numbers.
_NO_VALUE = re.compile(r"n/?a|nan|null|\?|#n/?a|<na>|nil|none|missing|unknown|--?|[\u2212\u2013\u2014.*]")
# Numbers with signs or a unit behind a blank, and days, which are no words.
_MONEY = r"$\xa2-\xa5\u20a0-\u20cf"
_AMOUNT = re.compile(
    rf"[-+(\u2212\u2013{_MONEY}]*\s*[.,]?\d[\d.,'\u2019\s]*([%\u2030){_MONEY}]*|(?<=\s)[^\W\d_]\S*)"
    r"|(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4})([t ].*)?"
    r"|(\d\d?[-/ ]?[a-z]{3,9}\.?[-/ ]?|[a-z]{3,9}\.? \d\d?,? )\d{4}([t :].*)?"
)
_TEXTS = (str, datetime.date, np.datetime64)  # a datetime and a Timestamp are dates, too
_SEVERAL = (list, tuple, dict, np.ndarray)
_BOOLEANS = {"true": 1.0, "false": 0.0}


@dataclass
class Rows:
    """Numbers [N, D], columns of numbers and words by name, or a sequence for each row: one of them is there."""

    numbers: Numbers | None = None
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    sequences: list[str] | None = None
    words: list[str] = field(default_factory=list)  # columns of text, in which digits and NA are words
    names: list[str] | None = None  # names of the numbers of a model that the program trained; None: x0, x1, …

    @classmethod
    def mixed(cls, frame: Any) -> Rows:
        """The columns of a data frame of pandas or polars."""
        columns: dict[str, NDArray[Any]] = {}
        words = []
        for j, own in enumerate(frame.columns):
            name = str(own).strip() or f"column {j + 1}"  # the program reads such a name, too
            if name in columns:
                raise GPDRFInputError(f'X: two columns are called "{name}": names must differ by more than blanks')
            columns[name] = _array(frame[own])
            if _is_category(frame[own]) or _has_na(columns[name]):
                words.append(name)
        return cls(columns=columns, words=words)

    def __len__(self) -> int:
        if self.numbers is not None:
            return len(self.numbers)
        return len(next(iter(self._cells().values())))

    def __getitem__(self, part: slice) -> Rows:
        return replace(
            self,
            numbers=None if self.numbers is None else self.numbers[part],
            columns={name: column[part] for name, column in self.columns.items()},
            sequences=None if self.sequences is None else self.sequences[part],
        )

    def characters(self) -> int:
        """How many characters the sequences and the words have."""
        texts: list[Iterable[Any]] = [self.sequences or []]
        texts += [cells for cells in self.columns.values() if cells.dtype.kind in "OUT"]
        return sum(len(cell) for cells in texts for cell in cells if isinstance(cell, str))

    def _names(self) -> list[str]:
        """The names of the columns of numbers."""
        assert self.numbers is not None
        return self.names or [f"x{j}" for j in range(self.numbers.shape[1])]

    def _cells(self) -> Mapping[str, Sequence[Any] | NDArray[Any]]:
        """The columns of a table."""
        if self.sequences is not None:
            return {_SEQUENCE: self.sequences}
        if self.numbers is not None:
            return dict(zip(self._names(), self.numbers.T, strict=True))
        return self.columns

    def need_names(self, columns: Sequence[str]) -> bool:
        """Whether a model with these inputs finds numbers by their names. In an array it takes them by their places.

        A column without cells in training is no input, nor is one that an option names; one with gaps is two inputs.
        """
        names = [] if self.numbers is None else self._names()
        return list(columns) != names and not set(columns).isdisjoint(names)

    def lacking(self, but: Sequence[str]) -> NDArray[np.bool_]:
        """Which rows lack a cell of a column that is an input, as one without any cell is not."""
        lacks = np.zeros(len(self), np.bool_)
        for name, cells in self._cells().items():
            missing = _lacks(cells, name in self.words)
            if name not in but and not missing.all():
                lacks |= missing
        return lacks

    def write(
        self,
        stem: Path,
        y: NDArray[Any] | None = None,
        roles: Mapping[str, NDArray[Any] | str] | None = None,
        named: bool = False,
    ) -> list[str]:
        """Write the rows, with their targets y [N] or [N, T] and their roles, and say how the program reads them.

        Numbers go as npz, which is fast and exact. What is missing, words, sequences and roles go as CSV, in which a
        number is exact, too, and so does what an option names by its column.
        """
        if self.numbers is not None and not roles and not named and np.isfinite(self.numbers).all():
            path = stem.with_name(stem.name + ".npz")
            if y is None:
                np.savez(path, x=self.numbers)
            else:
                np.savez(path, x=self.numbers, y=y)
            return ["--data", str(path)]
        cells = dict(self._cells())
        arguments = ["--sequence", _SEQUENCE] if self.sequences is not None and y is not None else []
        if y is not None:
            targets = [_add(cells, f"target{t}", column) for t, column in enumerate(y.reshape(len(y), -1).T)]
            for role, column in (roles or {}).items():
                arguments.append(f"--{role}={column if isinstance(column, str) else _add(cells, role, column)}")
            arguments += ["--target", ",".join(targets)]
            if self.words:
                names = list(cells)
                words = [str(names.index(word) + 1) if "," in word else word for word in self.words]
                arguments += ["--set", f"text={','.join(words)}"]
        path = stem.with_name(stem.name + ".csv")
        name, first = next(iter(cells.items()))
        hashes = self.numbers is None and any(text.startswith("#") for text in (name, *_texts(first)))
        with path.open("w", newline="", encoding="utf-8") as file:
            # the program takes a line that begins with # for a comment
            table = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL if hashes else csv.QUOTE_MINIMAL)
            table.writerow(cells)
            table.writerows(zip(*map(_texts, cells.values()), strict=True))
        return ["--data", str(path), "--set", "separator=comma", "--set", "header=yes", *arguments]

    def has_na(self) -> bool:
        """Whether a cell is a text that the program may take for a missing one."""
        return any(_is_na(v) for cells in self.columns.values() if cells.dtype.kind in "OUT" for v in cells)

    def with_words(self, hot: Iterable[Mapping[str, Any]]) -> Rows:
        """The rows with such texts as words in the columns of words of a model."""
        columns = dict(self.columns)
        for column in hot:
            name, known = column["column"], {*column["values"], *column.get("others", [])}
            if name in columns and not column.get("text"):
                cells = [v.strip() + WORD if _is_na(v) and v.strip() not in known else v for v in columns[name]]
                columns[name] = np.array(cells, object)
        return replace(self, columns=columns)

    def tensors(self, about: Mapping[str, Any]) -> Tensors:
        """The inputs of a request to a model with this description."""
        names: list[str] = about.get("numbers", [])
        if self.numbers is not None:
            place = {name: j for j, name in enumerate(self._names())}
            if not place.keys() >= set(names):  # loaded and saved by a version that kept no names
                return {"inputs": self.numbers}
            # a column that was empty in training is no input, and an offset comes last
            return {"inputs": self.numbers[:, [place[name] for name in names]]}
        tensors: Tensors = {}
        cells, columns = self._cells(), about["columns"]
        if self.sequences is not None and len(columns) == 1:
            cells = {columns[0]: self.sequences}
        for name in columns:
            if name not in cells:
                raise GPDRFInputError(f'X lacks the column "{name}": the model reads {", ".join(columns)}')
        for tensor in about["inputs"]:
            if tensor["datatype"] == "BYTES":
                tensors[tensor["name"]] = list(_texts(cells[tensor["name"]]))
            else:
                tensors[tensor["name"]] = np.stack([_floats(name, cells[name]) for name in names], axis=1)
        return tensors


def roles_of(rows: Rows, sample_weight: Any, groups: Any) -> dict[str, NDArray[Any] | str]:
    """The columns of rows that are not inputs, by the options that read them."""
    n = len(rows)
    roles: dict[str, NDArray[Any] | str] = {}
    if sample_weight is not None:
        weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
        if weights.shape != (n,):
            raise ValueError(f"sample_weight has the shape {weights.shape}: give a weight for each of the {n} rows")
        if (weights < 0).any():
            raise ValueError(f"sample_weight of row {(weights < 0).argmax() + 1} is negative: weights are 0 or more")
        if not weights.any():
            raise ValueError("sample_weight: all weights are zero: at least two rows must count")
        roles["weights"] = weights
    if isinstance(groups, str):
        if groups != _SCAFFOLD or rows.sequences is None:
            raise ValueError(f'groups is {groups!r}: give a group for each row, or "{_SCAFFOLD}" where X is molecules')
        roles["group"] = groups
    elif groups is not None:
        names = column_or_1d(groups)
        check_consistent_length(names, range(n))
        for i, name in enumerate(_as_given(groups).ravel().tolist()):
            if _missing(name):
                raise ValueError(f"groups of row {i + 1} is missing: each row needs a group")
        roles["group"] = np.unique(names, return_inverse=True)[1]
    return roles


def kept(rows: Rows, roles: Mapping[str, NDArray[Any] | str], drops: bool, ignored: Sequence[str]) -> int:
    """How many rows the program keeps: those with a weight, and with all cells where it drops others."""
    stay = np.asarray(roles.get("weights", np.ones(len(rows)))) > 0
    if drops:
        stay &= ~rows.lacking(ignored)
    return int(np.count_nonzero(stay))


def check_numbers(y: Any) -> None:
    """Refuse targets of a regression that are dates, times or durations, which numpy makes numbers of nanoseconds."""
    for column in [y[name] for name in y.columns] if is_frame(y) else [y]:
        cells = _as_given(column)
        kinds = (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64)
        for i, v in enumerate(cells.ravel() if cells.dtype.kind in "mMO" else []):
            if isinstance(v, kinds) or type(v).__name__ == "Period":
                raise GPDRFInputError(f'y, row {i + 1}: found "{v}", a date or a duration: give numbers, such as days')


def check_classes(y: Any) -> None:
    """Refuse a class that is missing among words or categories."""
    y = _as_given(y)
    for i, v in enumerate(y.ravel().tolist() if y.ndim and y.dtype.kind == "O" else []):
        if _missing(v):
            raise ValueError(f"y of row {i + 1} is missing: each row needs a class")


def _as_given(values: Any) -> NDArray[Any]:
    """An array of values. numpy has the text nan for a NaN among the texts of a list."""
    return np.asarray(values, object if isinstance(values, list | tuple) else None)


def _add(cells: dict[str, Any], name: str, column: Any) -> str:
    """Add a column, and give its name."""
    while name in cells:
        name += "_"
    cells[name] = column
    return name


def _texts(cells: Iterable[Any]) -> Iterable[str]:
    """Cells as the program reads them in a file; a missing one is empty. Dates are those of ISO 8601."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "M":
        return ("" if text == "NaT" else text for text in np.datetime_as_string(cells))
    values = cells.tolist() if isinstance(cells, np.ndarray) else cells
    return ("" if _missing(v) else str(v).replace("\r\n", "\n") for v in values)


def _floats(name: str, cells: Iterable[Any]) -> Numbers:
    return np.array([_float(name, i, v) for i, v in enumerate(cells)])


def _float(name: str, i: int, v: Any) -> float:
    """A cell of a column of numbers, as a file's reader takes it. An error counts the rows of a request."""
    word = v.strip().lower() if isinstance(v, str) else v
    if _missing(word) or word == "" or (isinstance(word, str) and _NO_VALUE.fullmatch(word)):
        return np.nan
    try:
        if not isinstance(word, str) or "_" not in word:  # Python accepts _ in numbers
            return _BOOLEANS[word] if word in _BOOLEANS else float(word)
    except (ValueError, TypeError, OverflowError):  # word is a text, a date, or has too many digits
        pass
    raise GPDRFInputError(f'row {i + 1}: found "{v}" in column "{name}", which must be a number')


def _lacks(cells: Any, words: bool) -> NDArray[np.bool_]:
    """Which cells the program takes for missing ones, of a column of words or another."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub":
        return np.asarray(np.isnan(cells), np.bool_)
    texts = (text.strip().lower() for text in _texts(cells))
    return np.array([not text or (not words and _NO_VALUE.fullmatch(text) is not None) for text in texts])


def _is_na(v: Any) -> bool:
    return isinstance(v, str) and _NO_VALUE.fullmatch(v.strip().lower()) is not None


def _missing(v: Any) -> bool:
    """None, NaN and pandas.NA, which is equal to nothing, not even to itself."""
    return v is None or type(v).__name__ in ("NAType", "NaTType") or bool(v != v)  # noqa: PLR0124


def dense(x: Any) -> Any:
    """A sparse matrix as an array, where that takes little memory. scikit-learn refuses others."""
    return x.toarray() if issparse(_collected(x)) and 8 * math.prod(x.shape) <= _DENSE else x


def is_frame(x: Any) -> bool:
    return hasattr(_collected(x), "columns") and hasattr(x, "dtypes")


def _collected(x: Any) -> Any:
    if type(x).__name__ == "LazyFrame":
        raise GPDRFInputError("a LazyFrame of polars has no rows yet: call its .collect()")
    return x


def check_same_columns(x: Any, names: NDArray[Any] | None, features: int | None) -> None:
    """A warm start takes the columns of the fit before, which stays as it is where they are others."""
    if names is not None and is_frame(x) and [str(name) for name in x.columns] != [str(name) for name in names]:
        raise ValueError(
            f"warm_start: X has the columns {list(x.columns)}, and the fit before had {list(names)}: "
            "give the same ones in the same order"
        )
    found = np.shape(x)[1:]
    if features is not None and found not in ((), (features,)):
        raise ValueError(f"warm_start: X has {found[0]} features, and the fit before had {features}: give the same")


def has_words(frame: Any) -> bool:
    """Whether a data frame has a column of words, categories or dates."""
    names = [str(name) for name in frame.columns]
    if twice := [name for name, n in Counter(names).items() if n > 1]:
        raise GPDRFInputError(f'X: two columns are called "{twice[0]}": names must differ')
    columns = [frame[name] for name in frame.columns]
    for name, column in zip(frame.columns, columns, strict=True):
        if np.asarray(column).dtype.kind == "m":
            raise GPDRFInputError(f'X: column "{name}" is of durations: give numbers, such as their seconds')
        if np.asarray(column).dtype.kind == "c" or any(isinstance(v, complex) for v in _objects(column)):
            raise GPDRFInputError(f'X: column "{name}" is of complex numbers: give their parts as two columns')
        if str(column.dtype).startswith("period"):
            raise GPDRFInputError(f'X: column "{name}" is of periods: give dates, such as their .dt.start_time')
        if any(isinstance(v, _SEVERAL) for v in _objects(column)):
            raise GPDRFInputError(f'X: column "{name}" is of lists: give each value a column, or leave it out')
        for v in _objects(column):
            if not (hasattr(v, "__float__") or isinstance(v, _TEXTS) or _missing(v)):
                raise GPDRFInputError(f'X: column "{name}" is of {type(v).__name__} objects: give numbers or texts')
    return any(_is_category(column) or any(isinstance(v, _TEXTS) for v in _objects(column)) for column in columns)


def _is_category(column: Any) -> bool:
    """Whether a column is categorical. Categories true and false are booleans."""
    if not str(column.dtype).startswith(("category", "Categorical", "Enum")):
        return False
    categories = getattr(column.dtype, "categories", None)
    return getattr(categories, "dtype", None) != np.bool_


def levels_of(y: Any) -> list[Any] | None:
    """The categories, from the lowest, of an ordered column of pandas or of an Enum of polars; None of others."""
    if is_frame(y) and len(y.columns) == 1:
        y = y[y.columns[0]]
    kind = getattr(y, "dtype", None)
    is_ordered = getattr(kind, "ordered", False) or str(kind).startswith("Enum")
    return list(kind.categories) if kind is not None and is_ordered else None


def _array(column: Any) -> NDArray[Any]:
    """The cells. Whole numbers among categories stay whole where cells are missing."""
    return np.asarray(column.astype(object) if str(column.dtype) == "category" else column)


def _has_na(cells: NDArray[Any]) -> bool:
    """Whether a column of words, not of numbers or days, has one that the program takes for a missing cell."""
    words = {v.strip().lower() for v in cells if isinstance(v, str)} if cells.dtype.kind in "OUT" else set()
    values = {word for word in words if not _NO_VALUE.fullmatch(word)}
    return values != words and any(not _is_number(word) for word in values - {""})


def _is_number(word: str) -> bool:
    """Whether a text in small letters is a number or a day, as tables have them."""
    if _AMOUNT.fullmatch(word):
        return True
    try:
        float(word)
    except ValueError:
        return False
    return True


def _objects(column: Any) -> NDArray[Any]:
    array = np.asarray(column)
    return array if array.dtype.kind in "OUTM" else array[:0]


def check_sequences(x: Iterable[Any]) -> None:
    """Refuse a sequence that is missing, in rows to predict."""
    for i, row in enumerate(x):
        if _missing(row):
            raise GPDRFInputError(f"X, row {i + 1}: the sequence is missing: fill it in, or remove the row")


def as_sequences(x: Any) -> list[str] | None:
    """The rows as sequences, where x is a list, an array or a column of texts. One that is missing is empty."""
    if isinstance(x, str) or not hasattr(x, "__len__") or getattr(x, "ndim", 1) != 1 or is_frame(x) or len(x) == 0:
        return None
    rows = list(x)
    if not any(isinstance(row, str) for row in rows) or not all(isinstance(row, str) or _missing(row) for row in rows):
        return None
    return [str(row) if isinstance(row, str) else "" for row in rows]
