"""Predictions by one warm child process, gpdrf-gpu serve on a Unix socket."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gpdrf import _program
from gpdrf._errors import GPDRFError, GPDRFInputError, warn
from gpdrf._rows import Numbers, Rows, Tensors

_NAME = "model"
_PATH = f"/v2/models/{_NAME}"
_JSON_SIZE = "Inference-Header-Content-Length"
_ATTEMPTS = 3  # a connection that has gone stale, a child that has ended, and the error
_ENDING = 10  # seconds that a child may take to end, once it has closed a new connection
_WAIT = 7200  # seconds for an answer; the child itself gives up earlier
_LONGEST = 60  # length of the name of a folder for a socket: an address has at most about 100 bytes
_ROWS = 4096  # rows of a request
_NUMBERS = 1 << 20  # numbers of a request, and of its answer
_TEXTS = 1 << 20  # characters of a request of several rows
_CHILDREN = 16  # children that are warm at a time


class NoSocketError(GPDRFError):
    """Unix sockets are not available."""


def available() -> bool:
    """Whether this system has Unix sockets."""
    return hasattr(socket, "AF_UNIX")


class Server:
    """A model, and the child that predicts by it.

    The child starts with the first request. It ends with this object, with the process, or when the process is killed.
    Requests may come from several threads. A forked process asks the same child, until that has ended.
    """

    def __init__(self, model: bytes, arguments: Sequence[str] = ()) -> None:
        self.model, self.arguments = model, list(arguments)
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._idle: list[_Connection] = []
        self._about: dict[str, Any] = {}
        self._used = 0.0
        _servers.add(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "arguments": self.arguments}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def predict(self, rows: Rows, name: str, width: int = 1, **parameters: Any) -> Numbers:
        """The output of the model [N, …], of about width numbers a row and target."""
        if not self._about:
            self._about = json.loads(self._ask("GET", _PATH, b"", {})[0])
        widest = max(1, width * len(self._about["targets"]), len(self._about["columns"]))
        n = max(1, min(_ROWS, _NUMBERS // widest))
        parts: list[Numbers] = []
        for first in range(0, len(rows), n):
            parts += self._parts(rows[first : first + n], name, parameters, first)
        return np.concatenate(parts)

    def _parts(self, rows: Rows, name: str, parameters: Mapping[str, Any], first: int) -> list[Numbers]:
        """The output of rows from the first on, by several requests where their texts are long."""
        half = len(rows) // 2
        if half > 0 and rows.characters() > _TEXTS:
            before = self._parts(rows[:half], name, parameters, first)
            return before + self._parts(rows[half:], name, parameters, first + half)
        if "seed" in parameters:
            parameters = {**parameters, "first_row": first}
        try:
            part, warnings = self._infer(rows.tensors(self._about), name, parameters)
        except GPDRFInputError as error:
            raise GPDRFInputError(_of_x(str(error), first)) from None
        for text in warnings:
            warn(_of_x(text, first))
        return [part]

    def _infer(self, tensors: Tensors, name: str, parameters: Mapping[str, Any]) -> tuple[Numbers, list[str]]:
        """The output of rows, and warnings about them."""
        inputs, raw = [], b""
        for key, values in tensors.items():
            if isinstance(values, list):
                piece = b"".join(struct.pack("<I", len(text)) + text for text in (v.encode() for v in values))
                kind, shape = "BYTES", [len(values)]
            else:
                piece, kind, shape = np.ascontiguousarray(values, "<f8").tobytes(), "FP64", list(values.shape)
            inputs.append(
                {"name": key, "datatype": kind, "shape": shape, "parameters": {"binary_data_size": len(piece)}}
            )
            raw += piece
        outputs = [{"name": name, "parameters": {"binary_data": True, **parameters}}]
        head = json.dumps({"inputs": inputs, "outputs": outputs}).encode()
        body, size = self._ask("POST", _PATH + "/infer", head + raw, {_JSON_SIZE: str(len(head))})
        answer = json.loads(body[:size])
        numbers = np.frombuffer(body, "<f8", offset=size).reshape(answer["outputs"][0]["shape"])
        return numbers, answer.get("parameters", {}).get("warnings", "").splitlines()

    def _ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[bytes, int]:
        """The answer to a request, and the size of its JSON."""
        self._used = time.monotonic()
        for _ in range(_ATTEMPTS):
            connection = self._connection()
            fresh = connection.sock is None
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                self._lose(connection.child, fresh)
                continue
            except BaseException:
                connection.close()  # the answer that comes later is of no use to others
                raise
            if connection.child is self._child:  # otherwise the child was let go meanwhile
                self._idle.append(connection)
            if answer.status != http.HTTPStatus.OK:
                kind = GPDRFInputError if answer.status < http.HTTPStatus.INTERNAL_SERVER_ERROR else GPDRFError
                raise kind(json.loads(text)["error"])
            return text, int(answer.headers.get(_JSON_SIZE, len(text)))
        raise GPDRFError(
            "the child process that predicts has ended, and so has the one after it: is there enough memory?"
        )

    def _connection(self) -> _Connection:
        try:
            return self._idle.pop()
        except IndexError:
            pass
        with self._lock:
            child = self._child  # another thread may let the child go at any moment
            if child is None:
                _make_room()
                child = self._child = _Child(self.model, self.arguments)
            return _Connection(child)

    def _lose(self, child: _Child, fresh: bool) -> None:
        """Forget the connections to a child, and the child where it has ended or a fresh connection was of no use.

        A child that cannot load its model closes its socket before it ends, and then tells why.
        """
        self._idle.clear()
        with self._lock:
            if self._child is child and (child.has_ended(_ENDING if fresh else 0) or fresh):
                self._child = None

    def rest(self) -> None:
        """Let the child go, which ends once its last request is answered."""
        self._idle.clear()
        self._child = None

    def forked(self) -> None:
        """Leave to the other process what belongs to it."""
        self._lock = threading.Lock()
        self._idle.clear()


def _of_x(text: str, first: int) -> str:
    """A message about the rows of a request, with the number of a row in X."""
    return re.sub(r"^row (\d+)", lambda row: f"X, row {int(row[1]) + first}", text)


_servers: weakref.WeakSet[Server] = weakref.WeakSet()


def _make_room() -> None:
    """End the child that was unused for longest, where there are many: an ensemble may have hundreds of models."""
    warm = sorted((server for server in list(_servers) if server._child), key=lambda server: server._used)
    for server in warm[: max(0, len(warm) - _CHILDREN + 1)]:
        server.rest()


def _after_fork() -> None:
    for server in list(_servers):
        server.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Child:
    """A process that serves a model on a socket in a folder of its own."""

    def __init__(self, model: bytes, arguments: Sequence[str]) -> None:
        program, long = _program.path(), len(tempfile.gettempdir()) > _LONGEST
        self.folder = Path(tempfile.mkdtemp(prefix="gpdrf-", dir="/tmp" if long else None))
        self.socket = str(self.folder / "socket")
        try:
            file = self.folder / f"{_NAME}.safetensors"
            file.write_bytes(model)
            command = [program, "serve", f"{_NAME}={file}", f"--listen=unix:{self.socket}", "--grpc-listen=none"]
            # a row may be a genome
            command += ["--until-eof", "--max-delay=0s", "--max-body=1TiB", "--timeout=1h", "--quiet", *arguments]
            with (self.folder / "log").open("wb") as log:
                self.process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log, **_program.start_options()
                )
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        self.owner = os.getpid()
        self.end = weakref.finalize(self, _end, self.process, self.folder, self.owner)
        while not self._listens():
            if self.has_ended():
                raise GPDRFError(
                    f"the child process that predicts has ended at once, with exit code {self.process.returncode}: "
                    f"does {command[0]} info work, and is there enough memory?"
                )
            time.sleep(0.001)

    def _listens(self) -> bool:
        """Whether the socket takes connections, which then wait until the model is loaded."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                return connection.connect_ex(self.socket) == 0
        except OSError as error:  # the error is of the socket, or of its name
            raise NoSocketError(str(error)) from error

    def has_ended(self, seconds: float = 0) -> bool:
        """Whether the process was killed, waiting up to the given seconds. An error of its own is raised."""
        if os.getpid() != self.owner:
            return False
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        if self.process.returncode > 0:
            log = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
            error = _program.error(log, self.process.returncode, self.folder)
            raise NoSocketError(str(error)) if "gpdrf-gpu: listen: " in log else error
        return True


def _end(process: subprocess.Popen[bytes], folder: Path, owner: int) -> None:
    """End a child, unless it belongs to the process that this one was forked from."""
    if os.getpid() != owner:
        return
    process.kill()
    process.wait()
    if process.stdin is not None:
        process.stdin.close()
    shutil.rmtree(folder, ignore_errors=True)


class _Connection(http.client.HTTPConnection):
    """HTTP over the socket of a child."""

    def __init__(self, child: _Child) -> None:
        super().__init__("localhost")
        self.child = child

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.child.socket)
        self.sock.settimeout(_WAIT)  # with a timeout, Python waits in a way that Ctrl-C always ends

    def __del__(self) -> None:
        self.close()
