"""LightGBM, stopped early by a tenth of the training rows; of a number, with the variance of its
errors on these."""

import lightgbm
import numpy as np

from suite import SEED, THREADS, held_out

ROUNDS = 5000
PATIENCE = 100


def version():
    return "lightgbm " + lightgbm.__version__


def fit(rows, clock):
    held, rest = held_out(rows)
    options = {"learning_rate": 0.05, "num_threads": THREADS, "seed": SEED, "verbosity": -1, "deterministic": True, "force_row_wise": True}
    if rows.classes:
        options |= {"objective": "multiclass", "num_class": rows.classes}
    else:
        options |= {"objective": "regression"}
    train = lightgbm.Dataset(rows.x[rest], rows.y[rest])
    booster = None

    def stop_in_time(env):
        clock.steps = env.iteration + 1
        if clock.share() >= 1:
            raise lightgbm.callback.EarlyStopException(env.iteration, env.evaluation_result_list)

    booster = lightgbm.train(options, train, ROUNDS, valid_sets=[lightgbm.Dataset(rows.x[held], rows.y[held], reference=train)],
                             callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False), stop_in_time])
    if rows.classes:
        return booster.predict
    deviation = np.sqrt(np.mean((rows.y[held] - booster.predict(rows.x[held])) ** 2))
    return lambda x: (booster.predict(x), np.full(len(x), deviation))
