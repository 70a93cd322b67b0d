#!/usr/bin/env python3
"""GP-DRF and its GP on splits of UCI's tables with published exact and sparse GPs: docs/boards.md.

    python bench/uci.py GPDRF-GPU FOLDER [--sets REGEXP] [--models REGEXP] [--splits N] [--records FILE]

FOLDER holds the clones that bench/boards.py names. A split has a line for each model in bench/results/uci.jsonl, with
scores in the target's own units; those that have one are not run again.
"""

import json
import statistics

import boards

RECORDS = boards.ROOT / "bench/results/uci.jsonl"
MODELS = {"gpdrf": [], "gp": ["--model", "gp"]}
SCORES = ["rmse", "mae", "nlpd", "crps", "coverage90", "coverage95"]

# set: its splits, and means over them from docs/comparison.md of github.com/YUKIKEDA/gprx: what kind of GP, RMSE and
# NLPD of GPyTorch 1.15.2, and of the library with the lowest NLPD
SETS = {
    "yacht": (20, "exact", (0.4157, 0.2), "GPy", (0.3931, 0.1971)),
    "energy": (20, "exact", (0.4773, 0.6894), "GPy", (0.4756, 0.6859)),
    "wine-quality-red": (20, "SGPR", (0.6276, 0.9506), "GPy", (0.6275, 0.9504)),
    "power-plant": (20, "SGPR", (3.777, 2.753), "gprx", (3.775, 2.752)),
    "naval-propulsion-plant": (20, "SGPR", (1.707e-5, 3784), "GPy", (1.571e-5, -9.681)),
    "kin40k": (5, "SGPR", (0.2865, 0.1634), "GPy", (0.2863, 0.1634)),
}


def moments(values):
    """The mean and its standard error."""
    if len(values) < 2:
        return "".join(f"{v:.4g}" for v in values)
    return f"{statistics.mean(values):.4g} ± {statistics.stdev(values) / len(values) ** 0.5:.2g}"


def lines(records):
    """The table of the page."""
    heads = ["set", "splits", "score", "GP-DRF", "our GP", "GPyTorch", "best there"]
    out = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name, (splits, kind, gpytorch, library, best) in SETS.items():
        of = {m: [r for r in records if (r["set"], r["model"]) == (name, m)] for m in MODELS}
        if not any(of.values()):
            continue
        count = " and ".join(dict.fromkeys(str(len(of[m])) for m in MODELS)) + f" of {splits}"
        for i, score in enumerate(("rmse", "nlpd")):
            own = [moments([r[score] for r in of[m]]) for m in MODELS]
            cells = [name, count, score.upper(), *own, f"{gpytorch[i]:.4g} {kind}", f"{best[i]:.4g} {library}"]
            out.append("| " + " | ".join(cells) + " |")
    return out


def main():
    parser = boards.arguments(__doc__, RECORDS)
    parser.add_argument("--splits", default=20, type=int, help="the first so many splits of each set")
    given = parser.parse_args()
    records = boards.read(given.records)
    done = {(r["set"], r["model"], r["split"]) for r in records}
    for name in [name for name in SETS if given.sets.search(name)]:
        if boards.place(given.folder, name) is None:
            print(f"there is no {name} in {given.folder}")
            continue
        x, y = boards.table(given.folder, name)
        for i in range(min(given.splits, SETS[name][0])):
            train, test = boards.split(given.folder, name, i)
            for model in [m for m in MODELS if given.models.search(m) and (name, m, i) not in done]:
                with boards.trained(given.program.resolve(), x, y, train, test, MODELS[model]) as (run, seconds):
                    found = json.loads((run / "result.json").read_text())
                record = {"set": name, "model": model, "split": i, "n_train": len(train), "n_test": len(test)}
                record |= {key: found["test_raw"][key] for key in SCORES} | {"seconds": round(seconds, 1)}
                boards.keep(given.records, record | {"steps": found["steps"], "version": found["version"]})
                records.append(record)
                print(name, i, model, f"RMSE {record['rmse']:.4g}, {seconds:.0f} s", flush=True)
    print("\n".join(lines(records)))
    if records and given.records == RECORDS:
        boards.write("uci", lines(records))


if __name__ == "__main__":
    main()
