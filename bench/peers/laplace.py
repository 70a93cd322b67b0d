"""An exact Gaussian process for classes on the inner products that `go -C bench run . svm` has written.

    python laplace.py GRAM.npz

It is scikit-learn's, by Laplace's approximation, one class against the rest where there are more than two. Kernel (the
inner products, or exp(-d^2 / 2 s^2) of the distances that they give), s^2 and amplitude are chosen by the evidence of
the training rows. Prints a line of JSON.
"""

import json
import sys

import numpy as np
import sklearn
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import Kernel

import svm

AMPLITUDES = (10.0, 30.0, 100.0)


class Known(Kernel):
    """The matrix k between all rows, at the rows that inputs number."""

    def __init__(self, k):
        self.k = k

    def __call__(self, X, Y=None, eval_gradient=False):
        a = X[:, 0].astype(int)
        b = a if Y is None else Y[:, 0].astype(int)
        k = self.k[np.ix_(a, b)]
        return (k, np.empty((*k.shape, 0))) if eval_gradient else k

    def diag(self, X):
        return self.k.diagonal()[X[:, 0].astype(int)]

    def is_stationary(self):
        return False


def main(path):
    with np.load(path) as archive:
        a = {name: archive[name].astype(np.float64) for name in archive.files}
    n, t = len(a["train"]), len(a["test"])
    labels, truth = a["train_labels"].astype(int), a["test_labels"].astype(int)
    rows = np.arange(n + t)[:, None]
    best = None
    for variance in svm.VARIANCES:
        k = np.zeros((n + t, n + t))
        k[:n, :n] = svm.kernel(a["train"], a["train_square"], a["train_square"], variance)
        k[n:, :n] = svm.kernel(a["test"], a["test_square"], a["train_square"], variance)
        k[:n, n:] = k[n:, :n].T
        np.fill_diagonal(k[n:, n:], a["test_square"] if variance is None else 1)  # prediction needs only the diagonal
        for amplitude in AMPLITUDES:
            process = GaussianProcessClassifier(Known(amplitude * k), optimizer=None).fit(rows[:n], labels)
            evidence = process.log_marginal_likelihood()
            if best is None or evidence > best[0]:
                best = (evidence, variance, amplitude, process.classes_, process.predict_proba(rows[n:]))
    evidence, variance, amplitude, classes, p = best
    test = {
        "error": np.mean(classes[p.argmax(1)] != truth),
        "nll": -np.mean(np.log(p[np.arange(t), np.searchsorted(classes, truth)])),
    }
    chosen = f"{svm.name(variance)}, amplitude {amplitude:g}"
    print(json.dumps({"chosen": chosen, "evidence": evidence / n, "test": test, "version": sklearn.__version__}))


if __name__ == "__main__":
    main(*sys.argv[1:])
