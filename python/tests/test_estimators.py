"""What the estimators predict, from rows of every kind."""

import copy
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from gpdrf import GPDRFClassifier, GPDRFInputError, GPDRFRegressor, GPDRFWarning, _server

from .conftest import SMALL, Array, refused

OF_SEQUENCES = {name: value for name, value in SMALL.items() if name not in ("inducing", "lr")}


@pytest.fixture(scope="module")
def fitted(x: Array, y: Array) -> GPDRFRegressor:
    return GPDRFRegressor(**SMALL).fit(x, y)


def test_same_seed_same_bits(x: Array, y: Array, fitted: GPDRFRegressor) -> None:
    again = GPDRFRegressor(**SMALL, threads=1).fit(x, y)
    assert np.array_equal(fitted.predict(x), again.predict(x))
    other = GPDRFRegressor(**{**SMALL, "random_state": 2}).fit(x, y)
    assert not np.array_equal(fitted.predict(x), other.predict(x))


def test_quantiles_and_sd(x: Array, fitted: GPDRFRegressor) -> None:
    mean, sd = fitted.predict(x, return_std=True)
    quantiles = fitted.predict_quantiles(x)
    assert mean.shape == sd.shape == (100,)
    assert quantiles.shape == (100, 5)
    assert (np.diff(quantiles, axis=1) > 0).all()
    assert np.allclose(quantiles[:, 4] - quantiles[:, 0], 2 * 1.645 * sd, rtol=0.2)
    assert fitted.distance(x).max() < 3
    with pytest.warns(GPDRFWarning, match="far outside"):
        assert fitted.distance(x + 100).min() > 3


def test_counts(x: Array, y: Array) -> None:
    """Counts have whole quantiles, and draws that are counts."""
    counts = np.random.default_rng(3).poisson(np.exp(y))
    model = GPDRFRegressor(**SMALL, likelihood="poisson").fit(x, counts)
    quantiles, draws = model.predict_quantiles(x), model.sample_y(x, 20)
    for values in (quantiles, draws):
        assert np.array_equal(values, np.floor(values))
        assert values.min() >= 0
    refused("whole numbers from 0", GPDRFRegressor(**SMALL, likelihood="poisson").fit, x, y)


def test_ordinal(x: Array, y: Array) -> None:
    """Levels that are words need their order, which the columns of predict_proba have."""
    levels = np.array(["low", "middle", "high"])[np.digitize(y, [-1, 1])]
    order: dict[str, Any] = {"options": {"order": ["low", "middle", "high"]}}
    model = GPDRFClassifier(**SMALL, likelihood="ordinal", **order).fit(x, levels)
    assert list(model.classes_) == ["low", "middle", "high"]
    assert model.score(x, levels) > 0.6
    assert model.predict_proba(x)[y > 1.5, 2].mean() > model.predict_proba(x)[y < -1.5, 2].mean() + 0.2
    refused("which have no order", GPDRFClassifier(**SMALL, likelihood="ordinal").fit, x, levels)
    with pytest.raises(ValueError, match="name each once"):
        GPDRFClassifier(**SMALL, likelihood="ordinal", options={"order": "low,high"}).fit(x, levels)
    refused("is of levels", GPDRFClassifier(**SMALL, **order).fit, x, levels)


