"""CatBoost: 1000 trees, its default, cut to those that do best on a tenth of the training rows. Of a
number, by the loss RMSEWithUncertainty: the variance is the one that the trees state, of the noise,
without what virtual ensembles add for the model."""

import catboost
import numpy as np

from suite import SEED, THREADS, held_out


def version():
    return "catboost " + catboost.__version__


class InTime:
    """Stops with the time."""

    def __init__(self, clock):
        self.clock = clock

    def after_iteration(self, info):
        self.clock.steps = info.iteration
        return self.clock.share() < 1


def fit(rows, clock):
    held, rest = held_out(rows)
    options = {"random_seed": SEED, "thread_count": THREADS, "verbose": False, "allow_writing_files": False}
    if rows.classes == 2:
        options |= {"loss_function": "Logloss"}
    elif rows.classes:
        options |= {"loss_function": "MultiClass", "classes_count": rows.classes}
    else:
        options |= {"loss_function": "RMSEWithUncertainty"}
    model = catboost.CatBoost(options)
    model.fit(rows.x[rest], rows.y[rest], eval_set=(rows.x[held], rows.y[held]), callbacks=[InTime(clock)])
    clock.steps = model.tree_count_
    if rows.classes:
        return lambda x: model.predict(x, prediction_type="Probability", thread_count=THREADS)

    def predict(x):
        mean, variance = model.predict(x, prediction_type="RMSEWithUncertainty", thread_count=THREADS).T
        return mean, np.sqrt(variance)

    return predict
