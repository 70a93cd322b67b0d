"""GPDRFRegressor and GPDRFClassifier."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from gpdrf._base import Estimator
from gpdrf._errors import GPDRFInputError
from gpdrf._options import seed_of
from gpdrf._rows import Numbers, check_classes, check_numbers, levels_of

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


@contextmanager
def restoring_on_failure(estimator: Estimator) -> Iterator[None]:
    """Let an estimator stay as it was where a fit gives it no model: classes and model belong together."""
    fields = estimator.__dict__
    before = dict(fields)
    try:
        yield
    except BaseException:
        if fields.get("_model") is before.get("_model"):
            fields.clear()
            fields.update(before)
        raise


class GPDRFRegressor(RegressorMixin, Estimator):
    """A deep Gaussian process for numbers, or for several numbers at a time.

    {parameters}

    Attributes
    ----------
    result_ : dict
        What the program writes of a run: sizes, steps, seconds, the bound.
    history_ : list of dict
        The readings of the training: step, elbo, ….
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from gpdrf import GPDRFRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = GPDRFRegressor(random_state=1).fit(X, y)
    >>> mean, sd = model.predict(X[:3], return_std=True)
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Train on rows X and their targets y [N], or [N, T] for T targets.

        X is an array of numbers, a data frame of pandas or polars, which may have columns of words, or a list of str:
        DNA, proteins or texts.

        A row counts as sample_weight [N] copies of it, 0 or more. Rows with the same value of groups [N], such as those
        of a patient, stay together where rows are held out: for validation, conformal, and the choice of options.
        groups="scaffold" groups molecules, as SMILES, by their scaffolds.
        """
        with restoring_on_failure(self):
            check_numbers(y)
            rows, y = self._new_rows(X, y)
            y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
            self._fit(rows, y.ravel() if y.size == len(y) else y, "regression", sample_weight, groups)
        return self

    def _output(self, x: Any, name: str, width: int = 1, **parameters: Any) -> Numbers:
        """An output [N, T, …], without T where there is one target."""
        values = super()._output(x, name, width, **parameters)
        return values[:, 0] if values.ndim > 1 and values.shape[1] == 1 else values

    @overload
    def predict(self, X: Any, return_std: Literal[False] = False) -> Numbers: ...

    @overload
    def predict(self, X: Any, return_std: Literal[True]) -> tuple[Numbers, Numbers]: ...

    def predict(self, X: Any, return_std: bool = False) -> Numbers | tuple[Numbers, Numbers]:
        """The mean of each row's predictive distribution, and its standard deviation, with the noise."""
        mean = self._output(X, "mean")
        return (mean, self._output(X, "sd")) if return_std else mean

    def predict_quantiles(self, X: Any, levels: Sequence[float] | float = LEVELS) -> Numbers:
        """Quantiles of the predictive distribution, [N, levels] or [N, targets, levels]. A number is one level."""
        each = np.atleast_1d(np.asarray(levels, np.float64))
        if each.ndim > 1 or each.size == 0:
            raise ValueError(f"levels is {levels!r}: give numbers between 0 and 1, such as {LEVELS}")
        asked = {} if tuple(each) == LEVELS else {"levels": ",".join(repr(float(q)) for q in each)}
        return self._output(X, "quantiles", len(each), **asked)

    def predict_interval(self, X: Any, level: float = 0.9) -> Numbers:
        """The conformal interval of each row, [N, 2] or [N, targets, 2], of an estimator with conformal=True.

        It holds the target of a new row with a probability of level at least, however wrong the model is, if that row
        is exchangeable with those of training.
        """
        return self._at_level(X, "interval", 2, level)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: int | np.random.RandomState | None = 0) -> Numbers:
        """Draws of the targets, [N, n_samples] or [N, targets, n_samples].

        All rows of a draw have one sample of the latent functions, and each row has noise of its own.
        """
        return self._output(X, "draws", n_samples, count=n_samples, seed=seed_of(random_state))


