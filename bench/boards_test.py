"""boards.py against closed forms. TestBoards of Go runs it, as does

    build/boards/bin/python bench/boards_test.py
"""

import math
import unittest
from statistics import NormalDist

import numpy as np

import boards
import scoringbench

NORMAL = NormalDist(1, 2)


def scores(edges, mass, y):
    """Of one row, which has no R²."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return boards.scores(edges, mass, np.array(y, float))


class Scores(unittest.TestCase):
    def bins(self, n, inverse):
        levels = np.arange(1, n) / n
        return boards.histogram(levels, np.array([[inverse(p) for p in levels]]))

    def test_normal(self):
        """The CRPS of a normal density (Gneiting and Raftery 2007), its logarithm, sd and intervals."""
        edges, mass = self.bins(1000, NORMAL.inv_cdf)
        for y in (-3.0, 0.3, 1.0, 4.5, 40.0):
            z = (y - 1) / 2
            standard = NormalDist()
            exact = 2 * (z * (2 * standard.cdf(z) - 1) + 2 * standard.pdf(z) - 1 / math.sqrt(math.pi))
            found = scores(edges, mass, [y])
            self.assertAlmostEqual(found["crps"], exact, delta=2e-3)
            self.assertAlmostEqual(found["sharpness"], 2, delta=2e-2)
            self.assertAlmostEqual(found["rmse"], abs(y - 1), delta=1e-9)
            if abs(z) < 3:
                self.assertAlmostEqual(found["log_score"], -math.log(NORMAL.pdf(y)), delta=3e-2)
            low, high = NORMAL.inv_cdf(0.025), NORMAL.inv_cdf(0.975)
            miss = max(low - y, 0) + max(y - high, 0)
            self.assertAlmostEqual(found["interval_score_95"], high - low + 40 * miss, delta=1.5 if miss else 0.05)
            self.assertEqual(found["coverage_95"], float(miss == 0))

    def test_uniform(self):
        """By hand, for all targets between 0 and 4 as likely."""
        edges, mass = self.bins(4, lambda p: 4 * p)
        np.testing.assert_allclose(edges, [[0, 1, 2, 3, 4]])
        half = 2 / 3  # half of E|X − X'|; E|X − 0.5| is (0.5² + 3.5²) / 8
        for y, crps, interval in ((5, 3 - half, 24), (-1, 3 - half, 24), (2, 1 - half, 4), (0.5, 12.5 / 8 - half, 4)):
            found = scores(edges, mass, [y])
            self.assertAlmostEqual(found["crps"], crps)
            self.assertAlmostEqual(found["interval_score_90"], interval)
            self.assertAlmostEqual(found["log_score"], math.log(4))
            self.assertEqual(found["coverage_90"], float(0 <= y <= 4))

    def test_several(self):
        """Scores of rows are means, and quantiles that cross are sorted."""
        levels = [0.25, 0.5, 0.75]
        edges, mass = boards.histogram(levels, np.array([[3.0, 2, 1], [1, 2, 3]]))
        found = boards.scores(edges, mass, np.array([5.0, 2]), np.array([1.0, 2]))
        self.assertAlmostEqual(found["crps"], (7 / 3 + 1 / 3) / 2)
        self.assertAlmostEqual(found["interval_score_90"], 14)
        self.assertEqual((found["coverage_90"], found["mae"]), (0.5, 2))
        self.assertAlmostEqual(found["r2"], 1 - 16 / 4.5)

    def test_rows(self):
        """Folds part the rows, and a large set has 2400 and 600 of them."""
        tested = np.concatenate([list(scoringbench.rows_of(506, fold))[1] for fold in range(5)])
        self.assertEqual(sorted(tested), list(range(506)))
        train, test = scoringbench.rows_of(15000, 2)
        self.assertEqual((len(set(train)), len(set(test)), len(set(train) & set(test))), (2400, 600, 0))


if __name__ == "__main__":
    unittest.main()
