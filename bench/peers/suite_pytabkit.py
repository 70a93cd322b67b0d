"""What RealMLP and TabM of pytabkit share: a tenth of the training rows chooses their best epoch. A
number has the variance of the errors on the tenth; probabilities of classes are their own. Their
epoch is chosen by cross-entropy, as the authors advise where that is the score."""

from importlib import metadata

import numpy as np
import pytabkit.models.alg_interfaces.nn_interfaces  # which it imports late
import pytabkit.models.alg_interfaces.tabm_interface

from suite import SEED, THREADS, held_out, of_all


def version():
    return "pytabkit " + metadata.version("pytabkit")


def trained(kinds, rows, **options):
    """A regressor or classifier with some options."""
    held, rest = held_out(rows)
    seconds = options.pop("seconds", None)
    if rows.classes:
        options["val_metric_name"] = "cross_entropy"
    model = kinds[bool(rows.classes)](device="cpu", n_threads=THREADS, random_state=SEED, **options)
    return model.fit(rows.x[rest], rows.y[rest], rows.x[held], rows.y[held], time_to_fit_in_seconds=seconds)


def predictor(model, rows):
    if rows.classes:
        return lambda x: of_all(rows.classes, model.predict_proba(x), model.classes_)
    held, _ = held_out(rows)
    deviation = np.sqrt(np.mean((rows.y[held] - model.predict(rows.x[held]).ravel()) ** 2))
    return lambda x: (model.predict(x).ravel(), np.full(len(x), deviation))
