#!/usr/bin/env python3
"""The CRPS of single distributions and of mixtures by scoringrules, for scoringrules_test.go.

    python3 -m pip install scoringrules==0.10.0 numpy==2.4.6 scipy==1.17.1
    python3 crps.py                   writes crps.json

scoringrules has closed forms of a normal, of Student's t, of a log-normal distribution and of a
mixture of normals. Other mixtures are given to it as an ensemble: their quantiles at even steps of
the probability.
"""

import json
import pathlib

import numpy as np
import scoringrules as sr
from scipy import stats

rng = np.random.default_rng(1)
ENSEMBLE = 4000


def close(name, y, crps, mean, scale, weight=None, dof=None):
    """One case: a row whose components have these means (of the logarithm), scales and weights."""
    lists = {"mean": mean, "scale": scale, "weight": weight, "dof": dof}
    case = {k: np.atleast_1d(v).tolist() for k, v in lists.items() if v is not None}
    return {"name": name, "y": float(y), "crps": float(crps), **case}


def quantiles(weight, parts):
    """Those of a mixture of distributions, in the middle of ENSEMBLE equal parts, by bisection."""
    p = (np.arange(ENSEMBLE) + 0.5) / ENSEMBLE
    ends = [d.ppf(p) for d in parts]
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    for _ in range(60):
        middle = (low + high) / 2
        below = sum(w * d.cdf(middle) for w, d in zip(weight, parts)) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low


def ensemble(y, weight, parts):
    return sr.crps_ensemble(y, quantiles(weight, parts), estimator="qd")


single, mixed = [], []
for _ in range(12):
    mu, sd = rng.normal(0, 3), np.exp(rng.normal())
    y = mu + 2.5 * sd * rng.normal()
    single.append(close("normal", y, sr.crps_normal(y, mu, sd), mu, sd))
    dof = 2.1 + 8 * rng.random()
    single.append(close("student", y, sr.crps_t(y, dof, mu, sd), mu, sd, dof=dof))
    a, b = rng.normal(), 0.1 + rng.random()
    y = np.exp(a + 2 * b * rng.normal())
    single.append(close("lognormal", y, sr.crps_lognormal(y, a, b), a, b))

for size in (2, 5, 30):
    for weighted in (False, True):
        mu, sd = rng.normal(0, 2, size), np.exp(0.5 * rng.normal(size=size))
        weight = rng.dirichlet(np.ones(size)) if weighted else np.full(size, 1 / size)
        given = weight if weighted else None
        y = 2.5 * rng.normal()
        single.append(close("normal", y, sr.crps_mixnorm(y, mu, sd, weight), mu, sd, given))
        dof = np.full(size, 3 + 5 * rng.random())
        parts = [stats.t(d, m, s) for d, m, s in zip(dof, mu, sd)]
        mixed.append(close("student", y, ensemble(y, weight, parts), mu, sd, given, dof))
        a, b = 0.3 * mu, 0.3 * sd
        y = np.exp(rng.normal())
        parts = [stats.lognorm(s, scale=np.exp(m)) for m, s in zip(a, b)]
        mixed.append(close("lognormal", y, ensemble(y, weight, parts), a, b, given))

lines = [",\n".join(map(json.dumps, cases)) for cases in (single, mixed)]
text = '{"closed": [\n%s\n],\n"ensemble": [\n%s\n]}\n' % tuple(lines)
pathlib.Path(__file__).with_name("crps.json").write_text(text)
