"""Fits side by side, and what is left of those that were killed."""

import os
import sys
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from gpdrf import GPDRFInputError, GPDRFRegressor
from gpdrf._run import Run

from .conftest import LONG, SMALL, Array, eventually, refused, start
from .test_training import interrupted_fit

FEW: dict[str, Any] = {**SMALL, "steps": 3, "threads": 1}


def fit(of: tuple[str, tuple[Array, Array]]) -> Any:
    """The predictions of a fit in a folder that others use, or the words of its error."""
    run, (x, y) = of
    try:
        return GPDRFRegressor(**FEW, run=run).fit(x, y).predict(x)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("same", [True, False])
def test_threads(same: bool, x: Array, y: Array, tmp_path: Path) -> None:
    """Each of 30 fits has a model of its own, or an error that names the folder."""
    targets = [y, 100 + x[:, 1] ** 2]
    want = [GPDRFRegressor(**FEW).fit(x, t).predict(x) for t in targets]
    asked = [(str(tmp_path / ("run" if same else f"run{i % 2}")), (x, targets[i % 2])) for i in range(30)]
    with ThreadPoolExecutor(2) as threads:
        got = list(threads.map(fit, asked))
    found: Counter[str] = Counter()
    for i, values in enumerate(got):
        if isinstance(values, str):
            assert "another fit is at work in this folder" in values
            assert asked[i][0] in values
            found["error"] += 1
        else:
            assert np.array_equal(values, want[i % 2])
    assert found["error"] < 30
    assert not [path for path in tmp_path.iterdir() if not path.name.startswith("run") or "rows" in path.name]


def test_processes(x: Array, y: Array, tmp_path: Path) -> None:
    """A search in two processes whose clones have one run gives no model of another fit."""
    search = GridSearchCV(
        GPDRFRegressor(**FEW, run=tmp_path / "run"), {"lr": [0.01, 0.05, 0.1]}, cv=2, n_jobs=2, error_score=np.nan
    )
    alone = GridSearchCV(GPDRFRegressor(**FEW), {"lr": [0.01, 0.05, 0.1]}, cv=2)
    with warnings.catch_warnings(action="ignore"):
        search.fit(x, y)
        alone.fit(x, y)
    for split in range(2):
        got, want = (s.cv_results_[f"split{split}_test_score"] for s in (search, alone))
        assert np.array_equal(got[~np.isnan(got)], want[~np.isnan(got)])


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_in_a_run(tmp_path: Path) -> None:
    """The next fit resumes at once with the same rows. Nothing else is left beside the run."""
    run = tmp_path / "run"
    rng = np.random.default_rng(1).normal(size=(100, 2))
    with start(run, tmp_path) as process:
        refused("another fit is at work in this folder", GPDRFRegressor(**FEW, run=run).fit, rng, rng[:, 0])
        process.kill()
    assert eventually((run / "checkpoint.safetensors").exists)
    refused("the training rows have changed", GPDRFRegressor(**LONG, run=run).fit, rng, rng[:, 1])
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith("gpdrf-")} <= {"run"}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_while_it_replaces(x: Array, y: Array, tmp_path: Path) -> None:
    """A run that was to be replaced stays, and what was to replace it goes with the next fit."""
    run = tmp_path / "run"
    want = GPDRFRegressor(**FEW, run=run).fit(x, y).predict(x)
    with start(run, tmp_path) as process:
        process.kill()
    assert np.array_equal(GPDRFRegressor.load(run).predict(x), want)
    assert eventually(lambda: bool(list(tmp_path.glob(".run-new.tmp-*/result.json"))))
    again = GPDRFRegressor(**FEW, run=run).fit(x, -y)
    assert again.result_["steps"] == FEW["steps"]
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith("gpdrf-")] == ["run"]


def test_interrupted_while_it_replaces(x: Array, y: Array, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C the estimator has the model of its own fit, not that of the run it was to replace."""
    run = tmp_path / "lr=[0.1]"
    old = GPDRFRegressor(**FEW, run=run).fit(x, y)
    model = GPDRFRegressor(**LONG, run=run)
    assert "fit continues" in interrupted_fit(monkeypatch, model, x, 100 + y)
    assert model.predict(x).mean() > 50
    assert not np.array_equal(old.predict(x), model.predict(x))
    steps = model.result_["steps"]
    interrupted_fit(monkeypatch, model, x, 100 + y)
    assert model.result_["steps"] > steps


def test_a_finished_run_with_a_checkpoint(x: Array, y: Array, tmp_path: Path) -> None:
    """A process that was killed at its very end leaves both, and no other fit takes that model."""
    run = tmp_path / "run"
    GPDRFRegressor(**FEW, run=run).fit(x, y)
    (run / "checkpoint.safetensors").write_bytes(b"")
    other = GPDRFRegressor(**FEW, run=run).fit(x, -y)
    assert np.array_equal(other.predict(x), GPDRFRegressor(**FEW).fit(x, -y).predict(x))


def test_interrupted_before_it_begins(x: Array, y: Array, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit that is stopped while it waits for the program of another gives its folder back."""

    def interrupt(*_: Any) -> bool:
        raise KeyboardInterrupt

    model = GPDRFRegressor(**FEW, run=tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(Run, "_wait", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(x, y)
    assert model.fit(x, y).result_["steps"] == FEW["steps"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_child(tmp_path: Path) -> None:
    """A child that was forked from a fit leaves the folder to it."""
    run = Run(tmp_path / "run")
    if (child := os.fork()) == 0:
        run.close()
        os._exit(0)
    os.waitpid(child, 0)
    with pytest.raises(GPDRFInputError, match="another fit"):
        Run(tmp_path / "run")
    run.close()
    Run(tmp_path / "run").close()