class GPDRFClassifier(ClassifierMixin, Estimator):
    """A deep Gaussian process for classes, or for levels in order by likelihood="ordinal".

    {parameters}

    Attributes
    ----------
    classes_ : array
        The classes, in the order of probabilities.
    result_ : dict
        What the program writes of a run: sizes, steps, seconds, the bound.
    history_ : list of dict
        The readings of the training: step, elbo, ….
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from gpdrf import GPDRFClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GPDRFClassifier(random_state=1).fit(X, y)
    >>> model.predict_proba(X[:3]).shape
    (3, 3)
    """

    _own_options = frozenset({"order"})

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Train on rows X and their classes y [N], which may be numbers or words; otherwise as in GPDRFRegressor.

        options={"class-weights": "balanced"} gives each class the same share of the weights.
        """
        with restoring_on_failure(self):
            self._fit_classes(X, y, sample_weight, groups)
        return self

    def _fit_classes(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> None:
        """Train on rows X and their classes y."""
        check_classes(y)
        levels = levels_of(y)
        rows, y = self._new_rows(X, y)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y holds the class {classes[0]!r} only: at least two classes are needed")
        weights = np.zeros(0) if sample_weight is None else np.asarray(sample_weight, float)
        if weights.shape == codes.shape and weights.any():
            for k, total in enumerate(np.bincount(codes, weights, len(classes))):
                if total == 0:
                    raise ValueError(
                        f"sample_weight: all rows of the class {str(classes[k])!r} have the weight 0: leave it out"
                    )
        order = self._order(classes, levels)
        classes, codes = classes[order], np.argsort(order)[codes]
        if self.warm_start and self.__sklearn_is_fitted__():
            before = getattr(self, "_labels", self.classes_)  # includes classes whose rows were all left out
            if not np.array_equal(classes, before):
                raise ValueError(f"warm_start: y must hold the classes of the fit before, {before.tolist()}")
        self._labels = classes
        try:
            self._fit(rows, codes, "classification", sample_weight, groups)
        except GPDRFInputError as wrong:  # the program knows classes by their codes
            text = re.sub(r'class "?(\d+)"? of y\b', lambda code: f'class "{classes[int(code[1])]}" of y', str(wrong))
            raise GPDRFInputError(text) from None

    def _adopt_run(self, run: Path) -> None:
        super()._adopt_run(run)
        kept = [int(code) for code in self._model.schema()["classes"]]  # classes of the rows that were not left out
        self.classes_: NDArray[Any] = self._labels[kept]

    def _order(self, classes: NDArray[Any], ordered: list[Any] | None) -> NDArray[np.intp]:
        """The places of the classes in their order: that of the option order or of y for levels, else their own."""
        options, words = dict(self.options or {}), [str(c) for c in classes]
        given, ordinal = options.get("order"), "ordinal" in (self.likelihood, options.get("likelihood"))
        if given is not None and not ordinal:
            raise ValueError('the option order is of levels: give likelihood="ordinal", or leave it out')
        if given is None and ordinal and ordered is not None:
            return np.argsort([ordered.index(c) for c in classes.tolist()])
        if given is None:
            if ordinal and classes.dtype.kind not in "iufb":
                raise ValueError(
                    f"the levels of y are words, such as {words[0]!r}, which have no order: give it, from the lowest, "
                    'by options={"order": ["low", …, "high"]}, or by an ordered Categorical'
                )
            return np.arange(len(classes))
        levels = [level.strip() for level in given.split(",")] if isinstance(given, str) else [str(c) for c in given]
        if sorted(levels) != sorted(words):
            raise ValueError(f"the option order has the levels {levels}, and y has {words}: name each once")
        return np.array([words.index(level) for level in levels])

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        probabilities = self.predict_proba(X)
        chosen: NDArray[Any] = self.classes_[probabilities.argmax(axis=1)]
        return chosen

    def predict_proba(self, X: Any) -> Numbers:
        """The probability of each class [N, classes], in the order of classes_."""
        check_is_fitted(self)
        return self._output(X, "probabilities", len(self.classes_))

    def predict_set(self, X: Any, level: float = 0.9) -> NDArray[np.bool_]:
        """The conformal set of each row, [N, classes] in the order of classes_, of an estimator with conformal=True.

        It holds the class of a new row with a probability of level at least, however wrong the model is, if that row is
        exchangeable with those of training. The most probable class is always in it.
        """
        check_is_fitted(self)
        return self._at_level(X, "set", len(self.classes_), level) > 0
