"""An estimator in a folder: the model as the program writes it, and what scikit-learn wants to know beside it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gpdrf._base import MIXED, NUMBERS, SEQUENCES, Estimator
from gpdrf._errors import GPDRFInputError
from gpdrf._model import MODEL_FILE, Model

_FILE = "estimator.json"
_FITTED = ["_kind", "_columns", "n_features_in_", "result_", "history_", "_config", "_asked"]
_ARRAYS = ["classes_", "feature_names_in_"]

E = TypeVar("E", bound=Estimator)


def save(estimator: Estimator, folder: Path) -> None:
    """Write a fitted estimator."""
    fitted = {name: getattr(estimator, name) for name in _FITTED if hasattr(estimator, name)}
    arrays = {name: getattr(estimator, name) for name in _ARRAYS if hasattr(estimator, name)}
    text = json.dumps(
        {
            "estimator": type(estimator).__name__,
            "model": _digest(estimator._model.content),
            "parameters": estimator.get_params(deep=False),
            "fitted": fitted,
            "arrays": {name: {"dtype": str(array.dtype), "values": array.tolist()} for name, array in arrays.items()},
        },
        indent=1,
        default=_plain,
    )
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / MODEL_FILE, estimator._model.content)
    _replace(folder / _FILE, text.encode())


def load(estimator: E, path: Path) -> E:
    """Make a new estimator that of a file."""
    file = path / MODEL_FILE if path.is_dir() else path
    name = type(estimator).__name__
    own = file.with_name(_FILE)
    read: dict[str, Any] = {}
    if file.name == MODEL_FILE and own.exists():
        read = json.loads(own.read_text(encoding="utf-8"))
        if read["estimator"] != name:
            raise GPDRFInputError(f"{path} holds a {read['estimator']}: read it by {read['estimator']}.load")
        estimator.set_params(**read["parameters"])
        for key, value in read["fitted"].items():
            setattr(estimator, key, value)
        for key, array in read["arrays"].items():
            setattr(estimator, key, np.array(array["values"], dtype=array["dtype"]))
    content = file.read_bytes()
    if read.get("model", _digest(content)) != _digest(content):
        raise GPDRFInputError(
            f"{path}: {_FILE} belongs to another {MODEL_FILE}, as where a save was killed, or two saves met: "
            "save the estimator again"
        )
    estimator._model = Model(content, estimator._predict_args())
    schema = estimator._model.schema()
    if schema["task"] not in name.lower().replace("regressor", "regression").replace("classifier", "classification"):
        raise GPDRFInputError(f"{path} holds a model of a {schema['task']}, which is not for a {name}")
    if not read:
        _describe(estimator, schema)
    return estimator


def _describe(estimator: Estimator, schema: dict[str, Any]) -> None:
    """What a model that the program has trained says about its columns and classes."""
    columns, offset = schema["columns"] or [], (schema.get("roles") or {}).get("offset")
    sequences = "alphabet" in schema
    by_name = any(schema.get(key) for key in ("one_hot", "fills", "dates", "notations"))
    estimator._kind = MIXED if by_name or offset or (sequences and columns) else SEQUENCES if sequences else NUMBERS
    if estimator._kind == NUMBERS:
        estimator.n_features_in_ = len(columns)
        estimator._columns = columns
        if columns != [f"x{j}" for j in range(len(columns))]:
            estimator.feature_names_in_ = np.array(columns, dtype=object)
    if classes := schema.get("classes"):
        whole = all(re.fullmatch("0|-?[1-9][0-9]*", c) for c in classes)  # "007" is no number
        estimator.classes_ = np.array([int(c) for c in classes] if whole else classes)


def _plain(value: Any) -> Any:
    """What JSON has no word for."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return os.fspath(value) if isinstance(value, os.PathLike) else None  # a RandomState is not kept


def _replace(file: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all."""
    new = file.with_name(f".{file.name}.new-{os.getpid()}-{threading.get_ident()}")
    new.write_bytes(content)
    new.replace(file)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
