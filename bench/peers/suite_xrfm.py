"""xRFM with its own defaults. It stops itself by a limit of time, after which it solves once more: its
limit is two thirds of the time. It chooses its best iteration by a tenth of the training rows. A
number has the variance of the errors on these; probabilities of classes are its own."""

from importlib import metadata

import numpy as np
import torch
import xrfm

from suite import SEED, THREADS, held_out

torch.set_num_threads(THREADS)


def version():
    return "xrfm " + metadata.version("xrfm")


def fit(rows, clock):
    held, rest = held_out(rows)

    def count(iteration):
        clock.steps += 1

    model = xrfm.xRFM(device="cpu", n_threads=THREADS, random_state=SEED, time_limit_s=2 / 3 * clock.seconds,
                      callback=count, verbose=False)
    model.fit(rows.x[rest], rows.y[rest], rows.x[held], rows.y[held])
    if rows.classes:
        return model.predict_proba
    deviation = np.sqrt(np.mean((rows.y[held] - model.predict(rows.x[held]).ravel()) ** 2))
    return lambda x: (model.predict(x).ravel(), np.full(len(x), deviation))