def test_ordinal_by_categories(x: Array, y: Array) -> None:
    """The categories of y are the levels in order, from the lowest, unless an order is given; others are not."""
    levels = np.array(["low", "middle", "high"])[np.digitize(y, [-1, 1])]
    names = ["none", "low", "middle", "high"]
    column = pd.Categorical(levels, names, ordered=True)
    series = pd.Series(column, index=range(7, 107))
    kinds = [column, series, pl.Series(levels, dtype=pl.Enum(names))]
    for y_ordered in kinds:
        model = GPDRFClassifier(**SMALL, likelihood="ordinal").fit(x, y_ordered)
        assert list(model.classes_) == ["low", "middle", "high"]
        assert model.score(x, y_ordered) > 0.6
    with pytest.warns(match="column-vector"):
        frame = GPDRFClassifier(**SMALL, likelihood="ordinal").fit(x, series.to_frame("level"))
    assert list(frame.classes_) == ["low", "middle", "high"]
    numbers = pd.Series(pd.Categorical(np.digitize(y, [-1, 1]), [2, 1, 0], ordered=True))
    assert list(GPDRFClassifier(**SMALL, likelihood="ordinal").fit(x, numbers).classes_) == [2, 1, 0]
    other: dict[str, Any] = {"options": {"order": ["high", "middle", "low"]}}
    assert GPDRFClassifier(**SMALL, likelihood="ordinal", **other).fit(x, column).classes_[0] == "high"
    refused("which have no order", GPDRFClassifier(**SMALL, likelihood="ordinal").fit, x, pd.Categorical(levels))
    assert list(GPDRFClassifier(**SMALL).fit(x, column).classes_) == ["high", "low", "middle"]
    column[3] = None
    for missing in (column, pd.Series(column).astype(object)):
        refused("y of row 4 is missing: each row needs a class", GPDRFClassifier(**SMALL).fit, x, missing)


def test_levels(x: Array, fitted: GPDRFRegressor) -> None:
    usual, asked = fitted.predict_quantiles(x), fitted.predict_quantiles(x, [0.95, 0.5])
    assert np.array_equal(asked, usual[:, [4, 2]])
    refused("is not between 0 and 1", fitted.predict_quantiles, x, [0.5, 1])


def test_levels_of_other_kinds(x: Array, fitted: GPDRFRegressor) -> None:
    median = fitted.predict_quantiles(x, 0.5)
    assert np.array_equal(median, fitted.predict_quantiles(x, [0.5]))
    assert median.shape == (100, 1)
    for levels in ([], [[0.1, 0.9]]):
        refused("levels is .*: give numbers between 0 and 1", fitted.predict_quantiles, x, levels)


def test_targets_that_are_dates(x: Array, y: Array) -> None:
    days = pd.date_range("2020-01-01", periods=len(x))
    kinds = (days, pd.Series(days.tz_localize("UTC")), list(days), days - days[0], pd.Series(days).dt.to_period("D"))
    for dates in (*kinds, pl.Series(days.tolist()), pd.DataFrame({"a": y, "b": days})):
        refused("y, row 1: found .* a date or a duration", GPDRFRegressor(**SMALL).fit, x, dates, error=GPDRFInputError)


