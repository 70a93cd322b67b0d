#!/usr/bin/env python3
"""What gpdrf-gpu suggest finds beside rows chosen at random, on three sets: docs/suggest.md.

    python3 bench/suggest.py GPDRF-GPU DATA [SET …]

DATA is the folder of the named sets. A loop measures 20 rows, trains on them, lets suggest choose ten more, and again,
five times. Each set has a loop for each of 20 seeds. Its record is a line of bench/results/suggest.jsonl; loops that
have one are not run again. Random choice needs no run in a search: n of N rows hold n/N of the best on average. The
set labels is no search: it has the error of a model of the labels, and of one with as many random labels.
"""

import csv
import gzip
import io
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SEEDS = range(1, 21)
START, BATCH, ROUNDS = 20, 10, 5
ROOT = Path(__file__).parent.parent
RECORDS = ROOT / "bench/results/suggest.jsonl"
QUIET = ["--quiet", "--threads", "1"]
GP = ["--model", "gp", "--steps", "400", "--set", "report=false", "--test", "none", *QUIET]

# set: its target, other options of train, options of suggest, and the number of rows to find, 0 for labels
SETS = {
    "concrete": ("strength", [], ["--how", "ei"], 20),
    "freesolv": ("expt", ["--sequence", "smiles"], ["--how", "ei", "--minimize"], 20),
    "dna": ("binds", ["--sequence", "dna", "--task", "regression"], ["--how", "ucb"], 40),
    "labels": ("binds", ["--sequence", "dna", "--task", "classification"], ["--how", "bald"], 0),
}


def table(name, data):
    """The rows of a set, as dictionaries."""
    if name == "concrete":
        text = gzip.decompress((data / "concrete/raw/Concrete_Data.csv.gz").read_bytes()).decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text)))
    if name == "freesolv":
        with (ROOT / "build/molecules/FreeSolv.csv").open(encoding="utf-8-sig") as file:  # make molecules
            return [{"smiles": row["smiles"], "expt": row["expt"]} for row in csv.DictReader(file)]
    pieces = dna("dna.fasta")
    if name == "labels":
        return pieces
    binding = [row for row in pieces if row["binds"] == "1"]
    return [row for row in pieces if row["binds"] == "0"] + binding[:40]  # few of the molecules that bind


def dna(file):
    """The pieces of a file of examples."""
    lines = (ROOT / "examples" / file).read_text().split()
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return [{"dna": text, "binds": str(int(head == ">binds"))} for head, text in pairs]


def write(path, rows):
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, rows[0])
        out.writeheader()
        out.writerows(rows)


def first(rows, target, seed):
    """The rows that are measured first: at random, until their targets differ."""
    draws = random.Random(seed)
    while True:
        measured = draws.sample(range(len(rows)), START)
        if len({rows[i][target] for i in measured}) > 1:
            return measured


def loop(program, name, rows, seed):
    """The record of a loop."""
    target, options, how, top = SETS[name]
    measured = first(rows, target, seed)

    def call(*words):
        return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout

    with tempfile.TemporaryDirectory() as temporary:
        train, pool, run = (Path(temporary) / part for part in ("train.csv", "pool.csv", "run"))

        def fit(measured):
            write(train, [rows[i] for i in measured])
            place = ["--target", target, "--inducing", min(60, len(measured)), "--seed", seed, "--out", run]
            call("train", "--data", train, *place, *options, *GP, "--overwrite")

        def error(measured):
            fit(measured)
            test = dna("dna-test.fasta")
            write(pool, [{"dna": row["dna"]} for row in test])
            out = call("predict", run, "--data", pool, "--out", "-", *QUIET)
            labels = [row["label"] for row in csv.DictReader(io.StringIO(out))]
            return statistics.mean(label != row["binds"] for label, row in zip(labels, test, strict=True))

        start = list(measured)
        for _ in range(ROUNDS):
            fit(measured)
            write(pool, [row if i in measured else row | {target: ""} for i, row in enumerate(rows)])
            out = call("suggest", run, "--data", pool, *how, "--batch", BATCH, *QUIET)
            measured += [int(row["row"]) - 1 for row in csv.DictReader(io.StringIO(out))]
        record = {"set": name, "seed": seed, "rows": len(rows), "measured": len(measured)}
        if top == 0:
            others = [i for i in range(len(rows)) if i not in start]
            by_chance = start + random.Random(seed).sample(others, len(measured) - START)
            return record | {"error": error(measured), "random": error(by_chance)}
    sign = 1 if "--minimize" in how else -1
    best = sorted(range(len(rows)), key=lambda i: sign * float(rows[i][target]))[:top]
    return record | {"best": top, "found": len(set(best) & set(measured)), "random": top * len(measured) / len(rows)}


def main():
    program, data, *names = sys.argv[1:]
    records = [json.loads(line) for line in RECORDS.read_text().splitlines()] if RECORDS.exists() else []
    done = {(r["set"], r["seed"]) for r in records}
    for name in names or SETS:
        rows = table(name, Path(data))
        for seed in SEEDS:
            if (name, seed) not in done:
                records.append(loop(program, name, rows, seed))
                with RECORDS.open("a") as file:
                    file.write(json.dumps(records[-1]) + "\n")
    for name in SETS:
        mine = [r for r in records if r["set"] == name]
        key = "found" if SETS[name][3] else "error"
        if len(mine) > 1:
            (ours, error), (chance, _) = (moments([r[key] for r in mine]), moments([r["random"] for r in mine]))
            part = f"{name}: {len(mine)} seeds, {mine[0]['measured']} of {mine[0]['rows']} rows"
            print(f"{part}: {key} {ours:.3g} ± {error:.2g}, at random {chance:.3g}: {ours / chance:.2g} times")


def moments(values):
    """The mean and its standard error."""
    return statistics.mean(values), statistics.stdev(values) / len(values) ** 0.5


if __name__ == "__main__":
    main()
