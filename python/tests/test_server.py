"""The child that predicts: threads, forks, and the ends that it may come to."""

import gc
import http.client
import os
import pickle
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gpdrf import GPDRFClassifier, GPDRFError, GPDRFRegressor, GPDRFWarning, _program, _server

from .conftest import SMALL, Array, eventually, refused

pytestmark = pytest.mark.skipif(not _server.available(), reason="this system has no Unix sockets")


@pytest.fixture
def fitted(x: Array, y: Array) -> GPDRFRegressor:
    return GPDRFRegressor(**SMALL).fit(x, y)


def child_of(model: GPDRFRegressor) -> _server._Child:
    child = model._model.server._child
    assert child is not None
    return child


def lives(process: int) -> bool:
    """Whether there is such a process, which may be orphaned."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/status")
    return not (status.exists() and "zombie" in status.read_text())


def test_one_row_is_fast(x: Array, fitted: GPDRFRegressor) -> None:
    """A call takes about a millisecond; the bound leaves room for a busy machine."""
    row = x[:1]
    fitted.predict(row)
    took = []
    for _ in range(100):
        began = time.perf_counter()
        fitted.predict(row)
        took.append(time.perf_counter() - began)
    assert min(took) < 0.01


def test_threads(x: Array, fitted: GPDRFRegressor) -> None:
    want = fitted.predict(x)
    with ThreadPoolExecutor(8) as threads:
        got = list(threads.map(lambda i: fitted.predict(x[i : i + 1])[0], list(range(100)) * 3))
    assert np.array_equal(np.tile(want, 3), got)


def test_child_is_killed(x: Array, fitted: GPDRFRegressor) -> None:
    want = fitted.predict(x)
    first = child_of(fitted)
    first.process.kill()
    first.process.wait()
    assert np.array_equal(fitted.predict(x), want)
    assert child_of(fitted) is not first


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork(x: Array, fitted: GPDRFRegressor) -> None:
    """A forked process asks the same child, and leaves it alone when it ends."""
    want = fitted.predict(x)
    process = child_of(fitted).process.pid
    forked = os.fork()
    if forked == 0:
        same = np.array_equal(fitted.predict(x), want) and child_of(fitted).process.pid == process
        fitted._model.server._child = None
        gc.collect()
        os._exit(0 if same else 1)
    assert os.waitpid(forked, 0)[1] == 0
    assert np.array_equal(fitted.predict(x), want)
    assert child_of(fitted).process.pid == process


def test_child_ends_with_the_estimator(x: Array, fitted: GPDRFRegressor) -> None:
    model = pickle.loads(pickle.dumps(fitted))
    model.predict(x)
    child = child_of(model)
    process, folder = child.process.pid, child.folder
    del child, model
    gc.collect()
    assert not lives(process)
    assert not folder.exists()


@pytest.mark.parametrize("end", ["sys.exit()", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_child_ends_with_the_process(end: str, fitted: GPDRFRegressor, tmp_path: Path) -> None:
    file = tmp_path / "model.pickle"
    file.write_bytes(pickle.dumps(fitted))
    code = (
        "import os, pickle, signal, sys\n"
        f"model = pickle.load(open({str(file)!r}, 'rb'))\n"
        "model.predict([[0.0, 1.0, 2.0]])\n"
        f"print(model._model.server._child.process.pid, flush=True)\n{end}\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=False)
    process = int(ended.stdout)
    assert eventually(lambda: not lives(process))


def test_many_models(x: Array, fitted: GPDRFRegressor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model that was unused for longest gives up its child, and gets another when it is asked."""
    monkeypatch.setattr(_server, "_CHILDREN", 2)
    gc.collect()
    want = fitted.predict(x)
    models = [pickle.loads(pickle.dumps(fitted)) for _ in range(4)]
    first = child_of(fitted).process
    for model in models:
        assert np.array_equal(model.predict(x), want)
    assert sum(server._child is not None for server in _server._servers) == 2
    assert first.poll() is not None
    assert np.array_equal(fitted.predict(x), want)


