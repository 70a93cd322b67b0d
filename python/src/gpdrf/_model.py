"""A trained model: the bytes of its file, their description, and its predictions."""

from __future__ import annotations

import csv
import json
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpdrf import _program, _server
from gpdrf._errors import GPDRFError, GPDRFInputError, warn
from gpdrf._rows import Numbers, Rows

MODEL_FILE = "model.safetensors"

_VALUES = {"gain", "bound", "draw", "variance", "entropy", "information"}  # the columns of suggest --how
_QUANTILES = ["q05", "q25", "q50", "q75", "q95"]


class Model:
    """A trained model, which pickles as the bytes of its file."""

    def __init__(self, content: bytes, arguments: Sequence[str] = ()) -> None:
        self.server = _server.Server(content, arguments)

    @property
    def content(self) -> bytes:
        return self.server.model

    def _about(self) -> dict[str, Any]:
        size = struct.unpack_from("<Q", self.content)[0]
        about: dict[str, Any] = json.loads(json.loads(self.content[8 : 8 + size])["__metadata__"]["trained"])
        return about

    def is_conformal(self) -> bool:
        """Whether it has intervals, or sets, of any level."""
        return "conformal" in self._about()

    def schema(self) -> dict[str, Any]:
        """The columns, the target and the classes."""
        try:
            about = self._about()
            if "members" in about:  # an ensemble
                about = about["members"][0]["trained"]
            schema: dict[str, Any] = about["schema"]
        except (ValueError, KeyError, struct.error) as error:
            raise GPDRFInputError("this is no model file of gpdrf-gpu") from error
        return schema

    def predict(self, rows: Rows, name: str, width: int = 1, **parameters: Any) -> Numbers:
        """The output of this name [N, …], of about width numbers a row."""
        rows = self._with_words(rows)
        why = "this system has no Unix sockets"
        if _server.available():
            try:
                return self.server.predict(rows, name, width, **parameters)
            except _server.NoSocketError as error:
                why = str(error)
        if parameters:
            raise GPDRFError(f"{why}; without a Unix socket there are no such {name}")
        warn(f"{why}: each call starts gpdrf-gpu predict, which takes longer")
        return self._by_command(rows, name)

    def _with_words(self, rows: Rows) -> Rows:
        return rows.with_words(self.schema().get("one_hot") or []) if rows.has_na() else rows

    def suggest(self, rows: Rows, arguments: Sequence[str], feasible: Model | None) -> tuple[NDArray[np.intp], Numbers]:
        """The rows that gpdrf-gpu suggest chooses, the best first, and their values."""
        header, *chosen = self._command("suggest", self._with_words(rows), arguments, feasible)
        row, value = header.index("row"), max(j for j, name in enumerate(header) if name in _VALUES)
        return np.array([int(cells[row]) - 1 for cells in chosen]), np.array([float(cells[value]) for cells in chosen])

    def _by_command(self, rows: Rows, name: str) -> Numbers:
        """An output by gpdrf-gpu predict."""
        header, *cells = self._command("predict", rows)
        if name == "probabilities":
            at = [j for j, column in enumerate(header) if column.startswith("p_")]
        else:
            of = _QUANTILES if name == "quantiles" else [name]
            at = [j for j, column in enumerate(header) if any(column == o or column.endswith(f"_{o}") for o in of)]
        values = np.array([[float(row[j]) for j in at] for row in cells])
        if name == "quantiles":
            return values.reshape(len(values), -1, len(_QUANTILES))
        return values[:, 0] if name == "distance" else values

    def _command(
        self, name: str, rows: Rows, arguments: Sequence[str] = (), feasible: Model | None = None
    ) -> list[list[str]]:
        """The table that a command writes about rows, with its header."""
        with tempfile.TemporaryDirectory(prefix="gpdrf-", ignore_cleanup_errors=True) as own:
            folder = Path(own)
            model, out = folder / MODEL_FILE, folder / "out.csv"
            model.write_bytes(self.content)
            named = any(rows.need_names(m.schema()["columns"] or []) for m in (self, feasible) if m is not None)
            command = [name, str(model), *rows.write(folder / "rows", named=named), "--out", str(out), *arguments]
            if feasible is not None:
                other = folder / f"feasible-{MODEL_FILE}"
                other.write_bytes(feasible.content)
                command += ["--feasible", str(other)]
            _program.run([*command, *self.server.arguments], folder)
            with out.open(newline="", encoding="utf-8") as file:
                return list(csv.reader(file))
