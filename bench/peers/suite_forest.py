"""A random forest of scikit-learn. The variance of a number is a (spread of the trees) + b, with a
and b by maximum likelihood on the rows out of each tree's bag; the probabilities of classes count
one tree more for each class."""

import numpy as np
import sklearn
from scipy.optimize import minimize
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from suite import SEED, THREADS, of_all

TREES = 500
AT_ONCE = 25


def version():
    return "scikit-learn " + sklearn.__version__


def grow(forest, rows, clock):
    while forest.n_estimators <= TREES:
        forest.fit(rows.x, rows.y)
        clock.steps = forest.n_estimators
        if clock.share() * (1 + AT_ONCE / clock.steps) >= 1:
            break
        forest.n_estimators += AT_ONCE
    return forest


def fit(rows, clock):
    kind = RandomForestClassifier if rows.classes else RandomForestRegressor
    forest = grow(kind(AT_ONCE, warm_start=True, n_jobs=THREADS, random_state=SEED), rows, clock)
    trees = forest.estimators_
    if rows.classes:
        n, k = len(trees), rows.classes
        return lambda x: (n * of_all(k, forest.predict_proba(x), forest.classes_) + 1) / (n + k)
    a, b = calibrated(forest, rows)

    def predict(x):
        each = np.stack([t.predict(x) for t in trees])
        return each.mean(0), np.sqrt(a * each.var(0) + b)

    return predict


def calibrated(forest, rows):
    """The weights a and b."""
    n = len(rows.y)
    count, total, squares = np.zeros(n), np.zeros(n), np.zeros(n)
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_):
        out = np.ones(n, bool)
        out[drawn] = False
        p = tree.predict(rows.x[out])
        count[out] += 1
        total[out] += p
        squares[out] += p * p
    known = count > 1
    mean = total[known] / count[known]
    spread = np.maximum(0, squares[known] / count[known] - mean**2)
    errors = (rows.y[known] - mean) ** 2

    def loss(logs):
        variance = np.exp(logs[0]) * spread + np.exp(logs[1]) + 1e-10
        return np.mean(np.log(variance) + errors / variance)

    start = np.log([0.1, max(errors.mean(), 1e-8)])
    return np.exp(minimize(loss, start, method="Nelder-Mead", bounds=[(-12, 6), (-16, 6)]).x)
