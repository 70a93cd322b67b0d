"""TabM of pytabkit with its own defaults: it ends 16 epochs after its best one, or with the time."""

from pytabkit import TabM_D_Classifier, TabM_D_Regressor
from pytabkit.models.alg_interfaces import tabm_interface

from suite_pytabkit import predictor, trained, version


def fit(rows, clock):
    def epochs(most):
        """The numbers of the epochs that there is time for, if they are as long as those before."""
        start = clock.spent()
        while clock.steps < most and start + (clock.spent() - start) * (1 + 1 / max(1, clock.steps)) < clock.seconds:
            clock.steps += 1
            yield clock.steps - 1

    tabm_interface.range = epochs  # of its loop over epochs, which has no other way to end in time
    model = trained((TabM_D_Regressor, TabM_D_Classifier), rows)
    del tabm_interface.range
    return predictor(model, rows)