def test_let_go_while_it_answers(x: Array, fitted: GPDRFRegressor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that makes room for another during its last request ends behind it."""
    want = fitted.predict(x)
    process, server, read = child_of(fitted).process, fitted._model.server, http.client.HTTPResponse.read

    def make_room(self: http.client.HTTPResponse, *given: Any) -> bytes:
        server.rest()
        return read(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(http.client.HTTPResponse, "read", make_room)
        assert np.array_equal(fitted.predict(x), want)
    gc.collect()
    assert process.poll() is not None
    assert np.array_equal(fitted.predict(x), want)


def test_damaged_model(x: Array, fitted: GPDRFRegressor) -> None:
    content = bytearray(fitted._model.content)
    content[-5] ^= 1
    fitted._model.server = _server.Server(bytes(content))
    refused(r"^model.safetensors: .*checksum", fitted.predict, x, error=GPDRFError)


def test_slow_end(x: Array, fitted: GPDRFRegressor, fake_program: Callable[[str], None]) -> None:
    """A child that closes its socket well before it ends still tells why it ended."""
    fake_program(
        f"#!{sys.executable}\n"
        "import socket, sys, time\n"
        "listener = socket.socket(socket.AF_UNIX)\n"
        "listener.bind(sys.argv[3].removeprefix('--listen=unix:'))\n"
        "listener.listen()\n"
        "time.sleep(0.1)\n"
        "listener.close()\n"
        "time.sleep(0.5)\n"
        "sys.exit('gpdrf-gpu: the model cannot be read')\n"
    )
    fitted._model.server = _server.Server(fitted._model.content)
    refused("the model cannot be read", fitted.predict, x, error=GPDRFError)


def test_without_sockets(x: Array, y: Array, fitted: GPDRFRegressor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command predict gives the same bits."""
    classifier = GPDRFClassifier(**SMALL).fit(x, y > 0)
    several = GPDRFRegressor(**SMALL).fit(x, np.stack([y, -y], axis=1))
    asked: list[Callable[[], Any]] = [
        lambda: np.stack(fitted.predict(x, return_std=True)),
        lambda: fitted.predict_quantiles(x),
        lambda: fitted.distance(x),
        lambda: several.predict(x),
        lambda: several.predict_quantiles(x),
        lambda: classifier.predict_proba(x),
    ]
    want = [ask() for ask in asked]
    monkeypatch.setattr(_server, "available", lambda: False)
    for ask, values in zip(asked, want, strict=True):
        with pytest.warns(GPDRFWarning, match="no Unix sockets"):
            assert np.array_equal(ask(), values)
    refused("there are no such draws", fitted.sample_y, x, error=GPDRFError)


def test_socket_is_refused(x: Array, fitted: GPDRFRegressor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A name that is too long for a socket stands for a system that refuses one."""
    want = fitted.predict(x)
    other = pickle.loads(pickle.dumps(fitted))
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    assert np.array_equal(other.predict(x), want)  # its folder has a shorter name
    monkeypatch.setattr(_server, "_LONGEST", 1000)
    with pytest.warns(GPDRFWarning, match="each call starts gpdrf-gpu predict"):
        assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict(x), want)


def test_warnings_of_predictions_arrive() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=100), "c": rng.choice(["x", "y"], 100)})
    with warnings.catch_warnings(action="ignore"):  # such a short training warns
        model = GPDRFRegressor(**SMALL).fit(frame, frame.a)
    with warnings.catch_warnings(record=True, action="always") as seen:
        model.predict(frame[:5])
        assert not seen
        model.predict(pd.DataFrame({"a": [1e6], "c": ["never"]}))
    assert all(issubclass(w.category, GPDRFWarning) for w in seen)
    text = "; ".join(str(w.message) for w in seen)
    assert 'row 1: "never" in column "c" is not in the training data' in text
    assert 'row 1: column "a" is 1e+06' in text


def test_no_socket_stays_open(x: Array, y: Array) -> None:
    with warnings.catch_warnings(action="error"):
        model = GPDRFRegressor(**SMALL).fit(x, y)
        model.predict(x[:1])
        with pytest.MonkeyPatch.context() as patch:
            unraised: list[Any] = []
            patch.setattr(sys, "unraisablehook", unraised.append)
            del model
            gc.collect()
    assert not unraised


def test_warnings_count_the_rows_of_x(fitted: GPDRFRegressor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that go to the child in parts keep their numbers, and the warning is that of the caller's line."""
    monkeypatch.setattr(_server, "_ROWS", 2)
    rows = np.zeros((5, 3))
    rows[4, 1] = 1e6
    with pytest.warns(GPDRFWarning, match=r"^X, row 5: column \"x1\" is 1e\+06") as seen:
        fitted.predict(rows)
    assert seen[0].filename == __file__
    rows[4, 1] = 1e200
    refused(r"^X, row 5: found 1e\+200", fitted.predict, rows)


def test_killed_at_its_start(x: Array, fitted: GPDRFRegressor, fake_program: Callable[[str], None]) -> None:
    """A child that is killed before it listens is an error, and not waited for."""
    fake_program(f"#!{sys.executable}\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    fitted._model.server = _server.Server(fitted._model.content)
    refused("has ended at once, with exit code -9", fitted.predict, x, error=GPDRFError)


def test_no_socket_for_the_child(x: Array, fitted: GPDRFRegressor, fake_program: Callable[[str], None]) -> None:
    """The command predict answers where the system lets Python have a Unix socket, and not the child."""
    want = fitted.predict(x)
    no = "echo 'gpdrf-gpu: listen: not permitted' >&2; exit 1"
    fake_program(f'#!/bin/sh\nif [ "$1" = serve ]; then {no}; fi\nexec "{_program.path()}" "$@"\n')
    fitted._model.server = _server.Server(fitted._model.content)
    with pytest.warns(GPDRFWarning, match="listen: not permitted: each call starts gpdrf-gpu predict"):
        assert np.array_equal(fitted.predict(x), want)