def test_draws(x: Array, y: Array, fitted: GPDRFRegressor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws have the moments of the prediction, and are those of their seed, however many rows go at a time."""
    mean, sd = fitted.predict(x, return_std=True)
    draws = fitted.sample_y(x, 2000, random_state=1)
    assert draws.shape == (100, 2000)
    assert (np.abs(draws.mean(axis=1) - mean) < 5 * sd / np.sqrt(2000)).all()
    assert np.allclose(draws.std(axis=1), sd, rtol=0.15)
    assert np.array_equal(draws[:, :3], fitted.sample_y(x, 3, random_state=1))
    assert not np.array_equal(draws[:, :3], fitted.sample_y(x, 3, random_state=2))
    monkeypatch.setattr(_server, "_ROWS", 7)
    assert np.array_equal(draws[:, :3], fitted.sample_y(x, 3, random_state=1))
    several = GPDRFRegressor(**SMALL).fit(x, np.stack([y, -y], axis=1))
    assert several.sample_y(x, 4).shape == (100, 2, 4)
    refused("count", fitted.sample_y, x, -1)


def test_many_rows(x: Array, fitted: GPDRFRegressor) -> None:
    """Rows that go in several requests have the predictions of their own."""
    many = np.tile(x, (100, 1))
    assert np.array_equal(fitted.predict(many), np.tile(fitted.predict(x), 100))


def test_several_targets(x: Array, y: Array) -> None:
    model = GPDRFRegressor(**SMALL).fit(x, np.stack([y, -y, x[:, 2] ** 2], axis=1))
    mean, sd = model.predict(x[:7], return_std=True)
    assert mean.shape == sd.shape == (7, 3)
    assert model.predict_quantiles(x[:7]).shape == (7, 3, 5)
    assert model.score(x, np.stack([y, -y, x[:, 2] ** 2], axis=1)) > 0.5


def test_many_targets(x: Array, y: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer holds no more numbers than a request may ask for, however many targets there are."""
    model = GPDRFRegressor(**SMALL).fit(x, np.stack([y + k * x[:, 0] for k in range(20)], axis=1))
    sizes: list[int] = []
    infer = _server.Server._infer

    def seen(self: _server.Server, *given: Any) -> Any:
        answer = infer(self, *given)
        sizes.append(answer[0].size)
        return answer

    monkeypatch.setattr(_server.Server, "_infer", seen)
    monkeypatch.setattr(_server, "_NUMBERS", 400)
    assert model.sample_y(x, 10).shape == (100, 20, 10)
    assert max(sizes) == 400


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [-1, 1], [10, 9], [False, True], [0.0, 2.0], ["NA", ""], ["a,b", 'say "c"\n']],
)
def test_classes(x: Array, y: Array, labels: list[Any]) -> None:
    classes = np.array(labels)[(y > 0).astype(int)]
    model = GPDRFClassifier(**SMALL).fit(x, classes)
    assert model.score(x, classes) > 0.8
    assert model.predict(x).dtype == classes.dtype
    probabilities = model.predict_proba(x)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (model.classes_ == np.unique(classes)).all()


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_of_numbers(kind: Any, x: Array, y: Array, fitted: GPDRFRegressor) -> None:
    frame = kind({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]})
    model = GPDRFRegressor(**SMALL).fit(frame, kind({"y": y})["y"])
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert np.array_equal(model.predict(frame), fitted.predict(x))
    refused("feature names", model.predict, frame[["b", "a", "c"]])


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_with_words(kind: Any, x: Array, y: Array) -> None:
    """Columns of words are inputs, too; missing cells are filled in where that is asked for."""
    words = np.array(["red", "blue", "dark green"])[np.arange(100) % 3]
    shifted = y + 5.0 * (words == "red")
    frame = kind({"colour": words.tolist(), "a": x[:, 0], "n": np.arange(100) % 7, "b": x[:, 1]})
    model = GPDRFRegressor(**SMALL).fit(frame, shifted)
    assert model.score(frame, shifted) > 0.5
    red, blue = (kind({"colour": [word], "a": [0.0], "n": [1], "b": [0.0]}) for word in ("red", "blue"))
    assert model.predict(red)[0] - model.predict(blue)[0] > 2

    holes = kind({"colour": [None, *words[1:].tolist()], "a": [*x[:99, 0].tolist(), None], "b": x[:, 1]})
    refused("missing", GPDRFRegressor(**SMALL).fit, holes, shifted)
    model = GPDRFRegressor(**SMALL, missing="impute").fit(holes, shifted)
    assert np.isfinite(model.predict(holes)).all()


def test_missing_numbers(x: Array, y: Array) -> None:
    holes = x.copy()
    holes[::9, 2] = np.nan
    refused("NaN", GPDRFRegressor(**SMALL).fit, holes, y)
    model = GPDRFRegressor(**SMALL, missing="impute").fit(holes, y)
    assert model.score(holes, y) > 0.5
    emptied = holes.copy()
    emptied[:, 2] = np.nan  # the program leaves such a column out
    model = GPDRFRegressor(**SMALL, missing="impute").fit(emptied, y)
    assert np.array_equal(model.predict(emptied), model.predict(x))


def test_inducing_above_the_rows_that_stay(x: Array, y: Array) -> None:
    """A number above that of the rows without missing cells is lowered to it."""
    holes = x.copy()
    holes[::2, 1] = np.nan
    frame = pd.DataFrame(holes, columns=["a", "b", "c"]).assign(word=["u", None, "v", "u"] * 25, note=np.nan)
    options: dict[str, Any] = {**SMALL, "steps": 3, "inducing": 80, "missing": "drop"}
    assert GPDRFRegressor(**options).fit(holes, y).result_["n_train"] == 50
    model = GPDRFRegressor(**options, options={"ignore": "b"}).fit(frame, y)
    assert model.result_["n_train"] == 75
    assert "\ninducing: 75 #" in model._config


