"""Training as a command: its end by Ctrl-C, its folder, what it says, and files of models."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gpdrf import GPDRFClassifier, GPDRFError, GPDRFRegressor, GPDRFWarning, _program

from .conftest import LONG, SMALL, Array, eventually, fits, refused, start, wait_for_step


def interrupted_fit(monkeypatch: pytest.MonkeyPatch, model: GPDRFRegressor, x: Array, y: Array) -> str:
    """What is said of a fit that Ctrl-C ends after a step."""
    follow = _program._follow

    def once(stderr_lines: Any, lines: list[str], progress: Any) -> None:
        monkeypatch.setattr(_program, "_follow", follow)
        while not stderr_lines.get().startswith("step"):
            pass
        raise KeyboardInterrupt

    monkeypatch.setattr(_program, "_follow", once)
    with pytest.raises(KeyboardInterrupt) as end:
        model.fit(x, y)
    return str(end.value)


def test_ctrl_c(x: Array, y: Array, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C keeps the model so far, and fit resumes from there."""
    run = tmp_path / "runs" / "one"
    model = GPDRFRegressor(**LONG, run=run)
    assert f"run={str(run)!r}, fit continues" in interrupted_fit(monkeypatch, model, x, y)
    steps = model.result_["steps"]
    assert 0 < steps < 1_000_000
    assert model.predict(x).shape == (100,)
    assert (run / "checkpoint.safetensors").exists()

    interrupted_fit(monkeypatch, model, x, y)
    assert model.result_["steps"] > steps
    refused("the training rows have changed", model.fit, x[:50], y[:50])
    refused("the run began with", model.set_params(lr=0.1).fit, x, y)


