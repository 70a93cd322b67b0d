"""RealMLP of pytabkit with its authors' tuned defaults (TD): 256 epochs, or as many as there is time
for by a plan from the first few. Its rates follow their schedule to the end either way; its own time
limit is the last resort. Classes have no label smoothing, as the authors advise for probabilities."""

from pytabkit import RealMLP_TD_Classifier, RealMLP_TD_Regressor

from suite import held_out
from suite_pytabkit import fitted, predictor, version

EPOCHS = 256


def fit(rows, clock):
    kinds = RealMLP_TD_Regressor, RealMLP_TD_Classifier
    options = {"use_ls": False} if rows.classes else {}

    def train(rest, held, epochs=None):
        left = max(1, int(clock.seconds - clock.spent()))
        return fitted(kinds, rows, rest, held, n_epochs=epochs or clock.steps, seconds=left, **options)

    held, rest = held_out(rows)
    train(rest, held, 1)  # the first is slower
    clock.steps = clock.rounds(lambda epochs: train(rest, held, epochs), 3, EPOCHS)
    return predictor(rows, clock, train)
