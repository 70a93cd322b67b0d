"""ONNX files against onnxruntime: python check.py PROGRAM.

It trains small models of every kind with PROGRAM, exports them, and compares what onnxruntime makes of 1,000 rows, in
batches of several sizes, with what `predict` writes.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime

ROWS = 1000
BATCHES = [ROWS, 7, 1]  # of the last one, the first 20 rows
WITHIN = 1e-4  # of a mean in standard deviations of the target, of an sd as a ratio, of a probability

PLAIN = {"target": "price", "drop": ["kind", "sold"]}
WORDS = {"target": "price", "missing": "impute", "drop": ["sold"]}
MODELS = {
    "gp": (PLAIN, "--model gp"),
    "gp matern": (PLAIN, "--model gp --kernel matern12+matern32 --set q-cov=full --set lengthscales=isotropic"),
    "gp shared": (PLAIN, "--model gp --kernel matern52 --set lengthscales=shared --set whiten=false --set q-cov=full "
                         "--likelihood heteroscedastic"),
    "drf": (PLAIN, "--model drf --set features-kernel=matern32"),
    "drf layers": (PLAIN, "--model drf --set layers=2 --spectra prior-fixed-each --set feed-forward=false"),
    "gpdrf": (PLAIN, ""),
    "gpdrf words": (WORDS, "--likelihood student-t --set scaling=log"),
    "gpdrf many words": (PLAIN | {"towns": True}, ""),
    "gaps in many words": (WORDS | {"towns": True}, "--model gp"),
    "codes": (PLAIN | {"codes": True}, ""),
    "classes of codes": (PLAIN | {"target": "kind", "codes": True, "towns": True}, ""),
    "classes of many words": (PLAIN | {"target": "kind", "towns": True}, "--set ensemble=2"),
    "gpdrf times": (PLAIN | {"times": True, "missing": "impute"}, ""),
    "gpdrf layers": (PLAIN, "--set layers=2 --set hidden=4 --set scaling=robust"),
    "gpdrf paper": (PLAIN, "--spectra var-fixed-all-each --set local-reparam=false --set samples=3 --set skip=false"),
    "gpdrf resampled": (PLAIN, "--spectra var-resampled --set features-kernel=arccos1 --set feed-forward=false"),
    "gpdrf arccos": (PLAIN, "--spectra prior-fixed --set features-kernel=arccos2 --set local-reparam=false"),
    "two targets": (PLAIN | {"target": "price,rent"}, "--model gpdrf"),
    "two targets, full": (PLAIN | {"target": "price,rent"},
                          "--model drf --set w-cov=full --set features-kernel=matern32"),
    "logarithms": (PLAIN | {"target": "sales"}, ""),
    "logarithm and number": (PLAIN | {"target": "price,sales"}, "--likelihood heteroscedastic"),
    "ensemble of logarithms": (PLAIN | {"target": "sales"}, "--set ensemble=2"),
    "classes": (PLAIN | {"target": "kind"}, "--set latents=4"),
    "numbers with a temperature": (PLAIN, "--set temperature=1.7"),
    "logarithms with a temperature": (PLAIN | {"target": "sales"}, "--set temperature=0.6"),
    "classes with a temperature": (PLAIN | {"target": "kind"}, "--set latents=4 --set temperature=0.5"),
    "levels": (PLAIN | {"target": "kind"}, "--likelihood ordinal --set order=flat,yard,house"),
    "levels with a temperature": (PLAIN | {"target": "kind"},
                                  "--likelihood ordinal --set order=flat,yard,house --set temperature=2 --model gp"),
    "counts": (PLAIN | {"target": "calls"}, "--likelihood poisson"),
    "counts of a gp": (PLAIN | {"target": "calls"}, "--likelihood poisson --model gp"),
    "counts of two targets": (PLAIN | {"target": "calls,age"}, "--likelihood negative-binomial"),
    "counts of an exposure": (PLAIN | {"target": "calls", "offset": "logs"}, "--likelihood poisson --set offset=logs"),
    "ensemble of counts": (PLAIN | {"target": "calls"}, "--likelihood poisson --model drf --set ensemble=2"),
    "two classes": ({"target": "sold", "drop": ["kind"]}, "--model gp --likelihood bernoulli"),
    "ensemble": (PLAIN, "--set ensemble=2"),
    "ensemble of classes": (PLAIN | {"target": "kind"}, "--set ensemble=3 --set samples=10 --set eval-samples=10"),
    "best": (PLAIN, "--preset best --time-limit 4s"),
}


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")


def sizes(options):
    """Small ones, of what the model has."""
    if "--preset best" in options:
        return []
    size = ["--steps", 30]
    size += ["--inducing", 15] if "drf" != model(options) else []
    return size + (["--features", 10] if "gp" != model(options) else [])


def model(options):
    words = options.split()
    return words[words.index("--model") + 1] if "--model" in words else "gpdrf"


def table(rows, seed, missing):
    """Columns of a table: some numbers, a word, and targets."""
    draw = np.random.default_rng(seed)
    area, age, wealth = draw.gamma(4, 20, rows), draw.integers(0, 90, rows).astype(float), draw.lognormal(8, 1, rows)
    kind = draw.choice(["flat", "house", "yard"], rows)
    signal = np.sin(area / 30) + np.log(wealth) / 4 + (kind == "house") - age / 100
    price = 200 + 50 * signal + draw.normal(0, 5, rows)
    columns = {"area": area, "age": age, "wealth": wealth, "kind": kind, "price": price,
               "rent": price / 20 + np.cos(age / 20), "sales": np.exp(signal + draw.normal(0, 1.2, rows)),
               "logs": signal - 1, "calls": draw.poisson(np.exp(signal - 2)).astype(float),
               "sold": np.where(signal + draw.normal(0, 0.3, rows) > np.median(signal), "yes", "no")}
    columns["timestamp"] = draw.integers(1_500_000_000, 1_600_000_000, rows).astype(float)
    towns = [f"town {i}" for i in range(40 if rows < ROWS else 45)]  # of which training rows lack five
    columns["town"] = draw.choice(towns, rows)
    columns["price"] += 30 * np.sin([7 * towns.index(town) for town in columns["town"]])
    columns["shop"] = draw.integers(0, 40 if rows < ROWS else 45, rows).astype(float)  # whose codes are far apart
    columns["price"] += 200 * np.sin(7 * columns["shop"])
    columns["kind"] = np.where(columns["shop"] % 2 == 1, "yard", np.where(kind == "yard", "flat", kind))
    columns["shop"] = 1000 + columns["shop"] * 7
    if missing:
        columns["town"] = np.where(draw.random(rows) < 0.1, "", columns["town"])
        columns["timestamp"] = np.where(draw.random(rows) < 0.1, np.nan, columns["timestamp"])
        columns["area"] = np.where(draw.random(rows) < 0.1, np.nan, area)
        columns["kind"] = np.where(draw.random(rows) < 0.1, "", kind)
    return columns


def write(path, columns):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(columns)
        out.writerows(["" if cell != cell else cell for cell in row] for row in zip(*columns.values()))


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


def feed(session, columns, lo, hi, offset=None):
    """The tensors of rows lo … hi−1: numbers together, and each column of words."""
    names = json.loads(session.get_modelmeta().custom_metadata_map["columns"])
    tensors = {"inputs": np.stack([columns[name] for name in names], axis=1)[lo:hi]}
    for given in session.get_inputs()[1:]:
        if given.name == "offset":
            tensors["offset"] = columns[offset][lo:hi, None]
        else:
            tensors[given.name] = columns[given.name][lo:hi].astype(object)
    return tensors


def check(name, what, got, want, unit):
    worst = np.max(np.abs(got - want) / unit)
    if not worst <= WITHIN:
        sys.exit(f"{name}: {what} of onnxruntime and of predict differ by {worst:.2g}: {got[:3]} and {want[:3]}")
    return worst


def compare(name, session, columns, predicted, targets, offset):
    classes = json.loads(session.get_modelmeta().custom_metadata_map.get("classes", "null"))
    worst = 0.0
    for size in BATCHES:
        for lo in range(0, ROWS if size > 1 else 20, size):
            hi = min(lo + size, ROWS)
            outputs = session.run(None, feed(session, columns, lo, hi, offset))
            given = dict(zip([o.name for o in session.get_outputs()], outputs))
            cells = lambda column: np.array([float(v) for v in predicted[column][lo:hi]])
            if classes:
                for k, c in enumerate(classes):
                    worst = max(worst, check(name, f"p_{c}", given["probabilities"][:, k], cells("p_" + c), 1))
                sure = np.max(given["probabilities"], axis=1) > 0.5 + WITHIN
                labels = np.array(predicted["label"][lo:hi], dtype=object)
                assert np.array_equal(given["label"][sure], labels[sure]), name
                continue
            for k, target in enumerate(targets):
                prefix = target + "_" if len(targets) > 1 else ""
                worst = max(worst,
                            check(name, "mean", given["mean"][:, k], cells(prefix + "mean"), np.std(columns[target])),
                            check(name, "sd", given["sd"][:, k], cells(prefix + "sd"), cells(prefix + "sd")))
    return worst


def main(program, only):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, (form, options) in MODELS.items():
            if only and name not in only:
                continue
            targets, missing = form["target"].split(","), form.get("missing", "error")
            left = [c for c in [*form.get("drop", []), "price", "rent", "sales", "logs", "calls", "sold"]
                    if c not in [*targets, form.get("offset")]]
            left += ([] if "times" in form else ["timestamp"]) + ([] if "towns" in form else ["town"])
            left += [] if "codes" in form else ["shop"]
            training, new = table(200, 1, missing == "impute"), table(ROWS, 2, missing == "impute")
            write(folder / "train.csv", {c: v for c, v in training.items() if c not in left})
            write(folder / "new.csv", {c: v for c, v in new.items() if c not in left and c not in targets})
            at = folder / name.replace(" ", "-")
            run(program, "train", "--data", folder / "train.csv", "--target", form["target"], "--missing", missing,
                "--set", "report=false", *sizes(options), "--out", at, *options.split())
            run(program, "predict", at, "--data", folder / "new.csv", "--out", folder / "new-predicted.csv")
            run(program, "export", at, "--onnx", at / "model.onnx")
            session = onnxruntime.InferenceSession(at / "model.onnx")
            worst = compare(name, session, new, read(folder / "new-predicted.csv"), targets, form.get("offset"))
            print(f"{name}: {ROWS} rows agree with predict to {worst:.1g}", flush=True)

            # A missing number gives no prediction, unless the model fills it in.
            tensors = feed(session, new, 0, 2, form.get("offset"))
            tensors["inputs"][0, 0] = np.nan
            lost = np.isnan(session.run([session.get_outputs()[-1].name], tensors)[0])
            assert not lost[1].any() and lost[0].all() == (missing == "error"), name


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