def test_sequences(genes: tuple[list[str], list[str]]) -> None:
    texts, classes = genes
    model = GPDRFClassifier(**OF_SEQUENCES, kernel="spectrum:4").fit(texts, classes)
    assert model.score(texts, classes) > 0.8
    assert np.array_equal(model.predict_proba(np.array(texts)), model.predict_proba(pd.Series(texts)))
    refused("list of str", model.predict, np.zeros((3, 2)))
    refused("X, row 2: the sequence is missing", model.predict, [texts[0], None], error=GPDRFInputError)
    lengths = GPDRFRegressor(**OF_SEQUENCES, kernel="spectrum:2").fit(texts, [float(len(text)) for text in texts])
    assert lengths.predict(texts[:5]).shape == (5,)


def test_long_sequences(genes: tuple[list[str], list[str]]) -> None:
    """Rows whose texts are too long for one request go in several."""
    texts, classes = genes
    model = GPDRFClassifier(**OF_SEQUENCES, kernel="spectrum:4").fit(texts, classes)
    long = [text * 150 for text in texts]  # 20 MB of 4096 rows
    probabilities = model.predict_proba(long * 70)
    assert np.array_equal(probabilities, np.tile(model.predict_proba(long), (70, 1)))


def test_copies(x: Array, fitted: GPDRFRegressor, tmp_path: Path) -> None:
    want = fitted.predict(x)
    joblib.dump(fitted, tmp_path / "model.joblib")
    for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), joblib.load(tmp_path / "model.joblib")):
        assert np.array_equal(other.predict(x), want)


def test_not_fitted(x: Array) -> None:
    for method in ("predict", "predict_quantiles", "distance"):
        with pytest.raises(NotFittedError):
            getattr(GPDRFRegressor(), method)(x)


def test_fit_that_fails(x: Array, y: Array) -> None:
    """It leaves the model of the fit before, with its classes, columns and kind of rows."""
    model = GPDRFClassifier(**SMALL).fit(x, np.where(y > 0, "plus", "minus"))
    before = model.predict(x)
    model.set_params(lr=-1)
    kinds: list[Any] = [x, x[:, :2], pd.DataFrame({"w": ["u", "v"] * 50}), ["ACGT", "GATTACA"] * 50]
    for rows in kinds:
        refused("lr", model.fit, rows, np.where(y > 0, "white", "black"))
        assert list(model.classes_) == ["minus", "plus"]
        assert np.array_equal(model.predict(x), before)


def test_conformal(x: Array, y: Array, fitted: GPDRFRegressor) -> None:
    """Intervals and sets hold about as many targets as their level says, and grow with it."""
    model = GPDRFRegressor(**SMALL, conformal=True).fit(x, y)
    narrow, wide = model.predict_interval(x, 0.5), model.predict_interval(x)
    assert wide.shape == (100, 2)
    assert (wide[:, 0] < narrow[:, 0]).all()
    assert (narrow[:, 1] < wide[:, 1]).all()
    assert np.mean((wide[:, 0] <= y) & (y <= wide[:, 1])) > 0.7
    refused("needs at least 99 rows held out for intervals, and there are 20", model.predict_interval, x, 0.99)
    refused("is not between 0 and 1", model.predict_interval, x, 1)
    refused("conformal=True", fitted.predict_interval, x)
    several = GPDRFRegressor(**SMALL, conformal=True).fit(x, np.column_stack([y, -y]))
    assert several.predict_interval(x).shape == (100, 2, 2)
    classes = GPDRFClassifier(**SMALL, conformal=True).fit(x, np.where(y > 0, "up", "down"))
    chosen = classes.predict_set(x, 0.8)
    assert chosen.shape == (100, 2)
    assert chosen.dtype == bool
    assert chosen[np.arange(100), classes.predict_proba(x).argmax(axis=1)].all()


