"""Rows for the tests, options with which a training takes a tenth of a second, and processes that train."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpdrf import _program

SMALL: dict[str, Any] = {
    "steps": 60,
    "inducing": 20,
    "features": 20,
    "latents": 2,
    "lr": 0.05,
    "eval_samples": 20,
    "random_state": 1,
}
LONG: dict[str, Any] = {**SMALL, "steps": 1_000_000, "verbose": True}

Array = NDArray[np.float64]


@pytest.fixture(scope="session")
def x() -> Array:
    """A hundred rows."""
    return np.random.default_rng(1).normal(size=(100, 3))


@pytest.fixture(scope="session")
def y(x: Array) -> Array:
    """Their targets, a sine with noise."""
    noise = np.random.default_rng(1).normal(size=400)[x.size :]
    return np.sin(2 * x[:, 0]) + x[:, 1] + 0.1 * noise


@pytest.fixture(scope="session")
def genes() -> tuple[list[str], list[str]]:
    """Sequences, some of which have GATTACA at their end."""
    rng = np.random.default_rng(2)
    plain = ["".join(rng.choice(list("ACGT"), size=rng.integers(20, 40))) for _ in range(60)]
    marked = [text + ("GATTACA" if i % 2 else "") for i, text in enumerate(plain)]
    return marked, ["yes" if i % 2 else "no" for i in range(60)]


@pytest.fixture
def fake_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a script in the place of the program."""

    def put(text: str) -> None:
        program = tmp_path / "program"
        program.write_text(text)
        program.chmod(0o700)
        monkeypatch.setattr(_program, "path", lambda: str(program))

    return put


def fits(options: dict[str, Any]) -> list[str]:
    """The command of a process that fits with these options."""
    code = (
        "import numpy as np, gpdrf\n"
        "x = np.random.default_rng(1).normal(size=(100, 2))\n"
        f"gpdrf.GPDRFRegressor(**{options!r}).fit(x, x[:, 0] ** 2)\n"
    )
    return [sys.executable, "-c", code]


def start(run: Path | None, folder: Path) -> subprocess.Popen[str]:
    """A process whose fit has done a step."""
    process = subprocess.Popen(
        fits({**LONG, "run": run and str(run)}),
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    wait_for_step(process)
    return process


def wait_for_step(process: subprocess.Popen[str]) -> None:
    """Wait until the fit of a process has done a step."""
    assert process.stderr is not None
    seen = ""
    while "step" not in seen:
        text = process.stderr.read(1)
        assert text, seen
        seen += text


def eventually(holds: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether something holds within some seconds."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def refused(
    match: str, call: Callable[..., object], *args: Any, error: type[Exception] = ValueError, **options: Any
) -> None:
    """A call raises an error with such a message."""
    with pytest.raises(error, match=match):
        call(*args, **options)
