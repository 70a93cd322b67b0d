"""A support vector machine on the inner products that `go -C bench run . svm` has written.

    python svm.py GRAM.npz error|auc|rmse

Kernel (the inner products, or exp(-d^2 / 2 s^2) of the distances that they give), s^2, C and, of a regression, epsilon
are chosen by cross-validation on the training rows, stratified by classes; then one is fitted to all of these and
scored once on the test rows. Prints a line of JSON.
"""

import json
import sys

import numpy as np
import sklearn
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC, SVR

VARIANCES = (None, 0.5, 2.0)  # None: the plain inner product
CONSTANTS = (0.1, 1.0, 10.0, 100.0)
EPSILONS = (0.03, 0.1, 0.3)  # ε in standard deviations of the training targets


def kernel(dots, squares, train_squares, variance):
    if variance is None:
        return dots
    distances = np.maximum(0, squares[:, None] + train_squares[None] - 2 * dots)
    return np.exp(-distances / (2 * variance))


def name(variance):
    return "linear" if variance is None else f"RBF σ² {variance:g}"


def loss(machine, k, labels, by):
    if by == "auc":
        return 1 - roc_auc_score(labels, machine.decision_function(k))
    if by == "rmse":
        return np.sqrt(np.mean((machine.predict(k) - labels) ** 2))
    return np.mean(machine.predict(k) != labels)


def untrained(by):
    """The machines to choose among, by their names."""
    for c in CONSTANTS:
        if by != "rmse":
            yield f"C {c:g}", SVC(kernel="precomputed", C=c, cache_size=1000)
            continue
        for epsilon in EPSILONS:
            yield f"C {c:g}, ε {epsilon:g}", SVR(kernel="precomputed", C=c, epsilon=epsilon, cache_size=1000)


def main(path, by):
    with np.load(path) as archive:
        a = {name: archive[name] for name in archive.files}
    dots, squares, labels = a["train"], a["train_square"], a["train_labels"]
    split = KFold if by == "rmse" else StratifiedKFold
    folds = split(5 if len(labels) < 1500 else 3, shuffle=True, random_state=0)
    best = None
    for variance in VARIANCES:
        k = kernel(dots, squares, squares, variance).astype(np.float64)
        for constants, machine in untrained(by):
            losses = []
            for rest, held in folds.split(k, labels):
                machine.fit(k[np.ix_(rest, rest)], labels[rest])
                losses.append(loss(machine, k[np.ix_(held, rest)], labels[held], by))
            if best is None or np.mean(losses) < best[0]:
                best = (np.mean(losses), variance, constants)
    value, variance, constants = best
    k = kernel(dots, squares, squares, variance).astype(np.float64)
    machine = dict(untrained(by))[constants].fit(k, labels)
    k = kernel(a["test"], a["test_square"], squares, variance).astype(np.float64)
    if by == "rmse":
        test = {"rmse": loss(machine, k, a["test_labels"], by)}
    else:
        test = {"error": loss(machine, k, a["test_labels"], "error")}
        if len(machine.classes_) == 2:
            test["auc"] = 1 - loss(machine, k, a["test_labels"], "auc")
    chosen = f"{name(variance)}, {constants}"
    print(json.dumps({"chosen": chosen, "cross_validated": value, "test": test, "version": sklearn.__version__}))


if __name__ == "__main__":
    main(*sys.argv[1:])
