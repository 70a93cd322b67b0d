"""One peer of `go -C bench run . suite` on one fold.

    python suite.py METHOD regression|classification FOLDER SECONDS PREDICTIONS.csv

FOLDER holds train.csv and test.csv, whose last column is the target; classes are 0 ... K-1. Inputs
and numeric targets are standardised by the training rows, and constant inputs are left out. A line
of PREDICTIONS.csv is a test row: the means and then the standard deviations of the components of its
density, in the target's own unit, or the probabilities of the classes. Prints a line of JSON.

SECONDS are for training and prediction together. Imports and reading the folder come before them.
Training ends by itself, so that a part is left for prediction; after a tenth more the program fails.
"""

import importlib
import json
import os
import sys
import threading
import time
import warnings
from types import SimpleNamespace

THREADS = 2  # set before a library starts a pool of threads
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(THREADS)
# waiting threads sleep: where others compute too, spinning ones cost a hundredfold
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

warnings.simplefilter("ignore")  # warnings of PyTorch about its parts that GPyTorch uses

import numpy as np

SEED = 1
OVERRUN = 1.1  # time that the suite allows, in time limits
FOLDS = 5
METHODS = {
    "svgp": "suite_svgp",
    "dgp": "suite_dgp",
    "exact": "suite_exact",
    "lightgbm": "suite_lightgbm",
    "ngboost": "suite_ngboost",
    "forest": "suite_forest",
    "logistic": "suite_logistic",
    "catboost": "suite_catboost",
    "gpboost": "suite_gpboost",
    "xrfm": "suite_xrfm",
    "realmlp": "suite_realmlp",
    "tabm": "suite_tabm",
    "treeffuser": "suite_treeffuser",
    "words": "suite_words",
    "wl": "suite_wl",
}


class Clock:
    """The time of a cell, from now on, and the steps that training took. All except a twentieth is for training."""

    def __init__(self, limit):
        self.start, self.limit, self.seconds, self.steps = time.monotonic(), limit, 0.95 * limit, 0

    def spent(self):
        return time.monotonic() - self.start

    def share(self):
        """Of the time for training, what is spent; 1 is all."""
        return self.spent() / self.seconds

    def rounds(self, train, few, most):
        """How many rounds train(rounds) has time for, at most some: one and a few are timed first."""
        marks = [self.spent()]
        for count in (1, few):
            train(count)
            marks.append(self.spent())
        one, several = np.diff(marks)
        each = max((several - one) / (few - 1), 1e-3 * several)
        return int(np.clip(0.9 * (self.seconds - self.spent() - one) / each, 1, most))


def give_up(seconds):
    print(f"no result within {seconds} s", file=sys.stderr, flush=True)
    os._exit(1)


def read(folder, task):
    train, test = (np.loadtxt(f"{folder}/{part}.csv", delimiter=",", skiprows=1, ndmin=2) for part in ("train", "test"))
    mean, sd = train[:, :-1].mean(0), train[:, :-1].std(0)
    used = sd > 1e-12 * np.maximum(1, np.abs(mean))  # GPBoost refuses a constant column
    x, tested = ((part[:, :-1] - mean)[:, used] / sd[used] for part in (train, test))
    rows = SimpleNamespace(x=x, y=train[:, -1], test=tested, classes=0)
    if task == "classification":
        rows.y = rows.y.astype(np.int64)
        rows.classes = int(max(rows.y.max(), test[:, -1].max())) + 1
        return rows, 0, 1
    centre, unit = rows.y.mean(), rows.y.std()
    rows.y = (rows.y - centre) / unit
    return rows, centre, unit


def held_out(rows):
    """A tenth of the training rows, at least two: their numbers, and those of the others."""
    order = np.random.default_rng(SEED).permutation(len(rows.y))
    count = max(2, len(order) // 10)
    return np.sort(order[:count]), np.sort(order[count:])


def trained(rows, clock, train):
    """A predictor of numbers by train(rest, held), which trains on some rows, may stop by the others, and gives a
    function of inputs. Its standard deviation is that of the errors on the tenth that is held out, or on those of
    up to five folds, as far as there is time to train on them."""
    held, rest = held_out(rows)
    start = clock.share()
    model = train(rest, held)
    longest = clock.share() - start
    errors, folded = rows.y[held] - model(rows.x[held]), []
    for part in np.array_split(np.random.default_rng(SEED).permutation(len(rows.y)), FOLDS):
        start = clock.share()
        if start + 1.2 * longest > 1:
            break
        others = np.setdiff1d(np.arange(len(rows.y)), part)
        folded.append(rows.y[part] - train(others, np.sort(part))(rows.x[part]))
        longest = max(longest, clock.share() - start)
    deviation = np.sqrt(np.mean(np.concatenate(folded or [errors]) ** 2))
    return lambda x: (model(x), np.full(len(x), deviation))


def of_all(classes, p, known):
    """Probabilities of all classes, by those of the known ones: others had no training row."""
    out = np.zeros((len(p), classes))
    out[:, known] = p
    return out


def main(method, task, folder, seconds, out):
    try:
        module = importlib.import_module(METHODS[method])
    except (ImportError, OSError) as error:
        print(json.dumps({"missing": f"{METHODS[method]}: {error}"}))
        return
    np.random.seed(SEED)
    rows, centre, unit = read(folder, task)
    rows.folder = folder
    clock = Clock(float(seconds))
    watch = threading.Timer(OVERRUN * clock.limit, give_up, [seconds])
    watch.daemon = True
    watch.start()
    predict = module.fit(rows, clock)
    trained = clock.spent()
    predicted = predict(rows.test)
    watch.cancel()
    both = clock.spent()
    if task == "regression":
        means, deviations = (np.atleast_2d(p) for p in predicted)
        predicted = np.vstack([centre + unit * means, unit * deviations]).T
    np.savetxt(out, predicted, delimiter=",", fmt="%.12g")
    took = {"seconds": round(trained, 3), "predicting": round(both - trained, 3)}
    print(json.dumps(took | {"steps": clock.steps, "version": module.version()}))


if __name__ == "__main__":
    # The peers import this module too, and it must be the same one.
    sys.modules["suite"] = sys.modules["__main__"]
    main(*sys.argv[1:])
