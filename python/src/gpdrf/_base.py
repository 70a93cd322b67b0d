"""What both estimators have in common: parameters, rows and training."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, closing, nullcontext
from inspect import cleandoc, signature
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from gpdrf import _options, _program
from gpdrf._errors import GPDRFInputError
from gpdrf._model import MODEL_FILE, Model
from gpdrf._options import seed_of
from gpdrf._progress import Progress
from gpdrf._rows import (
    Numbers,
    Rows,
    as_sequences,
    check_same_columns,
    check_sequences,
    dense,
    has_words,
    is_frame,
    kept,
    roles_of,
)
from gpdrf._run import CHECKPOINT_FILE, CONFIG_FILE, LOG_FILE, RESULT_FILE, Run

NUMBERS, MIXED, SEQUENCES = "numbers", "mixed", "sequences"  # kinds of X

_CONFORMAL, _MOST_CONFORMAL = 0.2, 5000  # rows behind intervals: their share, and their largest number


class Estimator(BaseEstimator):
    """What both estimators have in common."""

    _own_options: frozenset[str] = frozenset()  # options that the program does not get
    _columns: list[str] | None = None  # names of numbers, in a model that the program trained; None: x0, x1, …

    def __init__(
        self,
        model: str = "gpdrf",
        *,
        preset: str = "default",
        steps: int | None = None,
        time_limit: float | str | None = None,
        inducing: int | None = None,
        latents: int | None = None,
        layers: int | None = None,
        features: int | None = None,
        kernel: str | None = None,
        likelihood: str | None = None,
        batch: int | None = None,
        lr: float | None = None,
        validation: float | None = None,
        ensemble: int | None = None,
        eval_samples: int | None = None,
        conformal: bool = False,
        missing: str = "error",
        device: str = "auto",
        threads: int | None = None,
        options: Mapping[str, Any] | None = None,
        run: str | os.PathLike[str] | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ) -> None:
        """A parameter that is None has the default of `gpdrf-gpu train`, except steps: see there.

        Parameters
        ----------
        model : {"gpdrf", "gp", "drf"}
            The paper's model, its first layer alone (a sparse Gaussian process), or its random-feature layers alone.
        preset : {"default", "best", "paper"}
            Start values of the other options. best selects and stacks models within time_limit.
        steps : int
            Training steps. None takes 5 for each row of a small table, at least 2000; see docs/python.md.
        time_limit : float or str
            Seconds to train, in place of steps; or a text such as "10m".
        inducing, latents, layers, features : int
            Inducing points (at most as many as rows), latent functions, random-feature layers, and frequencies of a
            layer.
        kernel : str
            Of the first layer: rbf, matern32, a sum such as rbf+matern12, or feature maps of sequences.
        likelihood : str
            gaussian, student-t, heteroscedastic or lognormal of numbers, poisson or negative-binomial of counts;
            softmax, bernoulli or ordinal of classes. None takes gaussian, or heteroscedastic if held-out rows choose
            it, negative-binomial for clear counts, and softmax for classes. Levels of ordinal that are words are an
            ordered Categorical of pandas, or need options={"order": ["low", …, "high"]}.
        batch, lr
            Rows of a step, and Adam's learning rate.
        validation : float
            Fraction of the rows that is held out to choose the final parameters.
        ensemble : int
            Number of models with different seeds, whose mean is the prediction.
        eval_samples : int
            Monte-Carlo samples of a prediction.
        conformal : bool
            Hold out a fifth of the rows for predict_interval, or predict_set.
        missing : {"error", "impute", "drop"}
            What to do about missing values.
        device : str
            "auto", "cpu", "cuda:1", "cpu:f64", …. A GPU needs a program with CUDA, whose path GPDRF_PROGRAM has.
        threads : int
            Processor threads; the result does not depend on it.
        options : dict
            Further options of `gpdrf-gpu train` by name, such as {"natgrad": 0.1}.
        run : str or path
            The run folder, which is kept. After an interrupted fit, the next one with the same rows continues. A fit
            replaces a finished run, with a warning, so a cross-validation keeps that of its last fold. One fit at a
            time may use it, so omit it in a search with several jobs.
        warm_start : bool
            Let fit start at the fitted model, with its scaling, options and seed, on rows with the same columns and
            classes. Without steps and time_limit it takes a fifth of the earlier steps.
        random_state : int, RandomState instance or None
            The seed of all random numbers: the same number gives the same model, to the bit.
        verbose : bool
            Show a bar, by tqdm where it is installed.
        """
        self.model = model
        self.preset = preset
        self.steps = steps
        self.time_limit = time_limit
        self.inducing = inducing
        self.latents = latents
        self.layers = layers
        self.features = features
        self.kernel = kernel
        self.likelihood = likelihood
        self.batch = batch
        self.lr = lr
        self.validation = validation
        self.ensemble = ensemble
        self.eval_samples = eval_samples
        self.conformal = conformal
        self.missing = missing
        self.device = device
        self.threads = threads
        self.options = options
        self.run = run
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Explain the parameters in the docstring of an estimator, where scikit-learn has them."""
        super().__init_subclass__(**arguments)
        if cls.__doc__:
            cls.__doc__ = cleandoc(cls.__doc__).replace("{parameters}", cleandoc(Estimator.__init__.__doc__ or ""))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    # Rows

    def _new_rows(self, x: Any, y: Any) -> tuple[Rows, Any]:
        """The rows to train on, with their targets."""
        _options.check(self.options, {k: v for k in _DEFAULTS if (v := getattr(self, k)) != _DEFAULTS[k]})
        if self.warm_start and self.__sklearn_is_fitted__():
            check_same_columns(x, getattr(self, "feature_names_in_", None), getattr(self, "n_features_in_", None))
        if (sequences := as_sequences(x)) is not None:
            self._kind = SEQUENCES
            check_consistent_length(sequences, y)
            return Rows(sequences=sequences), y
        if is_frame(x) and (has_words(x) or _options.names_columns(self.options)):
            self._kind = MIXED
            validate_data(self, x, y, skip_check_array=True)
            check_consistent_length(x, y)
            return Rows.mixed(x), y
        self._kind = NUMBERS
        x, y = validate_data(
            self,
            dense(x),
            y,
            dtype=np.float64,
            ensure_all_finite=self._finite(),
            ensure_min_samples=2,
            multi_output=True,
        )
        return Rows(numbers=x), y

    def _rows(self, x: Any) -> Rows:
        """Rows like those of training."""
        check_is_fitted(self)
        if self._kind == NUMBERS:
            numbers = validate_data(self, dense(x), dtype=np.float64, ensure_all_finite=self._finite(), reset=False)
            return Rows(numbers=numbers, names=self._columns)
        if self._kind == SEQUENCES and (sequences := as_sequences(x)) is not None:
            check_sequences(x)
            return Rows(sequences=sequences)
        if self._kind == SEQUENCES:
            raise ValueError("the estimator was fitted on sequences: X must be a list of str")
        if not is_frame(x):
            raise ValueError("the estimator was fitted on a data frame by its names: X must be such a frame")
        if hasattr(self, "n_features_in_"):  # otherwise the program trained the model, which finds its columns by name
            validate_data(self, x, skip_check_array=True, reset=False)
        if len(x) == 0:
            raise ValueError("X has no rows: at least one is needed")
        return Rows.mixed(x)

    def _finite(self) -> bool | str:
        return True if self.missing == "error" else "allow-nan"

    # Training

    def _fit(self, rows: Rows, y: NDArray[Any], task: str, sample_weight: Any, groups: Any) -> None:
        roles = roles_of(rows, sample_weight, groups)
        n = kept(rows, roles, self.missing == "drop", _options.names(self.options, "ignore"))
        with closing(Run(self.run)) as run, ExitStack() as stack:
            resumes = run.resumes()
            start_args = None
            if self.warm_start and not resumes and self.__sklearn_is_fitted__():
                folder = tempfile.TemporaryDirectory(prefix="gpdrf-", ignore_cleanup_errors=True)
                start_args = self._warm_start_args(Path(stack.enter_context(folder)))
            arguments = rows.write(run.stem, y, roles, _options.names_columns(self.options))
            run.only_rows(Path(arguments[1]))
            form = Path(arguments[1]).suffix
            if start_args and form != getattr(self, "_form", form):
                raise GPDRFInputError(
                    "warm_start: X is read as a table where it has weights, groups, missing values or words, and the "
                    "fit before had it in the other form: fit both alike, or fit again"
                )
            arguments += [
                *("--test=none", f"--task={task}", "--set", "report=false"),
                *(start_args or self._arguments(n, resumes, groups is not None or "group" in (self.options or {}))),
            ]
            given = self._given()
            alone = str(given.get("ensemble", 1)) == "1" and given.get("preset") != "best"
            arguments += run.arguments(resumes, alone)
            try:
                run.warn_of_end()
                with Progress() if self.verbose else nullcontext() as progress:
                    _program.run(["train", "--set", "until-eof=true", *arguments], run.folder, progress)
                self._adopt_run(run.path)  # the lock keeps others from training there
                self._form = form
            except KeyboardInterrupt:
                stopped = run.has_stopped()
                run.kept = (run.path / CHECKPOINT_FILE).exists()
                if not stopped:
                    raise
                self._adopt_run(run.path)
                raise KeyboardInterrupt(
                    f"training stopped at step {self.result_['steps']}: the estimator has the model so far; "
                    f"with run={str(run.path)!r}, fit continues"
                ) from None

    def _given(self) -> dict[str, Any]:
        """The options that are parameters; a seed and steps only where they were set."""
        given = {name: getattr(self, name) for name in _NAMES if getattr(self, name) is not None}
        if self.time_limit is not None:
            given["time-limit"] = self.time_limit if isinstance(self.time_limit, str) else f"{self.time_limit}s"
        return given | self._passed()

    def _passed(self) -> dict[str, Any]:
        """The options that the program gets."""
        given = self.options or {}
        return {name: _options.plain(value) for name, value in given.items() if name not in self._own_options}

    def _warm_start_args(self, folder: Path) -> list[str]:
        """The options of a training that starts at the fitted model: those that changed, and its length."""
        if not hasattr(self, "_config"):
            raise GPDRFInputError(
                "warm_start: the model was not fitted here, so its options are not known: fit it again"
            )
        (folder / MODEL_FILE).write_bytes(self._model.content)
        (folder / CONFIG_FILE).write_text(self._config, encoding="utf-8")
        (folder / RESULT_FILE).write_text(json.dumps(self.result_), encoding="utf-8")
        now = self._given()
        for name in self._asked.keys() - now.keys() - _options.EACH - {"random_state"}:
            raise GPDRFInputError(
                f"warm_start: {name} was {self._asked[name]!r} before, and is not given now: give it, or fit again"
            )
        changed = {k: v for k, v in now.items() if k in _options.EACH or self._asked.get(k) != v}
        if isinstance(self.random_state, int | np.integer) and self.random_state != self._asked["random_state"]:
            changed["seed"] = seed_of(self.random_state)
        return ["--from", str(folder), *self._as_flags(changed)]

    def _as_flags(self, given: Mapping[str, Any]) -> list[str]:
        texts = [f"{name.replace('_', '-')}={_options.text(value)}" for name, value in given.items()]
        return [word for text in texts for word in ("--set", text)] + self._threads()

    def _arguments(self, n: int, resumes: bool, grouped: bool) -> list[str]:
        """The options of the command train."""
        given = self._given()
        if self.random_state is not None or not resumes:
            given.setdefault("seed", seed_of(self.random_state))
        if self.inducing is not None:
            most = 1 + grouped  # a share of whole groups may be twice as large
            left = n - most * max(1, round(min(_CONFORMAL * n, _MOST_CONFORMAL))) * self.conformal
            left -= most * max(1, round(self.validation * left)) if self.validation else 0
            given["inducing"] = max(1, min(self.inducing, left))
        given |= self._passed()
        if not _options.LENGTH & given.keys() and given.get("preset") == "default" and self._kind != SEQUENCES:
            given |= {"steps": max(5 * n, 2000)} if n < 3000 else {}  # more rows have the command's own number
            given.setdefault("objective", "auto")
        return self._as_flags(given)

    def _adopt_run(self, run: Path) -> None:
        """Take the model of a run folder."""
        self.result_: dict[str, Any] = json.loads((run / RESULT_FILE).read_text(encoding="utf-8"))
        log = run / LOG_FILE  # an ensemble has one for each of its models
        self.history_: list[dict[str, float]] = [
            json.loads(line)
            for line in (log.read_text().split("\n")[:-1] if log.exists() else [])  # only whole lines
        ]
        self._columns, self._config = None, (run / CONFIG_FILE).read_text(encoding="utf-8")
        self._asked = self._given() | {"random_state": self.random_state}
        self._model = Model((run / MODEL_FILE).read_bytes(), self._predict_args())

    def _predict_args(self) -> list[str]:
        """The options of a prediction."""
        return [f"--device={self.device}", *self._threads()]

    def _threads(self) -> list[str]:
        return [] if self.threads is None else [f"--threads={self.threads}"]

    # Predictions

    def distance(self, X: Any) -> Numbers:
        """How far each row is from the training rows, [N]: above 1 are rows that are unlike them."""
        return self._output(X, "distance")

    def _at_level(self, x: Any, name: str, width: int, level: float) -> Numbers:
        """The output of a level, of an estimator with conformal=True."""
        check_is_fitted(self)
        if not self._model.is_conformal():
            raise GPDRFInputError("the model has no conformal intervals: fit an estimator with conformal=True")
        return self._output(x, name, width, levels=repr(float(level)))

    def suggest(
        self,
        X: Any,
        batch: int | None = None,
        how: str | None = None,
        *,
        minimize: bool = False,
        target: int | None = None,
        feasible: Estimator | None = None,
        samples: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> tuple[NDArray[np.intp], Numbers]:
        """Rows of X to measure next: their numbers, the best first, and what each is worth given those before it.

        Parameters
        ----------
        X : rows like those of training
            The candidates.
        batch : int
            Rows to choose; None is 10, or all rows if there are fewer.
        how : {"ei", "ucb", "thompson", "variance", "bald"}
            Expected improvement on the best y of training, mean plus two standard deviations, posterior samples, the
            highest uncertainty, or the most information. None is ei for numbers and bald for classes.
        minimize : bool
            Minimise y.
        target : int
            The column of y, if there are several.
        feasible : estimator
            A fitted estimator of the constraint on X: feasible rows have the second of its two classes, or a target of
            0 or more.
        samples : int
            Joint samples of the functions; None is 256.
        random_state : int, RandomState instance or None
            The seed of the samples.
        """
        rows = self._rows(X)
        arguments = [f"--seed={seed_of(random_state)}"]
        names = self._model.schema().get("targets")
        if target is not None and not 0 <= target < len(names or [""]):
            raise ValueError(f"target is {target}, and the columns of y count from 0 to {len(names or ['']) - 1}")
        column = None if target is None or not names else names[target]
        given = {"batch": batch, "how": how, "samples": samples, "target": column}
        arguments += [f"--{name}={value}" for name, value in given.items() if value is not None]
        if minimize:
            arguments.append("--minimize")
        if feasible is not None:
            check_is_fitted(feasible)
        return self._model.suggest(rows, arguments, None if feasible is None else feasible._model)

    def _output(self, x: Any, name: str, width: int = 1, **parameters: Any) -> Numbers:
        """An output of the model [N, …], of about width numbers a row."""
        rows = self._rows(x)
        return self._model.predict(rows, name, width, **parameters)

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator into a folder. The program reads the model.safetensors there, too."""
        from gpdrf import _files

        check_is_fitted(self)
        _files.save(self, Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read an estimator from a folder of save, from a run folder, or from a model.safetensors."""
        from gpdrf import _files

        return _files.load(cls(), Path(path))


# The defaults of the parameters, and those parameters that are options of gpdrf-gpu train by the same name.
_DEFAULTS = {name: parameter.default for name, parameter in signature(Estimator).parameters.items()}
_NAMES = [name for name in _DEFAULTS if name not in _options.OTHERS]
