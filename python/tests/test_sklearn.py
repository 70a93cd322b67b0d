"""scikit-learn's own checks of an estimator, and its tools around one."""

import os
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from gpdrf import GPDRFClassifier, GPDRFRegressor

from .conftest import SMALL, Array, refused

QUICK = {name: value for name, value in SMALL.items() if name != "random_state"}


# What no training by random batches can do: copies of rows are drawn into other batches, and shape other inducing
# points and starting values, than weights.
EXPECTED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "weights equal copies in the objective, not in every batch"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks([GPDRFRegressor(**QUICK), GPDRFClassifier(**QUICK)], expected_failed_checks=lambda _: EXPECTED)
def test_checks(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [GPDRFRegressor(), GPDRFClassifier()])
def test_checks_with_defaults(estimator: BaseEstimator) -> None:
    check_estimator(estimator, expected_failed_checks=EXPECTED)


def test_pipeline_and_cross_validation(x: Array, y: Array) -> None:
    pipeline = make_pipeline(StandardScaler(), GPDRFRegressor(**SMALL))
    scores = cross_val_score(pipeline, x, y, cv=3)
    assert scores.mean() > 0.5


def test_grid_search(x: Array, y: Array) -> None:
    search = GridSearchCV(GPDRFRegressor(**SMALL), {"lr": [-1, 0.05]}, cv=2)
    with pytest.warns(match="fits failed"):
        search.fit(x, y)
    assert search.best_params_ == {"lr": 0.05}
    assert search.predict(x).shape == (100,)


def test_jobs(x: Array, y: Array) -> None:
    """Two threads give what one gives."""
    estimator = GPDRFRegressor(**SMALL, threads=1)
    with joblib.parallel_config("threading"):
        one, two = (cross_val_score(clone(estimator), x, y, cv=2, n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one, two)


def test_parameters_are_options(x: Array, y: Array) -> None:
    """Every parameter is passed on, and what the program says about it comes back."""
    for name, value in {
        "kernel": "rfb",
        "likelihood": "gauss",
        "steps": 0,
        "lr": -1,
        "batch": 0,
        "model": "gpx",
    }.items():
        refused(str(value), GPDRFRegressor(**{**SMALL, name: value}).fit, x, y)
    refused("natgradd", GPDRFRegressor(**SMALL, options={"natgradd": 0.1}).fit, x, y)
    refused(r"options is \['x'\]: give a dict", GPDRFRegressor(**SMALL).set_params(options=["x"]).fit, x, y)
    for options in ({"steps": 50}, {"eval-samples": 5}, {"time-limit": "1s"}, {"seed": 2}):
        with pytest.raises(ValueError, match=f"and options={options} are the same option: give one"):
            GPDRFClassifier(**SMALL, time_limit=3, options=options).fit(x, y > 0)
    model = GPDRFRegressor(**SMALL, options={"natgrad": 0.1, "learn_inducing": False}).fit(x, y)
    assert model.result_["steps"] == SMALL["steps"]
    assert os.path.sep not in str(model.result_["data"])
