"""Treeffuser with its own defaults, which stop early by rows of its own choice. How many trees fit into
half of the time is planned from the first. The other half is for samples: ten at a time, up to a hundred
for each test row. Their density has normal kernels; the width is by Silverman's rule of thumb, for each row."""

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
        samples, start = [], clock.spent()
        while len(samples) * AT_ONCE < SAMPLES:
            samples.append(model.sample(x, AT_ONCE, n_parallel=AT_ONCE, seed=SEED + len(samples)))
            if clock.spent() + 1.2 * (clock.spent() - start) / len(samples) > 0.95 * clock.limit:
                break
        samples = np.concatenate(samples)
        return samples, np.tile(width(samples), (len(samples), 1))

    return predict