def test_resumed_is_the_same(x: Array, y: Array, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A training that was interrupted ends with the bits of one that was not."""
    options, run = {**SMALL, "steps": 5000}, tmp_path / "run"
    model = GPDRFRegressor(**options, run=run, verbose=True)
    interrupted_fit(monkeypatch, model, x, y)
    model.fit(x, y)
    assert model.result_["steps"] == 5000
    assert np.array_equal(model.predict(x), GPDRFRegressor(**options).fit(x, y).predict(x))
    assert [file.name for file in tmp_path.iterdir()] == ["run"]
    before = model.result_
    with warnings.catch_warnings(action="error"), pytest.raises(GPDRFWarning, match="replaces"):
        model.fit(x[:50], y[:50])
    assert json.loads((run / "result.json").read_text()) == before
    with pytest.warns(GPDRFWarning, match=re.escape(f"run={str(run)!r}: this fit replaces")):
        model.fit(x[:50], y[:50])
    assert json.loads((run / "result.json").read_text()) == model.result_ != before


@pytest.mark.skipif(sys.platform == "win32", reason="a process gets no Ctrl-C from another there")
def test_ctrl_c_from_outside(tmp_path: Path) -> None:
    """A notebook's kernel gets SIGINT."""
    code = (
        "import numpy as np, gpdrf\n"
        f"model = gpdrf.GPDRFRegressor(**{LONG!r}, run={str(tmp_path / 'run')!r})\n"
        "x = np.random.default_rng(1).normal(size=(100, 2))\n"
        "try:\n    model.fit(x, x[:, 0])\n"
        "except KeyboardInterrupt as end:\n    print(end, model.predict(x[:1]).shape)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True) as process:
        wait_for_step(process)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=300)[0]
    assert "the estimator has the model so far" in said
    assert "(1,)" in said


@pytest.mark.skipif(sys.platform == "win32", reason="a process gets no Ctrl-C from another there")
def test_ctrl_c_with_polars() -> None:
    """polars asks the system to resume reads after a signal. Ctrl-C ends a fit and a prediction even so."""
    code = (
        "import os, signal, threading, numpy as np, polars, gpdrf\n"
        "def interrupt(call):\n"
        "    threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    try:\n        call()\n"
        "    except KeyboardInterrupt:\n        print('interrupted')\n"
        "x = np.random.default_rng(1).normal(size=(100, 2))\n"
        f"model = gpdrf.GPDRFRegressor(**{SMALL!r}).fit(x, x[:, 0])\n"
        "model.set_params(steps=1_000_000)\n"
        "interrupt(lambda: model.fit(x, x[:, 0]))\n"
        "print(model.predict(x[:1]).shape)\n"
        "os.kill(model._model.server._child.process.pid, signal.SIGSTOP)\n"
        "interrupt(lambda: model.predict(x[:1]))\n"
    )
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    assert said.split("\n") == ["interrupted", "(1,)", "interrupted", ""]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed(tmp_path: Path) -> None:
    """Where Python is killed, the training stops, and its run can go on."""
    run = tmp_path / "run"
    with start(run, tmp_path) as process:
        process.kill()
    assert eventually((run / "result.json").exists, seconds=300)


def test_nothing_is_left(x: Array, y: Array, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    GPDRFRegressor(**SMALL).fit(x, y)
    refused("preset", GPDRFRegressor(preset="no").fit, x, y)
    assert not list(tmp_path.iterdir())


def test_errors_have_the_words_of_the_program(x: Array, y: Array) -> None:
    refused(r"^X: y holds the value 1 only", GPDRFRegressor(**SMALL).fit, x, np.ones(100))
    with pytest.raises(ValueError, match=r"^X: y\[:, 1\] holds the value 1 only"):
        GPDRFRegressor(**SMALL).fit(["ACGT", "GGTA"] * 50, np.stack([np.arange(100), np.ones(100)], axis=1))
    with pytest.raises(ValueError, match=r"^X: y\[:, 1\] holds the value 1 only"):
        GPDRFRegressor(**SMALL).fit(x, np.stack([np.arange(100), np.ones(100)], axis=1))
    for rows in (x, ["ACGT", "GGTA"] * 50):
        with pytest.raises(ValueError, match=r"^X[:,] row 1: y is -0.5, and counts are"):
            GPDRFRegressor(**SMALL, likelihood="poisson").fit(rows, np.arange(100) - 0.5)
    refused(r'^lr: "-1" must be', GPDRFRegressor(**{**SMALL, "lr": -1}).fit, x, y)
    refused(r'^unknown key "a --set b": see', GPDRFRegressor(options={"a --set b": 1}).fit, x, y)
    with pytest.raises(ValueError, match=r"^level: is that of conformal intervals: give conformal, too"):
        GPDRFRegressor(**SMALL, options={"level": 0.9}).fit(x, y)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_by_the_system(x: Array, y: Array, fake_program: Callable[[str], None]) -> None:
    """A program that takes more memory than there is cannot tell why it ends."""
    fake_program("#!/bin/sh\necho a note >&2\nkill -KILL $$\n")
    with pytest.raises(GPDRFError, match=r"^the program was ended by signal 9: is there enough memory"):
        GPDRFRegressor(**SMALL).fit(x, y)


def test_progress(x: Array, y: Array, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    GPDRFRegressor(**SMALL, verbose=True).fit(x, y)
    assert "60/60" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    GPDRFRegressor(**SMALL, verbose=True).fit(x, y)
    assert "step 60 of 60  ELBO" in capsys.readouterr().err
    GPDRFRegressor(**SMALL, verbose=True, options={"objective": "predictive"}).fit(x, y)
    assert "step 60 of 60  objective" in capsys.readouterr().err
    GPDRFRegressor(**SMALL).fit(x, y)
    assert not capsys.readouterr().err


@pytest.mark.parametrize("kind", ["numbers", "classes", "words"])
def test_save_and_load(kind: str, x: Array, y: Array, tmp_path: Path) -> None:
    estimator = GPDRFRegressor if kind == "numbers" else GPDRFClassifier
    target = y if kind == "numbers" else (y > 0) if kind == "classes" else np.where(y > 0, "plus", "minus")
    model = estimator(**SMALL, options={"natgrad": 0.1}).fit(x, target)
    model.save(tmp_path / "model")
    other = estimator.load(tmp_path / "model")
    assert np.array_equal(other.predict(x), model.predict(x))
    assert other.get_params() == model.get_params()
    assert other.result_ == model.result_
    refused("load", (GPDRFClassifier if kind == "numbers" else GPDRFRegressor).load, tmp_path / "model")


def test_load_what_does_not_belong_together(x: Array, y: Array, tmp_path: Path) -> None:
    """A save that is killed between its two files leaves a model beside what was said of the one before."""
    before = GPDRFClassifier(**SMALL).fit(x, np.where(y > 0, "plus", "minus"))
    after = GPDRFClassifier(**SMALL).fit(x, np.where(y > 0.5, "cold", "warm"))
    before.save(tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").write_bytes(after._model.content)
    refused(r"belongs to another model\.safetensors", GPDRFClassifier.load, tmp_path / "model")
    after.save(tmp_path / "model")
    assert np.array_equal(GPDRFClassifier.load(tmp_path / "model").predict(x), after.predict(x))
    other = tmp_path / "model" / "other.safetensors"  # the file of the estimator does not name it
    other.write_bytes(before._model.content)
    assert np.array_equal(GPDRFClassifier.load(other).predict_proba(x), before.predict_proba(x))


def test_save_keeps_arrays_of_options(x: Array, y: Array, tmp_path: Path) -> None:
    order = np.array(["low", "middle", "high"])
    levels = GPDRFClassifier(**SMALL, likelihood="ordinal", options={"order": order})
    levels.fit(x, order[np.digitize(y, [-0.5, 0.5])]).save(tmp_path / "levels")
    assert GPDRFClassifier.load(tmp_path / "levels").options == {"order": ["low", "middle", "high"]}


def train(rows: Path, run: Path, *options: str) -> None:
    """Train by the command line, without a report."""
    command = ["train", "--data", str(rows), "--set", "report=false", "--quiet", "--out", str(run), *options]
    subprocess.run([_program.path(), *command], check=True, stdout=subprocess.DEVNULL)


def test_load_what_the_program_trained(x: Array, y: Array, tmp_path: Path) -> None:
    """A run folder of the command line, with names of columns and words as classes."""
    rows = tmp_path / "rows.csv"
    lines = [f"{a!r},{b!r},{c!r},{'plus' if t > 0 else 'minus'}" for (a, b, c), t in zip(x.tolist(), y, strict=True)]
    rows.write_text("a,b,c,sign\n" + "\n".join(lines) + "\n")
    train(rows, tmp_path / "run", "--steps=60")
    model = GPDRFClassifier.load(tmp_path / "run")
    assert list(model.classes_) == ["minus", "plus"]
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    with pytest.warns(match="feature names"):
        assert model.score(x, np.where(y > 0, "plus", "minus")) > 0.8
    refused("which is not for a GPDRFRegressor", GPDRFRegressor.load, tmp_path / "run" / "model.safetensors")
    (tmp_path / "no.safetensors").write_text("nothing")
    refused("no model file", GPDRFRegressor.load, tmp_path / "no.safetensors")


def test_load_classes_of_digits(tmp_path: Path) -> None:
    """Only classes that are written as whole numbers become some."""
    for first, second in (("007", "7"), ("-3", "10")):
        rows = tmp_path / f"{first}.csv"
        rows.write_text("a,class\n" + "".join(f"{i},{first if i % 2 else second}\n" for i in range(60)))
        run = tmp_path / f"run{first}"
        train(rows, run, "--task", "classification", "--steps=20")
        classes = list(GPDRFClassifier.load(run).classes_)
        assert classes == (["007", "7"] if first == "007" else [-3, 10])


def test_warnings_of_the_program(genes: tuple[list[str], list[str]]) -> None:
    with pytest.warns(GPDRFWarning, match="sequences without any feature"):
        GPDRFClassifier(steps=20, kernel="spectrum:31", random_state=1).fit(*genes)


@pytest.mark.skipif(sys.platform == "win32", reason="a worker cannot tell that its parent has ended there")
@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_training_ends_with_the_parent_of_its_worker(backend: str, tmp_path: Path) -> None:
    """A worker of joblib outlives the process that started it, but its training does not."""
    script, quiet = tmp_path / "script.py", {**LONG, "verbose": False, "threads": 1}
    script.write_text(
        "import os, pathlib, sys, joblib, numpy as np\n"
        "from gpdrf import GPDRFRegressor\n"
        "def fit(run):\n"
        "    pathlib.Path(run + '.worker').write_text(str(os.getpid()))\n"
        f"    GPDRFRegressor(**{quiet!r}, run=run).fit(np.random.rand(50, 2), np.arange(50.0))\n"
        "if __name__ == '__main__':\n"
        "    runs = [sys.argv[2] + '/a', sys.argv[2] + '/b']\n"
        "    joblib.Parallel(n_jobs=2, backend=sys.argv[1])(joblib.delayed(fit)(run) for run in runs)\n"
    )
    process = subprocess.Popen([sys.executable, str(script), backend, str(tmp_path)])

    def both_have_begun() -> bool:
        """Whether both have done a step. To look at their locks would take these for a moment."""
        with contextlib.suppress(FileNotFoundError):  # the first checkpoint moves a folder to its place
            logs = [*tmp_path.glob(".?.tmp-*/metrics.jsonl"), *tmp_path.glob("?/metrics.jsonl")]
            return sum(log.stat().st_size > 0 for log in logs) == 2
        return False

    try:
        assert eventually(lambda: process.poll() is not None or both_have_begun(), seconds=300)
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
    for run in (tmp_path / "a", tmp_path / "b"):  # without a signal, all steps take many minutes
        assert eventually((run / "result.json").exists, seconds=300)
        assert json.loads((run / "result.json").read_text())["interrupted"]
    for file in tmp_path.glob("*.worker"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(file.read_text()), signal.SIGKILL)


def test_warm_start(x: Array, y: Array, tmp_path: Path) -> None:
    """A fit starts at the fitted model, with its options, and takes a fifth of its steps or those that are given."""
    model = GPDRFRegressor(**{**SMALL, "steps": None, "random_state": None}, warm_start=True)
    model.set_params(steps=300).fit(x, y)
    model.set_params(steps=None).fit(x[:50], y[:50] + 1)
    assert model.result_["steps"] == 60
    assert abs(np.mean(model.predict(x) - y) - 1) < 0.5
    model.save(tmp_path / "saved")
    again = GPDRFRegressor.load(tmp_path / "saved")
    assert again.set_params(steps=3).fit(x, y).result_["steps"] == 3
    refused('inducing: the model of the estimator was made with "20"', model.set_params(inducing=10).fit, x, y)
    refused("X has 2 features, and the fit before had 3", model.set_params(inducing=20).fit, x[:, :2], y)
    refused("inducing was 20 before, and is not given now", model.set_params(inducing=None).fit, x, y)


def test_warm_start_of_classes(x: Array, y: Array) -> None:
    model = GPDRFClassifier(**SMALL, warm_start=True).fit(x, y > 0)
    assert model.fit(x, y > 0.5).result_["steps"] == 60
    assert model.set_params(random_state=np.int64(1)).fit(x, y > 0.5).result_["steps"] == 60
    refused("seed: the model of the estimator was", model.set_params(random_state=np.int64(2)).fit, x, y > 0)
    model.set_params(random_state=1)
    refused("must hold the classes of the fit before", model.fit, x, np.where(y > 0, "a", "b"))


@pytest.mark.parametrize("names", ["x1,x2,x3", "x2,x0,x1"])
def test_load_names_like_those_of_arrays(names: str, x: Array, y: Array, tmp_path: Path) -> None:
    """Columns that are called x1, x2, … keep their order, also in a model that is saved again."""
    rows, run, out = tmp_path / "rows.csv", tmp_path / "run", tmp_path / "out.csv"
    np.savetxt(rows, np.column_stack([x, y]), "%.17g", ",", header=names + ",y", comments="")
    train(rows, run, "--steps=60")
    predict = ["predict", str(run), "--data", str(rows), "--out", str(out)]
    subprocess.run([_program.path(), *predict], check=True, stdout=subprocess.DEVNULL)
    frame = pd.DataFrame(x, columns=names.split(","))
    model = GPDRFRegressor.load(run)
    assert np.allclose(model.predict(frame), pd.read_csv(out)["mean"])
    model.save(tmp_path / "again")
    assert np.array_equal(GPDRFRegressor.load(tmp_path / "again").predict(frame), model.predict(frame))
    before = model.predict(frame)
    refused("warm_start: the model was not fitted here", model.set_params(warm_start=True).fit, frame, y)
    assert np.array_equal(model.predict(frame), before)


def test_log_of_a_full_disk(x: Array, y: Array, tmp_path: Path) -> None:
    """A part of a last line, which a full disk leaves, is no reading."""
    run = tmp_path / "run"
    model = GPDRFRegressor(**SMALL, run=run).fit(x, y)
    before = model.history_
    with (run / "metrics.jsonl").open("a") as log:
        log.write('{"step": 6')
    model._adopt_run(run)
    assert model.history_ == before


def test_finished_ensemble(x: Array, y: Array, tmp_path: Path) -> None:
    """A finished run stays where an ensemble is to be, and a single model replaces that, too."""
    ensemble = GPDRFRegressor(**SMALL, ensemble=2, run=tmp_path / "run").fit(x, y)
    before = ensemble.predict(x)
    refused(r"run=.*: a finished run is there", ensemble.fit, x, y)
    assert np.array_equal(ensemble.predict(x), before)
    assert ensemble.set_params(ensemble=None).fit(x, y).history_


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_ensemble(tmp_path: Path) -> None:
    """The next fit continues an ensemble, or a search, that was ended."""
    run = tmp_path / "run"
    options = {**SMALL, "steps": 3000, "ensemble": 3, "run": str(run)}
    with subprocess.Popen(fits(options)) as process:
        while not (run / "best.json").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    assert not (run / "result.json").exists()
    x = np.random.default_rng(1).normal(size=(100, 2))
    assert GPDRFRegressor(**options).fit(x, x[:, 0] ** 2).predict(x).shape == (100,)
    assert (run / "result.json").exists()


def test_load_dates_and_sequences(x: Array, y: Array, tmp_path: Path) -> None:
    """A model of the program takes columns by name, or a list of its sequences."""
    days = pd.date_range("2024-01-01", periods=100).strftime("%Y-%m-%d")
    tables = {
        "dates": pd.DataFrame({"day": days, "a": x[:, 0], "y": y}),
        "smiles": pd.DataFrame({"smiles": ["CCO", "CCN", "CCC", "COC"] * 25, "y": y}),
    }
    for name, frame in tables.items():
        rows, run = tmp_path / f"{name}.csv", tmp_path / name
        frame.to_csv(rows, index=False)
        more = ["--sequence", "smiles", "--kernel", "wl:1"] if name == "smiles" else []
        train(rows, run, "--steps=20", *more)
        model = GPDRFRegressor.load(run)
        inputs = frame["smiles"].tolist() if name == "smiles" else frame.drop(columns="y")
        with warnings.catch_warnings(action="error", category=UserWarning):  # that names are missing
            assert model.predict(inputs).shape == (100,)
    with pytest.raises(ValueError, match='X lacks the column "day": the model reads day, a'):
        GPDRFRegressor.load(tmp_path / "dates").predict(tables["dates"][["a"]])
