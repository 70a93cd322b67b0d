"""RealMLP of pytabkit with its authors' tuned defaults (TD): 256 epochs, or as many as there is time
for by a plan from the first few. Its rates follow their schedule to the end either way; its own time
limit is the last resort. Classes have no label smoothing, as the authors advise for probabilities."""

from pytabkit import RealMLP_TD_Classifier, RealMLP_TD_Regressor

from suite_pytabkit import predictor, trained, version

EPOCHS = 256


def fit(rows, clock):
    kinds = RealMLP_TD_Regressor, RealMLP_TD_Classifier
    options = {"use_ls": False} if rows.classes else {}

    def train(epochs):
        return trained(kinds, rows, n_epochs=epochs, seconds=max(1, int(clock.seconds - clock.spent())), **options)

    train(1)  # the first is slower
    clock.steps = clock.rounds(train, 3, EPOCHS)
    return predictor(train(clock.steps), rows)
