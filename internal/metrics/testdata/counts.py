"""Golden values of mixtures of counts by scipy: sums over all counts, each probability by scipy.stats.

    python3 counts.py > counts.json        (numpy and scipy)
"""
import json

import numpy as np
from scipy import stats


def component(rate, dispersion):
    if dispersion == 0:
        return stats.poisson(rate)
    r = 1 / dispersion
    return stats.nbinom(r, r / (r + rate))


def case(rates, dispersions, weights, ys, levels=(0.001, 0.05, 0.25, 0.5, 0.75, 0.95, 0.999)):
    parts = [component(r, d) for r, d in zip(rates, dispersions)]
    top = int(max(p.isf(1e-13) for p in parts)) + 2
    k = np.arange(max(top, max(ys) + 2))
    cdf = sum(w * p.cdf(k) for w, p in zip(weights, parts))
    mean = sum(w * p.mean() for w, p in zip(weights, parts))
    within = sum(w * p.var() for w, p in zip(weights, parts))
    spread = sum(w * (p.mean() - mean) ** 2 for w, p in zip(weights, parts))
    return dict(
        rates=rates, dispersions=dispersions, weights=weights, y=ys, mean=mean, within=within,
        variance=within + spread, levels=levels,
        log=[float(np.logaddexp.reduce([np.log(w) + p.logpmf(y) for w, p in zip(weights, parts)])) for y in ys],
        cdf=[float(cdf[y]) for y in ys],
        quantiles=[int(np.searchsorted(cdf, p)) for p in levels],
        crps=[float(np.sum((cdf - (k >= y)) ** 2)) for y in ys])


cases = [
    case([3.5], [0.0], [1.0], [0, 1, 3, 12, 60]),
    case([0.02], [0.0], [1.0], [0, 1, 4]),
    case([1234.5], [0.0], [1.0], [900, 1234, 1300, 2000]),
    case([4.0], [0.5], [1.0], [0, 4, 30, 200]),
    case([70.0], [1e-5], [1.0], [30, 70, 120]),
    case([250.0], [3.0], [1.0], [0, 3, 250, 2500]),
    case([2.0, 9.0, 40.0], [0.0, 0.3, 0.0], [0.5, 0.3, 0.2], [0, 5, 38, 90]),
    case([2e4, 4e4], [0.0, 0.0], [0.5, 0.5], [19000, 30000, 41000]),
    case([3e3, 2e4], [0.2, 0.1], [0.4, 0.6], [10, 2500, 15000, 90000]),
]
print(json.dumps(cases))
