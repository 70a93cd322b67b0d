"""Rows for the tests, and options with which a training takes a tenth of a second."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

SMALL: dict[str, Any] = {
    "steps": 60,
    "inducing": 20,
    "features": 20,
    "latents": 2,
    "lr": 0.05,
    "eval_samples": 20,
    "random_state": 1,
}

Table = tuple[NDArray[np.float64], NDArray[np.float64]]


@pytest.fixture(scope="session")
def table() -> Table:
    """A hundred rows of a sine."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(100, 3))
    return x, np.sin(2 * x[:, 0]) + x[:, 1] + 0.1 * rng.normal(size=100)


@pytest.fixture(scope="session")
def genes() -> tuple[list[str], list[str]]:
    """Sequences, some of which have GATTACA at their end."""
    rng = np.random.default_rng(2)
    plain = ["".join(rng.choice(list("ACGT"), size=rng.integers(20, 40))) for _ in range(60)]
    marked = [text + ("GATTACA" if i % 2 else "") for i, text in enumerate(plain)]
    return marked, ["yes" if i % 2 else "no" for i in range(60)]
