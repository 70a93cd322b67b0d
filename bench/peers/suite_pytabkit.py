"""What RealMLP and TabM of pytabkit share: a tenth of the training rows chooses their best epoch. A
number has the variance of errors on rows that were held out; probabilities of classes are their own.
Their epoch is chosen by cross-entropy, as the authors advise where that is the score."""

from importlib import metadata

import pytabkit.models.alg_interfaces.nn_interfaces  # pytabkit imports it late
import pytabkit.models.alg_interfaces.tabm_interface

from suite import SEED, THREADS, held_out, of_all, trained


def version():
    return "pytabkit " + metadata.version("pytabkit")


def fitted(kinds, rows, rest, held, **options):
    """A regressor or classifier with some options, trained on the rest."""
    seconds = options.pop("seconds", None)
    if rows.classes:
        options["val_metric_name"] = "cross_entropy"
    model = kinds[bool(rows.classes)](device="cpu", n_threads=THREADS, random_state=SEED, **options)
    return model.fit(rows.x[rest], rows.y[rest], rows.x[held], rows.y[held], time_to_fit_in_seconds=seconds)


def predictor(rows, clock, train):
    """Of train(rest, held), which is fitted with options."""
    if rows.classes:
        held, rest = held_out(rows)
        model = train(rest, held)
        return lambda x: of_all(rows.classes, model.predict_proba(x), model.classes_)

    def of_numbers(rest, held):
        model = train(rest, held)
        return lambda x: model.predict(x).ravel()

    return trained(rows, clock, of_numbers)
