"""What columns of frames mean, sparse matrices, and messages about them."""

import warnings
from datetime import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import coo_array, csr_array

from gpdrf import GPDRFClassifier, GPDRFInputError, GPDRFRegressor, GPDRFWarning, _options, _server

from .conftest import SMALL, Array, refused

N = 40


def fit(columns: Any, **parameters: Any) -> GPDRFRegressor:
    return GPDRFRegressor(**{**SMALL, "steps": 5, **parameters}).fit(columns, np.arange(N) % 7 + 0.5)


def words(model: GPDRFRegressor, column: int = 0) -> list[str]:
    values: list[str] = model._model.schema()["one_hot"][column]["values"]
    return values


def test_na_among_words_is_a_word() -> None:
    """A missing cell is None or NaN; numbers that stand as texts keep NA as a missing cell."""
    frame = pd.DataFrame({"zone": ["NA", "EU", "AP", "n/a"] * 10, "x": np.arange(N)})
    model = fit(frame)
    assert words(model) == ["AP", "EU", "NA", "n/a"]
    with pytest.warns(GPDRFWarning, match='"null" in column "zone" is not in the training data'):
        model.predict(pd.DataFrame({"zone": ["null"], "x": [1]}))
    frame.loc[3, "zone"] = None
    refused(r'^X, row 4: cells are missing, in "zone" 1', fit, frame, error=GPDRFInputError)
    imputed = fit(frame, missing="impute")
    assert words(imputed) == ["AP", "EU", "NA", "n/a"]
    assert imputed.predict(frame[3:4]) != imputed.predict(frame[4:5].assign(x=3))
    numbers = pd.DataFrame({"a": ["NA", "1.5", "-", "2"] * 10, "x": ["a", "b"] * 20})
    assert fit(numbers, missing="impute")._model.schema()["fills"][0]["column"] == "a"


def test_na_is_a_new_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a model whose training rows had no such word."""
    model = fit(pd.DataFrame({"t": ["A", "B", "none", "C"] * 10, "x": np.arange(N)}))
    refused('column "t" is missing', model.predict, pd.DataFrame({"t": ["A", None], "x": 1}), error=GPDRFInputError)
    for word in ("NA", "null", "n/a", "?", "unknown"):
        for sockets in (True, False):
            monkeypatch.setattr(_server, "available", lambda sockets=sockets: sockets)
            with pytest.warns(GPDRFWarning) as told:
                model.predict(pd.DataFrame({"t": ["none", word], "x": 1}))
            assert f'X, row 2: "{word}" in column "t" is not in the training data' in str(told[-1].message)


@pytest.mark.parametrize("kind", ["pandas", "pandas with a missing cell", "polars"])
def test_digits_of_categories_are_words(kind: str) -> None:
    digits = [1, 2, 3, 4] * 10
    frame: Any = pd.DataFrame({"k": pd.Categorical(digits)})
    if kind == "polars":
        frame = pl.DataFrame({"k": pl.Series([str(d) for d in digits], dtype=pl.Categorical)})
    if kind == "pandas with a missing cell":
        frame.loc[5, "k"] = None
    model = fit(frame, missing="impute")
    assert words(model) == ["1", "2", "3", "4"]
    with warnings.catch_warnings(action="error"):
        assert np.array_equal(model.predict(frame)[:4], model.predict(frame[:4]))


def test_booleans_are_one_value() -> None:
    """Of a column of texts, too, and whatever their capitals are."""
    frame = pd.DataFrame({"flag": ["True", "False", "TRUE", "false"] * 10, "w": ["a", "b"] * 20})
    model = fit(frame)
    ask = [model.predict(pd.DataFrame({"flag": [flag], "w": ["a"]}))[0] for flag in ("true", True, 1, "1", np.True_)]
    assert len(set(ask)) == 1
    with pytest.raises(GPDRFInputError, match=r'^X, row 2: found "maybe" in column "flag"'):
        model.predict(pd.DataFrame({"flag": ["True", "maybe"], "w": ["a", "a"]}))


def test_a_column_of_booleans_takes_no_other_number() -> None:
    model = fit(pd.DataFrame({"flag": [True, False] * 20, "w": ["a", "b"] * 20}))
    with pytest.raises(GPDRFInputError, match=r'found 2 in column "flag", which is true or false'):
        model.predict(pd.DataFrame({"flag": [2], "w": ["a"]}))


def test_messages_speak_of_x(x: Array, y: Array, tmp_path: Any) -> None:
    frame = pd.DataFrame({"t": ["two\nlines", "c"] * 20, "x": ["1", "2", "3", "4 kg"] * 10})
    for run in (None, tmp_path / "run"):
        refused(r'^X, row 4: found "4 kg" in column "x"', fit, frame, error=GPDRFInputError, run=run)
    x, y = x.copy(), y.copy()
    x[3, 1] = 1e200
    refused(r"^X: value \[3, 1\] is 1e\+200", GPDRFRegressor(**SMALL).fit, x, y, error=GPDRFInputError)


def test_warnings_without_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command's warnings arrive, too, and speak of X."""
    model = fit(pd.DataFrame({"w": ["a", "b"] * 20}))
    monkeypatch.setattr(_server, "available", lambda: False)
    with pytest.warns(GPDRFWarning) as seen:
        model.predict(pd.DataFrame({"w": ["a", "never"]}))
    assert any(str(w.message).startswith('X, row 2: "never" in column "w"') for w in seen)


