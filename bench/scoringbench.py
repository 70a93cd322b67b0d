#!/usr/bin/env python3
"""Our row of ScoringBench (arXiv 2603.29928), on those of its sets that two public clones hold: docs/boards.md.

    python bench/scoringbench.py GPDRF-GPU FOLDER [--sets REGEXP] [--models REGEXP] [--folds N] [--records FILE]

FOLDER holds the clones that bench/boards.py names. A fold has a line for each model in
bench/results/scoringbench.jsonl, with the columns of the board; those that have one are not run again. gpdrf_gpu is the
program with its defaults: crps and log_score are those of its density, and the others of 999 quantiles.
catboost_quantile is a model of the board, with the board's options: 99 quantiles, 1000 rounds.
"""

import json
import os
import time
import warnings

import numpy as np
from sklearn.model_selection import KFold

import boards

SEED, FOLDS, MOST = 42, 5, 3000  # MOST rows of a set: four fifths to train on, a fifth to test
RECORDS = boards.ROOT / "bench/results/scoringbench.jsonl"
# set of the board: its number at OpenML, its folder in the clones, columns that OpenML's has not
SETS = {
    "boston": (531, "bostonHousing", []),
    "Energy_Efficiency": (44960, "energy", []),
    "concrete_compressive_strength": (44959, "concrete", []),
    "AIRFOIL": (44957, "airfoil", []),
    "kin8nm": (189, "kin8nm", []),
    "pol": (44133, "pol", []),
    "elevators": (44134, "elevators", [14, 16]),  # these columns have fewer than ten values
}
COLUMNS = {"CRPS": "crps", "log score": "log_score", "interval score 95": "interval_score_95",
           "coverage 90": "coverage_90", "coverage 95": "coverage_95", "RMSE": "rmse", "R²": "r2", "s": "train_time"}


def rows_of(n, fold):
    """Training and test rows, drawn as the board draws them."""
    parts = list(KFold(FOLDS, shuffle=True, random_state=SEED).split(np.empty(n)))[fold]
    for i, most in enumerate((MOST * (FOLDS - 1) // FOLDS, MOST // FOLDS)):
        rows = parts[i]
        if len(rows) > most:
            rows = np.random.default_rng(SEED * 10007 + fold + i).choice(rows, size=most, replace=False)
        yield rows


def ours(program, x, y, train, test):
    from gpdrf import GPDRFRegressor

    levels = np.arange(1, 1000) / 1000
    with boards.trained(program, x, y, train, test) as (run, seconds):
        exact = json.loads((run / "result.json").read_text())["test_raw"]
        model = GPDRFRegressor.load(run)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the array has no names of columns
            quantiles, mean = model.predict_quantiles(x[test], levels), model.predict(x[test])
    found = boards.scores(*boards.histogram(levels, quantiles), y[test], mean)
    # As bins, an outlier has the density of the last bin, which is too high.
    return found | {"crps": exact["crps"], "log_score": exact["nlpd"], "train_time": seconds}


def catboost(program, x, y, train, test):
    from catboost import CatBoostRegressor

    levels = np.arange(1, 100) / 100
    loss = "MultiQuantile:alpha=" + ",".join(f"{p:.2f}" for p in levels)
    model = CatBoostRegressor(iterations=1000, loss_function=loss, logging_level="Silent", allow_writing_files=False)
    start = time.time()
    model.fit(x[train], y[train])
    seconds = time.time() - start
    return boards.scores(*boards.histogram(levels, model.predict(x[test])), y[test]) | {"train_time": seconds}


MODELS = {"gpdrf_gpu": ours, "catboost_quantile": catboost}


def lines(records):
    """The table of the page: means over the folds."""
    out = ["| set | rows, inputs | model | folds | " + " | ".join(COLUMNS) + " |", "|---" * (4 + len(COLUMNS)) + "|"]
    for name in SETS:
        for model in MODELS:
            own = [r for r in records if (r["dataset"], r["model"]) == (name, model)]
            if own:
                means = [f"{np.mean([r[key] for r in own]):.4g}" for key in COLUMNS.values()]
                size = f"{own[0]['n_samples']}, {own[0]['n_features']}"
                out.append(f"| {name} | {size} | {model} | {len(own)} | " + " | ".join(means) + " |")
    return out


def main():
    parser = boards.arguments(__doc__, RECORDS)
    parser.add_argument("--folds", default=FOLDS, type=int, help="the first so many folds")
    given = parser.parse_args()
    os.environ["GPDRF_PROGRAM"] = str(given.program.resolve())
    records = boards.read(given.records)
    done = {(r["dataset"], r["model"], r["fold"]) for r in records}
    for name, (number, source, without) in SETS.items():
        if not given.sets.search(name):
            continue
        if boards.place(given.folder, source) is None:
            print(f"{name}: there is no {source} in {given.folder}")
            continue
        x, y = boards.table(given.folder, source)
        x = np.delete(x, without, axis=1)
        for fold in range(given.folds):
            train, test = rows_of(len(y), fold)
            for model in [m for m in MODELS if given.models.search(m) and (name, m, fold) not in done]:
                record = {"dataset": name, "dataset_source": "openml", "dataset_id": number, "model": model,
                          "fold": fold, "n_samples": len(y), "n_features": x.shape[1]}
                record |= MODELS[model](given.program.resolve(), x, y, train, test)
                boards.keep(given.records, record)
                records.append(record)
                print(name, fold, model, f"CRPS {record['crps']:.4g}, {record['train_time']:.0f} s", flush=True)
    print("\n".join(lines(records)))
    if records and given.records == RECORDS:
        boards.write("scoringbench", lines(records))


if __name__ == "__main__":
    main()
