"""The program gpdrf-gpu: where it is, and its command train as a child process."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import multiprocessing
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gpdrf._errors import GPDRFError, GPDRFInputError, warn

_NAME = "gpdrf-gpu.exe" if os.name == "nt" else "gpdrf-gpu"

_BAD_INPUT = 2  # exit code of the program

_LOOK = 0.5  # seconds between two looks at the parent of a worker, and for Ctrl-C

_STEP = re.compile(r"step +(\d+) of (\d+) +((?:ELBO|objective) +\S+)")

_WARNING = re.compile(r'warning: (.*)|(.*column ".*" is text .*: left out.*)')  # the note of an input that is lost


def path() -> str:
    """The program: $GPDRF_PROGRAM, that of the wheel, or the one on PATH."""
    found = os.environ.get("GPDRF_PROGRAM") or _own() or shutil.which(_NAME)
    if not found:
        raise GPDRFError(f"{_NAME} is not there: install gpdrf from its wheel, or set GPDRF_PROGRAM to the program")
    return found


@functools.cache
def _own() -> str | None:
    """The program that was installed with this package, among its scripts."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):  # a checkout
        for file in importlib.metadata.files("gpdrf") or []:
            if file.name == _NAME:
                return os.path.normpath(str(file.locate()))
    return None


def error(text: str, code: int, folder: Path, arguments: Sequence[str] = ()) -> GPDRFError:
    """The error that the program wrote last, without the temporary folder of its files."""
    if code < 0:  # the text before a signal does not tell the reason
        return GPDRFError(f"the program was ended by signal {-code}: is there enough memory?")
    message = text.rpartition("gpdrf-gpu: ")[2].strip() or f"the program ended with exit code {code}"
    kind = GPDRFInputError if code == _BAD_INPUT else GPDRFError
    return kind(_plain(message, folder, arguments))


def _plain(message: str, folder: Path, arguments: Sequence[str]) -> str:
    """A message that speaks of X and y, and not of the files that the program reads."""
    message = message.replace(str(folder) + os.sep, "").removeprefix("set: ")
    if "--data" not in arguments:
        return message
    if "--from" in arguments:
        message = message.replace(arguments[arguments.index("--from") + 1], "the estimator")
    rows = Path(arguments[arguments.index("--data") + 1])
    targets = arguments[arguments.index("--target") + 1].split(",") if "--target" in arguments else ["label"]
    kind = "(?:the )?(?:target|column|target column)"
    for k, target in enumerate(targets):
        message = re.sub(f'{kind} "{re.escape(target)}"', "y" if len(targets) == 1 else f"y[:, {k}]", message)
    if "--target" not in arguments:  # the program names several targets of an array
        message = re.sub(rf'{kind} "y(\d+)"', r"y[:, \1]", message)
    place = re.escape(rows.name) + r"(?::(\d+)(?::\d+)?|\(([xy])\.npy\)(?:: byte \d+)?)?"

    def name(found: re.Match[str]) -> str:
        return f"X, row {_row(rows, int(found[1]))}" if found[1] else "y" if found[2] == "y" else "X"

    return re.sub(place, name, message)


def _row(rows: Path, line: int) -> int:
    """The row on a line of a CSV file with a header, from 1. Texts may have several lines."""
    row = quotes = 0
    with rows.open(newline="\n", encoding="utf-8") as file:  # package csv refuses a cell that is a genome
        for at, text in enumerate(file, 1):
            if at == line:
                break
            quotes += text.count('"')
            row += quotes % 2 == 0
    return row


def run(arguments: Sequence[str], folder: Path, progress: Callable[[int, int, str], None] | None = None) -> None:
    """Run a command that writes its results to files.

    progress gets the step, their number and how training goes. Warnings become Python's. Ctrl-C ends the command as it
    would in a terminal, and is raised again once the command has saved what it has. A second Ctrl-C kills it.
    """
    command = [path(), *arguments]
    stderr_lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    lines: list[str] = []
    interrupted = False
    with (
        _Parent() as parent,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # ends with this process, however that ends
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            **start_options(),
        ) as child,
    ):
        reader = threading.Thread(target=_read, args=(child, stderr_lines), daemon=True)
        reader.start()
        try:
            try:
                parent.watch(child)
                _follow(stderr_lines, lines, progress)
            except KeyboardInterrupt:
                interrupted = True
                child.send_signal(_CTRL_C)
                _follow(stderr_lines, lines, progress)
        except BaseException:  # such as a second Ctrl-C, or an exception of progress
            child.kill()
            raise
        finally:
            reader.join()
    for line in lines:
        if found := _WARNING.match(line):
            warn(_plain(found[1] or found[2].replace(", which predictions carry", ""), folder, arguments))
    if interrupted:
        raise KeyboardInterrupt
    if parent.is_gone():
        raise GPDRFError("the process that started this worker has ended, and the command with it")
    if child.returncode != 0:
        raise error("\n".join(lines), child.returncode, folder, arguments)


class _Parent(contextlib.AbstractContextManager["_Parent"]):
    """The process that started this one as a worker, if any: of joblib, multiprocessing, ….

    A worker outlives it until its task ends. So the command ends when it is gone, as Python's own end ends it.
    """

    _gone = False  # the parent is gone: also for the tasks that a worker still takes

    def __init__(self) -> None:
        is_worker = multiprocessing.parent_process() is not None and sys.platform != "win32"
        self._id = os.getppid() if is_worker else None
        self._ended = threading.Event()

    def is_gone(self) -> bool:
        if self._id not in (None, os.getppid()):
            _Parent._gone = True
        return _Parent._gone

    def watch(self, child: subprocess.Popen[str]) -> None:
        """End a command once the parent is gone, as Ctrl-C does: it saves what it has."""
        if self._id is not None:
            threading.Thread(target=self._wait, args=(child,), daemon=True).start()

    def _wait(self, child: subprocess.Popen[str]) -> None:
        while not self.is_gone():
            if self._ended.wait(_LOOK):
                return
        child.send_signal(_CTRL_C)

    def __exit__(self, *_: object) -> None:
        self._ended.set()


def _read(child: subprocess.Popen[str], stderr_lines: queue.SimpleQueue[str | None]) -> None:
    """Pass the lines of a command on, and None at their end.

    This is for a thread: Ctrl-C ends no read on Windows, nor where a library has asked the system to resume reads,
    as polars does.
    """
    assert child.stderr is not None
    try:
        for line in child.stderr:
            stderr_lines.put(line.strip())
    finally:
        stderr_lines.put(None)


def _follow(
    stderr_lines: queue.SimpleQueue[str | None], lines: list[str], progress: Callable[[int, int, str], None] | None
) -> None:
    """Take the lines of a command to their end."""
    while True:
        try:
            line = stderr_lines.get(timeout=_LOOK)
        except queue.Empty:
            continue
        if line is None:
            return
        lines.append(line)
        if progress and (step := _STEP.match(line)):
            progress(int(step[1]), int(step[2]), step[3])


_APART: dict[str, Any]
if sys.platform == "win32":
    _APART = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    _CTRL_C = signal.CTRL_BREAK_EVENT
else:
    _APART = {"start_new_session": True}
    _CTRL_C = signal.SIGINT


def start_options() -> dict[str, Any]:
    """A child is apart from the terminal's Ctrl-C, which is passed on to it once. Its messages have no flags."""
    return {**_APART, "env": {**os.environ, "GPDRF_DASHES": "0"}}