def test_suggest(x: Array, fitted: GPDRFRegressor) -> None:
    """Rows are chosen once, the best first; the same seed gives the same ones."""
    rows, worth = fitted.suggest(x, batch=4, how="variance")
    assert len(set(rows)) == len(worth) == 4
    assert rows.max() < 100
    assert (np.diff(worth) < 1e-9).all()
    again, _ = fitted.suggest(x, batch=4, how="variance")
    assert np.array_equal(rows, again)
    mean = fitted.predict(x)
    best, bound = fitted.suggest(x, 1, "ucb")
    assert mean[best[0]] > mean.mean()
    least, _ = fitted.suggest(x, 1, "ucb", minimize=True, feasible=fitted, random_state=1)
    assert mean[least[0]] < mean[best[0]] < bound[0]
    refused("give batch 100, or more rows", fitted.suggest, x, 101)
    refused('there is no "best"', fitted.suggest, x, how="best")


def test_suggest_classes(x: Array, y: Array) -> None:
    model = GPDRFClassifier(**SMALL).fit(x, np.where(y > y.mean(), "yes", "no"))
    rows, nats = model.suggest(x, 3)
    assert len(rows) == 3
    assert (nats >= 0).all()
    refused("is for numbers", model.suggest, x, how="ei")


def test_offset(x: Array) -> None:
    """A column of an array may be the logarithm of an exposure: twice the exposure, twice the counts."""
    y = np.random.default_rng(1).poisson(np.exp(x[:, 0]))
    model = GPDRFRegressor(**SMALL, likelihood="poisson", options={"offset": "x0"}).fit(x, y)
    more = x.copy()
    more[:, 0] += np.log(2)
    assert np.allclose(model.predict(more), 2 * model.predict(x), rtol=1e-5)


@pytest.mark.parametrize("given", [{"ensemble": 2}, {"options": {"ensemble": 2}}])
def test_ensemble(given: dict[str, Any], x: Array, y: Array) -> None:
    """A parameter may be given among the options, too."""
    assert GPDRFRegressor(**SMALL, **given).fit(x, y).predict(x).shape == (100,)


def test_warm_start_takes_the_same_columns(x: Array, y: Array) -> None:
    """Other columns are an error, and the model of the fit before stays."""
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    model = GPDRFRegressor(**SMALL, warm_start=True).fit(frame, y)
    before = model.predict(frame)
    for other in (frame[["c", "b", "a"]], frame.rename(columns={"a": "z"}), frame[["a", "b"]]):
        refused("warm_start: X has", model.fit, other, y)
    assert np.array_equal(model.predict(frame), before)


def test_warm_start_in_one_form(x: Array, y: Array) -> None:
    """A fit of an array does not start at one of a table, and says so."""
    model = GPDRFRegressor(**SMALL, warm_start=True).fit(x, y)
    refused("warm_start: X is read as a table", model.fit, x, y, sample_weight=np.ones(100))
    refused("target is 5", model.suggest, x, 3, target=5)
    with pytest.raises(ValueError, match="all rows of the class 'up' have the weight 0"):
        GPDRFClassifier(**SMALL).fit(x, np.where(y > 0, "up", "down"), sample_weight=(y <= 0) * 1.0)
    with pytest.warns(match="the intervals hold only if none of these rows"):
        model.set_params(conformal=True).fit(x, y)


def test_suggest_rows_with_names(x: Array, y: Array) -> None:
    """A column that names the rows stands before their worth."""
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).assign(number=np.arange(1000, 1100))
    model = GPDRFRegressor(**SMALL, options={"id": "number"}).fit(frame, y)
    rows, worth = model.suggest(frame, batch=3, how="variance")
    assert (worth < 1000).all()
    words = frame.assign(number=[f"house {i}" for i in range(100)])
    again, same = model.suggest(words, batch=3, how="variance", feasible=model)
    assert len(again) == len(rows)
    assert (same < 1000).all()


def test_class_without_sequences(genes: tuple[list[str], list[str]]) -> None:
    """A class of which missing="drop" leaves no row is none of the model."""
    classes = np.array(["a", "b", "c"])[np.arange(60) % 3]
    holes = ["" if name == "b" else text for name, text in zip(classes, genes[0], strict=True)]
    model = GPDRFClassifier(steps=20, kernel="spectrum:2", missing="drop", random_state=1).fit(holes, classes)
    assert list(model.classes_) == ["a", "c"]
    assert set(model.predict(genes[0])) <= {"a", "c"}
    assert list(model.set_params(warm_start=True).fit(holes, classes).classes_) == ["a", "c"]
