"""The peers' scripts with libraries that are none. TestPeers of Go runs it, as does

    build/suite/python/bin/python bench/peers_test.py
"""

import itertools
import sys
import time
import unittest
from pathlib import Path
from types import ModuleType, SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent / "peers"))

import numpy as np

import suite


def library(name, **parts):
    """Puts a module with these parts in the place of a library."""
    sys.modules[name] = module = ModuleType(name)
    vars(module).update(parts)
    return module


class Peers(unittest.TestCase):
    def test_tabm(self):
        """The epochs of a run that ends by itself are counted."""
        at = "pytabkit.models.alg_interfaces"
        for name in ("pytabkit.models", at, at + ".nn_interfaces"):
            library(name)
        loop = library(at + ".tabm_interface")
        sys.modules[at].tabm_interface, sys.modules[at].nn_interfaces = loop, sys.modules[at + ".nn_interfaces"]

        class TabM:
            def __init__(self, **options):
                pass

            def fit(self, *rows, **options):
                for epoch in loop.range(1000):
                    if epoch == 4:
                        break
                return self

            def predict(self, x):
                return np.zeros(len(x))

        top = library("pytabkit", TabM_D_Classifier=TabM, TabM_D_Regressor=TabM, models=sys.modules["pytabkit.models"])
        top.models.alg_interfaces = sys.modules[at]
        import suite_tabm

        clock = suite.Clock(60)
        suite_tabm.fit(SimpleNamespace(x=np.zeros((20, 1)), y=np.arange(20.0), classes=0), clock)
        self.assertEqual(clock.steps, 5)

    def test_lightgbm(self):
        """Time ends it where it gets better and better."""
        class EarlyStop(Exception):
            pass

        class Booster:
            def predict(self, x, num_iteration):
                return np.zeros(len(x))

        def train(options, data, rounds, callbacks, valid_sets):
            try:
                for i in range(rounds):
                    callbacks[0](SimpleNamespace(iteration=i, evaluation_result_list=[("", "", -i)]))
            except EarlyStop:
                pass
            return Booster()

        library("lightgbm", Dataset=lambda *rows, **options: None, train=train,
                callback=SimpleNamespace(EarlyStopException=EarlyStop))
        import suite_lightgbm

        calls = itertools.count()
        clock = SimpleNamespace(steps=0, share=lambda: next(calls) / 20_000)
        suite_lightgbm.fit(SimpleNamespace(x=np.zeros((20, 1)), y=np.arange(20) % 2, classes=2), clock)
        self.assertGreater(clock.steps, 19_000)

    def test_treeffuser(self):
        """Where a sample takes all of the time, there are two: one has no width."""
        class Treeffuser:
            n_estimators_true = [1]

            def __init__(self, **options):
                pass

            def fit(self, x, y):
                return self

            def sample(self, x, count, n_parallel):
                time.sleep(0.5)
                return np.random.default_rng(1).normal(size=(count, len(x)))

        library("treeffuser", Treeffuser=Treeffuser)
        import suite_treeffuser

        rows = SimpleNamespace(x=np.zeros((9, 1)), y=np.arange(9.0))
        means, widths = suite_treeffuser.fit(rows, suite.Clock(0.5))(np.zeros((3, 1)))
        self.assertEqual(means.shape, (2, 3))
        self.assertTrue((widths > 0).all())

    def test_xrfm(self):
        """It counts a class that only held rows have."""
        class xRFM:
            def __init__(self, **options):
                pass

            def fit(self, x, y, xv, yv):
                self.classes = max(y.max(), yv.max()) + 1

            def predict_proba(self, x):
                return np.full((len(x), self.classes), 1 / self.classes)

        library("xrfm", xRFM=xRFM)
        import suite_xrfm

        rows = SimpleNamespace(x=np.zeros((40, 1)), y=np.arange(40) % 2, classes=4)
        rows.y[suite.held_out(rows)[0]] = 2
        p = suite_xrfm.fit(rows, suite.Clock(60))(np.zeros((1, 1)))
        np.testing.assert_allclose(p, [[1 / 3, 1 / 3, 1 / 3, 0]])

    def test_spare(self):
        """Steps end before the time does, by that of a step and a prediction."""
        import torch

        import suite_torch

        for spare, steps in ((0, 4), (2, 2)):
            module, clock = torch.nn.Linear(1, 1), SimpleNamespace(now=0.0, steps=0)
            clock.share = lambda clock=clock: clock.now

            def loss():
                clock.now += 0.25
                return module.weight.sum()

            suite_torch.minimise([module], loss, clock, spare=spare)
            self.assertEqual(clock.steps, steps)


if __name__ == "__main__":
    unittest.main()
