"""What the Gaussian processes of suite.py in GPyTorch share: double precision, pseudo-inputs, the
loop of Adam."""

import math

import numpy as np
import torch
from sklearn.cluster import MiniBatchKMeans

from suite import SEED, THREADS

torch.set_num_threads(THREADS)
torch.manual_seed(SEED)
torch.set_default_dtype(torch.double)

BATCH = 256
RATE = 0.01


def inducing(x, most):
    """Centres of the rows, at most a given number."""
    distinct = np.unique(x, axis=0)
    if len(distinct) <= most:
        return torch.tensor(distinct)
    centres = MiniBatchKMeans(most, n_init=1, random_state=SEED, batch_size=1024).fit(x).cluster_centers_
    return torch.tensor(np.unique(centres, axis=0), dtype=torch.double)


def lengthscale(d):
    """Where the length-scales of d standardised inputs start."""
    return 0.5 * math.sqrt(d) if d > 1 else 0.5


def minimise(modules, loss, clock, rate=RATE, spare=0):
    """Adam until the time is over, or only that of some steps is left. Its rate falls as a cosine of the time spent.
    loss() is a tensor."""
    parameters = [p for m in modules for p in m.parameters() if p.requires_grad]
    adam = torch.optim.Adam(parameters, lr=rate)
    for m in modules:
        m.train()
    longest = 0
    while (share := clock.share()) + spare * longest < 1:
        adam.param_groups[0]["lr"] = rate * 0.5 * (1 + math.cos(math.pi * share))
        adam.zero_grad(set_to_none=True)
        loss().backward()
        adam.step()
        clock.steps += 1
        longest = max(longest, clock.share() - share)
    for m in modules:
        m.eval()


def batches(x, y):
    """Rows in random order, again and again."""
    while True:
        order = torch.randperm(len(y))
        for at in range(0, len(y), BATCH):
            rows = order[at : at + BATCH]
            yield x[rows], y[rows]


def in_parts(x, predict, size=1000):
    """predict of parts of the rows, joined along the last axis but those after the rows'."""
    with torch.no_grad():
        return [predict(torch.tensor(x[at : at + size])) for at in range(0, len(x), size)]
