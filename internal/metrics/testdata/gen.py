"""Reference values for the tests of package metrics, from scipy, each by a road that
the package does not take: CRPS and the Bhattacharyya distance by quadrature, quantiles
by Brent's method, AUC as a Mann-Whitney statistic.

    python3 gen.py > reference.json        (numpy and scipy)
"""
import json
import sys

import numpy as np
from scipy import integrate, optimize, special, stats

rng = np.random.default_rng(7)


def mixture(s, n, spread):
    mean = rng.normal(size=(s, n)) * spread
    var = rng.uniform(0.05, 2, size=n)
    y = rng.normal(size=n) * 2
    y[0] = 25.0  # far out in the tail
    return mean, var, y


def regression(s, n, spread):
    mean, var, y = mixture(s, n, spread)
    sd = np.sqrt(var)
    log_density = special.logsumexp(stats.norm.logpdf(y, mean, sd), axis=0) - np.log(s)
    cdf = stats.norm.cdf(y, mean, sd).mean(0)
    levels = [1e-6, 0.025, 0.25, 0.5, 0.75, 0.975, 1 - 1e-6]
    quantiles, crps, inside = [], [], {0.5: 0, 0.9: 0, 0.95: 0}
    for i in range(n):
        def f(t, i=i):
            return stats.norm.cdf(t, mean[:, i], sd[i]).mean()
        low, high = mean[:, i].min() - 10 * sd[i], mean[:, i].max() + 10 * sd[i]
        q = lambda p: optimize.brentq(lambda t: f(t) - p, low, high, xtol=1e-13, rtol=1e-14)
        quantiles.append([q(p) for p in levels])
        options = dict(epsabs=1e-12, epsrel=1e-12, limit=500)
        knots = sorted(set(np.clip(mean[:, i], low, high)))
        below = lambda t: f(t) ** 2
        above = lambda t: (1 - f(t)) ** 2
        cut = [low] + [k for k in knots if k < y[i]] + [y[i]]
        total = sum(integrate.quad(below, a, b, **options)[0] for a, b in zip(cut[:-1], cut[1:]))
        cut = [y[i]] + [k for k in knots if k > y[i]] + [max(high, y[i])]
        total += sum(integrate.quad(above, a, b, **options)[0] for a, b in zip(cut[:-1], cut[1:]) if b > a)
        crps.append(total)
        for p in inside:
            inside[p] += q((1 - p) / 2) <= y[i] <= q((1 + p) / 2)
    m = mean.mean(0)
    return dict(
        s=s, n=n, mean=mean.ravel().tolist(), var=var.tolist(), y=y.tolist(),
        total=(var + mean.var(0)).tolist(), log_density=log_density.tolist(), cdf=cdf.tolist(),
        levels=levels, quantiles=quantiles, crps=crps,
        score=dict(
            rmse=float(np.sqrt(np.mean((m - y) ** 2))), mae=float(np.mean(np.abs(m - y))),
            nlpd=float(-log_density.mean()), crps=float(np.mean(crps)),
            coverage50=inside[0.5] / n, coverage90=inside[0.9] / n, coverage95=inside[0.95] / n))


def classification(s, n, c, scale):
    centre = rng.normal(size=(n, c)) * scale
    logits = centre + rng.normal(size=(s, n, c)) * rng.uniform(0.2, 1.5, size=(n, c))
    p = special.softmax(logits, axis=2).mean(0)
    labels = np.where(rng.uniform(size=n) < 0.6, p.argmax(1), rng.integers(c, size=n))
    top, conf = p.argmax(1), p.max(1)
    right = top == labels
    bins = np.minimum(np.ceil(conf * 15) - 1, 14).astype(int)
    ece = sum(abs(right[bins == b].mean() - conf[bins == b].mean()) * (bins == b).mean() for b in set(bins))
    d = []
    for i in range(n):
        a, b = np.argsort(-p[i], kind="stable")[:2]
        x, z = logits[:, i, a], logits[:, i, b]
        u, v = stats.norm(x.mean(), x.std(ddof=1)), stats.norm(z.mean(), z.std(ddof=1))
        # -log of the integral of sqrt(u v), around the peak of its integrand
        w = np.array([1 / u.var(), 1 / v.var()])
        mid, half = (w @ [u.mean(), v.mean()]) / w.sum(), 30 / np.sqrt(w.sum() / 2)
        peak = 0.5 * (u.logpdf(mid) + v.logpdf(mid))
        area = integrate.quad(lambda t: np.exp(0.5 * (u.logpdf(t) + v.logpdf(t)) - peak),
                              mid - half, mid + half, points=[mid], epsabs=1e-13, epsrel=1e-13)[0]
        d.append(-np.log(area) - peak)
    d = np.array(d)

    def auc(score, positive):
        if positive.all() or not positive.any():
            return None
        u = stats.mannwhitneyu(score[positive], score[~positive]).statistic
        return float(u / (positive.sum() * (~positive).sum()))

    out = dict(
        s=s, n=n, c=c, logits=logits.ravel().tolist(), labels=labels.tolist(), probabilities=p.ravel().tolist(),
        score=dict(
            error=float(1 - right.mean()), nll=float(-np.log(p[np.arange(n), labels]).mean()),
            brier=float(((p - np.eye(c)[labels]) ** 2).sum(1).mean()), ece=float(ece),
            bhattacharyya=dict(correct=float(d[right].mean()), wrong=float(d[~right].mean()), auroc=auc(d, right),
                               convention="variance", space="logits")))
    if c == 2:
        out["score"]["auc"] = auc(p[:, 1], labels == 1)
    return out


def rounded(x):
    """15 digits are more than the tests ask for, and half the file."""
    if isinstance(x, float):
        return float(f"{x:.15g}")
    if isinstance(x, dict):
        return {k: rounded(v) for k, v in x.items()}
    if isinstance(x, list):
        return [rounded(v) for v in x]
    return x


json.dump(rounded(dict(
    regression=[regression(1, 12, 1.0), regression(7, 12, 0.5), regression(20, 8, 4.0)],
    classification=[classification(6, 30, 2, 1.0), classification(12, 25, 4, 2.0)],
)), sys.stdout, indent=None, separators=(",", ":"))
print()
