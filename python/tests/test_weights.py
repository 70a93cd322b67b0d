"""Weights of rows and classes, and groups of rows."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gpdrf import GPDRFClassifier, GPDRFRegressor

from .conftest import SMALL, Array, refused


def test_sample_weight(x: Array, y: Array) -> None:
    """Weights of 1 change no bit, heavy rows draw the mean to them, and rows of weight 0 are left out."""
    plain = GPDRFRegressor(**SMALL).fit(x, y).predict(x)
    assert np.array_equal(plain, GPDRFRegressor(**SMALL).fit(x, y, sample_weight=np.ones(100)).predict(x))
    both, targets = np.vstack([x, x]), np.concatenate([y, y + 10])
    heavy = GPDRFRegressor(**SMALL).fit(both, targets, sample_weight=np.repeat([1.0, 9.0], 100)).predict(x)
    assert abs((heavy - y).mean() - 9) < 1
    some = GPDRFRegressor(**SMALL).fit(both, targets, sample_weight=np.repeat([1, 0], 100))
    assert some.result_["n_train"] == 100
    assert np.array_equal(plain, some.predict(x))
    frame = GPDRFRegressor(**SMALL).fit(pd.DataFrame({"weights": x[:, 0], "b": ["u", "v"] * 50}), y, np.ones(100))
    assert frame.predict(pd.DataFrame({"weights": [0.0], "b": ["u"]})).shape == (1,)


def test_groups(x: Array, y: Array) -> None:
    """The rows that validation holds out are whole groups."""
    model = GPDRFRegressor(**SMALL, validation=0.2).fit(x, y, groups=[f"patient {i // 10}" for i in range(100)])
    assert model.result_["validation"]["rows"] == 20
    GPDRFRegressor(**SMALL).fit(x, y, groups=np.zeros(100))
    refused("all rows are one group", GPDRFRegressor(**SMALL, validation=0.2).fit, x, y, groups=np.zeros(100))
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).assign(b=np.arange(100) // 30)
    many = GPDRFRegressor(**{**SMALL, "inducing": 100}, validation=0.2, options={"group": "b"})
    assert many.fit(frame, y).result_["validation"]["rows"] >= 30


def test_scaffolds() -> None:
    """The molecules of a scaffold, here of a ring, stay together."""
    rings = ["C1CCCCC1", "c1ccccc1", "c1ccncc1", "C1CCC1", "C1CCCC1"]
    molecules, y = [ring + "C" * k + "(=O)O" for ring in rings for k in range(1, 21)], np.arange(100.0)
    model = GPDRFRegressor(**SMALL, kernel="circular:2", validation=0.2).fit(molecules, y, groups="scaffold")
    assert model.result_["validation"]["rows"] == 20


def test_bad_groups(x: Array, y: Array) -> None:
    for groups in ("scaffold", "patient"):
        with pytest.raises(ValueError, match=f'groups is .{groups}.: give a group for each row, or "scaffold"'):
            GPDRFRegressor(**SMALL).fit(x, y, groups=groups)


@pytest.mark.parametrize(
    "weights, match",
    [(np.zeros(100), "zero"), (-np.ones(100), "row 1 is negative"), (np.ones(99), "shape"), ([np.nan] * 100, "NaN")],
)
def test_bad_sample_weight(x: Array, y: Array, weights: Any, match: str) -> None:
    refused(match, GPDRFRegressor(**SMALL).fit, x, y, sample_weight=weights)


def test_class_weights() -> None:
    """Balanced classes find more of the rare one."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 2))
    y = np.where((x[:, 0] > 0.5) & (rng.random(200) < 0.3), "rare", "usual")
    plain = GPDRFClassifier(**SMALL).fit(x, y).predict_proba(x)[:, 0]
    balanced = GPDRFClassifier(**SMALL, options={"class-weights": "balanced"}).fit(x, y).predict_proba(x)[:, 0]
    assert balanced.mean() > plain.mean() + 0.1
