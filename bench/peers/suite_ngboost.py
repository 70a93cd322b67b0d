"""NGBoost with normal densities, stopped early by a tenth of the training rows. How many rounds fit
is planned from the first."""

import time

import ngboost

from suite import SEED, held_out

ROUNDS = 2000
TIMED = 10
PATIENCE = 50


def version():
    return "ngboost " + ngboost.__version__


def boosted(rows, rest, held, rounds):
    model = ngboost.NGBRegressor(n_estimators=rounds, learning_rate=0.02, verbose=False, random_state=SEED)
    return model.fit(rows.x[rest], rows.y[rest], X_val=rows.x[held], Y_val=rows.y[held], early_stopping_rounds=PATIENCE)


def fit(rows, clock):
    held, rest = held_out(rows)
    start = time.monotonic()
    boosted(rows, rest, held, TIMED)
    each = (time.monotonic() - start) / TIMED
    rounds = int(max(TIMED, min(ROUNDS, 0.92 * (clock.seconds - clock.spent()) / each)))
    model = boosted(rows, rest, held, rounds)
    best = model.best_val_loss_itr + 1
    clock.steps = len(model.base_models)

    def predict(x):
        p = model.pred_dist(x, max_iter=best)
        return p.params["loc"], p.params["scale"]

    return predict
