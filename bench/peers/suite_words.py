"""Logistic regression of scikit-learn on the words of sequences: the counts of all runs of up to K
letters, weighted by TF-IDF, in 2^17 hashed columns. K and the penalty are those that do best on a
tenth of the training rows."""

import numpy as np
import sklearn
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression

from suite import held_out, of_all

LONGEST = (4, 6, 2)  # lengths in the order of trial, as far as there is time
PENALTIES = (1.0, 10.0, 0.1, 100.0)
COLUMNS = 1 << 17


def version():
    return "scikit-learn " + sklearn.__version__


def lines(rows):
    """The numbers of each training row, and then of each test row."""
    with open(f"{rows.folder}/sequences.txt") as file:
        return [np.array(line.split(), np.int64).astype(np.uint64) for line in file]


def mixed(h, x):
    """A hash of a hash and one more number, elementwise."""
    h = (h ^ (x + np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(31))


def counted(row, hashes, count):
    """A sparse matrix: how often each hash occurs in each row."""
    columns = (hashes % np.uint64(COLUMNS)).astype(np.int64)
    table = csr_matrix((np.ones(len(row)), (row, columns)), shape=(count, COLUMNS))
    table.sum_duplicates()
    return table


def words(sequences, longest):
    letters, lengths = np.concatenate(sequences), np.array([len(s) for s in sequences])
    row = np.repeat(np.arange(len(sequences)), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(letters))  # letters to the end, this one too
    h, rows, hashes = np.zeros(len(letters), np.uint64), [], []
    for k in range(longest):
        inside = left > k
        h[inside] = mixed(h[inside], letters[np.flatnonzero(inside) + k])
        rows.append(row[inside])
        hashes.append(h[inside].copy())
    return counted(np.concatenate(rows), np.concatenate(hashes), len(sequences))


def chosen(rows, clock, candidates):
    """The predictor of the candidate, a function that counts in all rows, and penalty that do best."""
    held, rest = held_out(rows)
    best, n, longest = None, len(rows.y), 0
    for count in candidates:
        x = TfidfTransformer(sublinear_tf=True).fit_transform(count())
        for c in PENALTIES:
            start = clock.share()
            if best is not None and start + 2.5 * longest > 1:  # this and the last fit, on all rows
                break
            model = LogisticRegression(C=c, max_iter=200).fit(x[rest], rows.y[rest])
            known = np.searchsorted(model.classes_, rows.y[held]).clip(0, len(model.classes_) - 1)
            p = model.predict_proba(x[held])[np.arange(len(held)), known]
            p = np.where(model.classes_[known] == rows.y[held], p, 0)
            loss = -np.log(p + 1e-9).mean()
            if best is None or loss < best[0]:
                best = loss, c, x
            clock.steps += 1
            longest = max(longest, clock.share() - start)
    _, c, x = best
    model = LogisticRegression(C=c, max_iter=200).fit(x[:n], rows.y)
    return lambda _: of_all(rows.classes, model.predict_proba(x[n:]), model.classes_)


def fit(rows, clock):
    sequences = lines(rows)
    return chosen(rows, clock, [lambda k=k: words(sequences, k) for k in LONGEST])