def test_errors_count_the_rows_of_x(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that go to the child in parts keep their numbers."""
    monkeypatch.setattr(_server, "_ROWS", 2)
    model = fit(pd.DataFrame({"w": ["a", "b"] * 20, "x": np.arange(N) % 9 + 0.25}))
    for cell in ("old", "1_000", pd.Timestamp("2024-01-01"), 10**400):
        with pytest.raises(GPDRFInputError, match=rf'^X, row 5: found "{cell}" in column "x", which must be a number'):
            model.predict(pd.DataFrame({"w": ["a"] * 5, "x": [1, 2, 3, 4, cell]}))


@pytest.mark.parametrize("kinds", [35, N])
def test_texts_that_hardly_repeat_are_left_out_with_a_warning(kinds: int) -> None:
    frame = pd.DataFrame({"t": [f"T{i % kinds}" for i in range(N)], "x": np.arange(N) % 9})
    with pytest.warns(GPDRFWarning, match='^X: column "t" is text that .*: left out$'):
        assert fit(frame)._model.schema()["columns"] == ["x"]
    fit(frame, options={"ignore": "t"})


def test_sparse_rows(x: Array, y: Array) -> None:
    """Those that fit the memory are those of the array; others are refused as scikit-learn refuses them."""
    model = GPDRFRegressor(**SMALL).fit(csr_array(x), y)
    assert np.array_equal(model.predict(coo_array(x)), GPDRFRegressor(**SMALL).fit(x, y).predict(x))
    huge = csr_array((100, 10**8))
    with pytest.raises(TypeError, match="toarray"):
        GPDRFRegressor(**SMALL).fit(huge, y)


def test_dates_are_one_value_in_every_form() -> None:
    """datetime64, Timestamps with zones, datetime objects and texts; NaT is a missing cell."""
    when = pd.date_range("2024-01-01 06:30", periods=N, freq="9h")
    y = np.arange(N) % 7 + 0.5
    frames: list[Any] = [
        pd.DataFrame({"when": when, "x": np.arange(N)}),
        pd.DataFrame({"when": when.tz_localize("UTC").tz_convert("Asia/Kolkata"), "x": np.arange(N)}),
        pd.DataFrame({"when": when.to_pydatetime(), "x": np.arange(N)}, dtype=object),
        pd.DataFrame({"when": when.astype(str), "x": np.arange(N)}),
        pl.DataFrame({"when": when.to_numpy(), "x": np.arange(N)}),
    ]
    models = [GPDRFRegressor(**{**SMALL, "steps": 5}).fit(frame, y) for frame in frames]
    assert models[0]._model.schema()["dates"][0]["cycles"] == ["day", "week"]
    want = models[0].predict(frames[0])
    for frame, model in zip(frames, models, strict=True):
        assert np.array_equal(model.predict(frame), want)
        assert np.array_equal(models[0].predict(frame), want)
    frames[0].loc[3, "when"] = pd.NaT
    refused(r'^X, row 4: cells are missing, in "when" 1', fit, frames[0], error=GPDRFInputError)
    assert np.isfinite(fit(frames[0], missing="impute").predict(frames[0])).all()
    frames[3].loc[2, "when"] = "2024-02-31"
    refused(r'row 3: found "2024-02-31" in column "when"', models[0].predict, frames[3], error=GPDRFInputError)


DATA = Path(__file__).parents[2] / "docs" / "data.md"


@pytest.mark.skipif(not DATA.exists(), reason="the tests are apart from the documentation")
def test_the_table_of_formats() -> None:
    """The row of Python in the table of docs/data.md is what becomes of frames."""
    line = next(line for line in DATA.read_text("utf-8").splitlines() if line.startswith("| Python |"))
    frame = pd.DataFrame({"a": np.arange(N) + 0.5, "flag": [True, False] * 20, "kind": ["u", "v", "v", "u"] * 10})
    y = np.arange(N) % 7 + 0.5
    dated = frame.drop(columns="flag").assign(when=pd.Timestamp("2024-05-06"))
    models = fit(frame), fit(dated)

    def becomes(column: str, cell: Any) -> str:
        faulty, model = (dated, models[1]) if column == "when" else (frame, models[0])
        faulty = faulty.astype(object)
        faulty.loc[3, column] = cell
        with warnings.catch_warnings(record=True, action="always") as told:
            try:
                model.predict(faulty)
            except ValueError:
                return "error"
        return "noted" if told else "an input"

    targets = y.copy()
    targets[3] = np.nan
    refused("NaN", GPDRFRegressor(**SMALL).fit, frame, targets)
    cells = [cell.strip() for cell in line.split("|")[2:-1]]
    faults = [("a", None), ("flag", True), ("when", "2024-05-06"), ("kind", "w"), None, ("a", "1.5,7")]
    assert cells == ["error" if fault is None else becomes(*fault) for fault in faults]


def test_options_name_columns(x: Array, y: Array) -> None:
    """An option takes a column of numbers by its name in the frame, or by x0, x1, … of an array."""
    frame = pd.DataFrame(x, columns=["a", "b", "hours"])
    counts = np.random.default_rng(3).poisson(np.exp(y / 2))
    by_name = GPDRFRegressor(**SMALL, likelihood="poisson", options={"offset": "hours"}).fit(frame, counts)
    more = by_name.predict(frame.assign(hours=frame["hours"] + 1))
    assert np.allclose(more / by_name.predict(frame), np.e)
    by_place = GPDRFRegressor(**SMALL, likelihood="poisson", options={"offset": "x2"}).fit(x, counts)
    assert np.allclose(by_place.predict(x), by_name.predict(frame))
    grouped = GPDRFRegressor(**SMALL, options={"group": "b"}).fit(frame.assign(b=np.arange(100) // 10), y)
    assert grouped.predict(frame).shape == (100,)
    assert GPDRFRegressor(**SMALL, options={"time": "x0"}).fit(x, y).predict(x).shape == (100,)
    refused("X has no rows", by_name.predict, frame[:0])
    durations, periods = pd.to_timedelta(frame["b"], unit="D"), pd.period_range("2020-01", periods=100, freq="M")
    wrong = [(durations, "durations: give numbers"), (periods, "periods: give dates")]
    lists: list[Any] = [[1, 2], np.zeros(2), {"k": 1}]
    wrong += [(frame["b"] + 1j, "complex numbers: give their parts"), ((frame["b"] + 1j).astype(object), "complex")]
    wrong += [(pd.Series([cell] * 100), "lists: give each value a column") for cell in lists]
    wrong += [
        (pd.Series([cell] * 100), f"{type(cell).__name__} objects") for cell in (pd.Interval(0, 1), {1}, b"a", time())
    ]
    for column, match in wrong:
        with pytest.raises(GPDRFInputError, match=f'column "b" is of {match}'):
            GPDRFRegressor(**SMALL).fit(frame.assign(b=column), y)


def test_rows_that_begin_with_a_hash() -> None:
    """They are no comments, also behind the part of a file at which the program looks first."""
    frame = pd.DataFrame({"#": ["red", "#ff0000"] * 20, "x": np.arange(N)})
    assert words(fit(frame)) == ["#ff0000", "red"]
    texts = [f"plain {i % 10} {'word ' * 20}" for i in range(1000)] + ["#tag of a tweet"] * 20
    model = GPDRFRegressor(**{**SMALL, "steps": 5}).fit(texts, np.arange(1020) % 7 + 0.5)
    assert model.result_["n_train"] == 1020


def test_names_of_columns() -> None:
    """Blanks around a name are not of it, and a column without a name has its number."""
    frame = pd.DataFrame({"kind": ["a", "b"] * 20, " age": np.arange(N), "": np.arange(N) % 3})
    assert fit(frame).predict(frame).shape == (N,)
    for names in (["kind", " age", "age"], ["kind", "age", "age"]):
        refused('two columns are called "age"', fit, frame.set_axis(names, axis=1), error=GPDRFInputError)
    refused('two columns are called "a"', fit, pd.DataFrame(np.ones((N, 2)), columns=["a", "a"]), error=GPDRFInputError)


def test_lines_that_end_as_on_windows() -> None:
    """A reader of CSV takes the ends of lines in a cell as plain ones, so rows to predict have them, too."""
    frame = pd.DataFrame({"t": ["two\r\nlines", "c"] * 20, "x": np.arange(N)})
    model = fit(frame)
    assert words(model) == ["c", "two\nlines"]
    assert np.array_equal(model.predict(frame), model.predict(frame.assign(t=["two\nlines", "c"] * 20)))


@pytest.mark.parametrize(
    "cells",
    [
        ["$1,299.50", "-", "$950", "$1,100"],
        ["5 kg", "NA", "7 kg", "6.5 kg"],
        ["2024-01-05", "?", "2024-03-01"],
        ["05JAN2024", "unknown", "1 Feb 2024"],
    ],
)
def test_na_among_amounts_and_days_is_missing(cells: list[str]) -> None:
    """Such columns hold no words, but numbers and dates, as those of a file do."""
    frame = pd.DataFrame({"a": (cells * N)[:N], "w": ["u", "v"] * 20})
    refused(r'^X, row 2: cells are missing, in "a" 1', fit, frame, error=GPDRFInputError)
    schema = fit(frame, missing="impute")._model.schema()
    assert [column["column"] for column in schema["one_hot"]] == ["w"]


def test_class_without_rows_has_its_name() -> None:
    y = np.array(["a", "b"])[np.arange(N) % 2]
    frame = pd.DataFrame({"zone": ["EU", "EU", "AP", "AP"] * 10, "x": np.where(y == "b", np.nan, np.arange(N))})
    with pytest.raises(GPDRFInputError, match=r'all rows of class "b" of y are left out'):
        GPDRFClassifier(**{**SMALL, "steps": 5, "missing": "drop"}).fit(frame, y)


@pytest.mark.parametrize("names", [["b", "c"], np.array(["b", "c"]), pd.Index(["b", "c"]), pd.Series(["b", "c"])])
def test_options_of_numpy_and_pandas(names: Any) -> None:
    frame = pd.DataFrame({"a": np.arange(N) % 5 / 4, "b": np.arange(N) % 3, "c": np.arange(N) % 7})
    model = fit(frame, options={"ignore": names})
    assert model._model.schema()["columns"] == ["a"]
    assert _options.text(np.bool_(True)) == "true"
    assert _options.text(np.float64(0.5)) == "0.5"


def test_suggest_takes_columns_by_their_names(x: Array, y: Array) -> None:
    """Columns that are no inputs change nothing, and an input that tells of gaps is no column."""
    holes = x.copy()
    holes[::9, 1] = np.nan
    holes[:, 2] = np.nan
    models = [
        GPDRFRegressor(**SMALL, missing="impute").fit(holes, y),
        GPDRFRegressor(**SMALL, options={"ignore": "x2"}).fit(x, y),
    ]
    other = x * [1, 1, -50]
    for model in models:
        rows, worth = model.suggest(x, batch=3, how="variance")
        again, same = model.suggest(other, batch=3, how="variance")
        assert np.array_equal(rows, again)
        assert np.array_equal(worth, same)
    plain = GPDRFRegressor(**SMALL).fit(x, y)
    assert len(plain.suggest(x, batch=3, how="variance", feasible=models[0])[0]) == 3


def test_messages_about_rows_behind_a_genome() -> None:
    """A cell may have more characters than package csv of Python takes."""
    texts = ["ACGT" * 40_000, "", *["GATTACA", "ACGGT"] * 19]
    refused(r'^X, row 2: the column "sequence" lacks 1 sequence', fit, texts, error=GPDRFInputError)


@pytest.mark.parametrize("kind", [list, tuple, pd.Series])
def test_nan_in_a_list_is_no_word(kind: Any, x: Array, y: Array) -> None:
    names = ["up" if t > 0 else "down" for t in y]
    missing = kind([*names[:3], np.nan, *names[4:]])
    refused("y of row 4 is missing: each row needs a class", GPDRFClassifier(**SMALL).fit, x, missing)
    refused("groups of row 4 is missing: each row needs a group", GPDRFRegressor(**SMALL).fit, x, y, groups=missing)


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_missing_sequences(gap: Any, genes: tuple[list[str], list[str]]) -> None:
    """They are what an empty text is, as in a column of a frame with gaps."""
    texts, y = [genes[0][0], gap, *genes[0][2:]], np.arange(60) + 0.5
    small: dict[str, Any] = {"steps": 20, "kernel": "spectrum:2", "random_state": 1}
    for x in (texts, pd.Series(texts)):
        with pytest.raises(GPDRFInputError, match=r'^X, row 2: the column "sequence" lacks 1 sequence'):
            GPDRFRegressor(**small).fit(x, y)
    model = GPDRFRegressor(**small, missing="drop").fit(texts, y)
    assert model.result_["n_train"] == 59
    refused(r"^X, row 2: the sequence is missing", model.predict, texts, error=GPDRFInputError)


def test_tables_without_rows_yet(x: Array, y: Array) -> None:
    """A LazyFrame of polars is refused with a remedy, and without the warnings of polars."""
    lazy = pl.DataFrame(x, schema=["a", "b", "c"]).lazy()
    model = GPDRFRegressor(**SMALL).fit(lazy.collect(), y)
    for call in (model.predict, lambda rows: model.fit(rows, y), lambda rows: GPDRFClassifier().fit(x, rows)):
        with warnings.catch_warnings(action="error"), pytest.raises(ValueError, match=r"call its \.collect\(\)"):
            call(lazy)
