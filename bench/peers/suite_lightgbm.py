"""LightGBM, stopped early by a tenth of the training rows; of a number, with the variance of errors on
rows that it was not trained on."""

import lightgbm
import numpy as np

from suite import SEED, THREADS, held_out, trained

ROUNDS = 100_000  # time or patience ends before
PATIENCE = 100


def version():
    return "lightgbm " + lightgbm.__version__


def fit(rows, clock):
    options = {"learning_rate": 0.05, "num_threads": THREADS, "seed": SEED, "verbosity": -1,
               "deterministic": True, "force_row_wise": True}
    if rows.classes > 2:
        options |= {"objective": "multiclass", "num_class": rows.classes}
    else:
        options |= {"objective": "binary" if rows.classes else "regression"}

    def train(rest, held):
        data = lightgbm.Dataset(rows.x[rest], rows.y[rest])
        best = [float("inf"), 0]  # loss, and its round

        def watch(env):
            loss = env.evaluation_result_list[0][2]
            if loss < best[0]:
                best[:] = loss, env.iteration + 1
            if clock.share() >= 1 or env.iteration + 1 - best[1] >= PATIENCE:
                raise lightgbm.callback.EarlyStopException(best[1] - 1, env.evaluation_result_list)

        booster = lightgbm.train(options, data, ROUNDS, callbacks=[watch],
                                 valid_sets=[lightgbm.Dataset(rows.x[held], rows.y[held], reference=data)])
        clock.steps = clock.steps or best[1]
        return lambda x: booster.predict(x, num_iteration=best[1])

    if not rows.classes:
        return trained(rows, clock, train)
    held, rest = held_out(rows)
    predict = train(rest, held)
    if rows.classes > 2:
        return predict

    def both(x):
        p = predict(x)
        return np.column_stack([1 - p, p])

    return both
