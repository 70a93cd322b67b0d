"""The options of gpdrf-gpu train that are parameters of the estimators."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from gpdrf._errors import GPDRFInputError

LENGTH = {"steps", "epochs", "time-limit", "time_limit"}
EACH = {*LENGTH, "device"}  # options that belong to a fit, and not to a model at which it starts

# Parameters of the estimators that are no options of gpdrf-gpu train by the same name.
OTHERS = {"time_limit", "threads", "options", "run", "warm_start", "random_state", "verbose"}


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """A seed of the program."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def plain(value: Any) -> Any:
    """A value, or a list of values, of numpy or pandas as one of Python."""
    return value.tolist() if hasattr(value, "tolist") else value


def check(options: Any, given: Mapping[str, Any]) -> None:
    """Refuse options that are no dict, or that are parameters with values of their own."""
    if not isinstance(options, Mapping | None):
        raise GPDRFInputError(f'options is {options!r}: give a dict, such as {{"natgrad": 0.1}}')
    for name, value in (options or {}).items():
        parameter = "random_state" if name == "seed" else name.replace("-", "_")
        if parameter in given:
            raise GPDRFInputError(
                f"{parameter}={given[parameter]!r} and options={{{name!r}: {value!r}}} are the same option: give one"
            )


def names(options: Mapping[str, Any] | None, name: str) -> list[str]:
    """The columns that an option names."""
    return [column.strip() for column in text((options or {}).get(name, "")).split(",")]


def names_columns(options: Mapping[str, Any] | None) -> bool:
    """Whether an option names columns of X."""
    return not {"offset", "weights", "group", "time", "ignore", "text", "id"}.isdisjoint(options or {})


def text(value: Any) -> str:
    """A value as an option has it."""
    value = plain(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(map(text, value))
    return str(value)
