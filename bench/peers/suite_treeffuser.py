"""Treeffuser with its own defaults, which stop early by rows of its own choice. How many trees fit
into half of the time is planned from the first. The other half is for samples of each test row: as
many as fit, two at least and a hundred at most. They have no seed: with one, the first step has the
noise of the start. Their density has normal kernels; their width is by Silverman's rule of thumb, for
each row."""

from importlib import metadata

import numpy as np
import treeffuser

from suite import SEED, THREADS

TREES = 3000
AT_ONCE = 10
SAMPLES = 100


def version():
    return "treeffuser " + metadata.version("treeffuser")


def width(samples):
    """Of kernels over samples, which are lines."""
    spread = samples.std(0, ddof=1)
    low, high = np.quantile(samples, [0.25, 0.75], axis=0)
    middle = (high - low) / 1.34
    return 0.9 * np.where(middle > 0, np.minimum(spread, middle), spread) * len(samples) ** -0.2


def fit(rows, clock):
    clock.seconds = clock.limit / 2

    def trained(trees):
        return treeffuser.Treeffuser(n_estimators=trees, n_jobs=THREADS, seed=SEED).fit(rows.x, rows.y)

    model = trained(clock.rounds(trained, 10, TREES))
    clock.steps = model.n_estimators_true[0]

    def predict(x):
        drawn, start, count = [], clock.spent(), 2  # a width needs two
        while count > 0:
            drawn.append(model.sample(x, count, n_parallel=count))
            done = sum(map(len, drawn))
            fit_in = 0.9 * (0.95 * clock.limit - clock.spent()) * done / (clock.spent() - start)
            count = min(AT_ONCE, SAMPLES - done, int(fit_in))
        samples = np.concatenate(drawn)
        return samples, np.tile(width(samples), (len(samples), 1))

    return predict
