"""TabM of pytabkit with its own defaults: it ends 16 epochs after its best one, or with the time."""

from pytabkit import TabM_D_Classifier, TabM_D_Regressor
from pytabkit.models.alg_interfaces import tabm_interface

from suite_pytabkit import fitted, predictor, version


def fit(rows, clock):
    def epochs(most):
        """The numbers of the epochs that there is time for, if they are as long as those before."""
        start, count = clock.spent(), 0
        try:
            while count < most and clock.spent() + (clock.spent() - start) / max(1, count) < clock.seconds:
                count += 1
                yield count - 1
        finally:  # training may stop before the last epoch
            clock.steps = clock.steps or count

    tabm_interface.range = epochs  # this replaces range in its loop over epochs, which has no other way to end in time
    return predictor(rows, clock, lambda rest, held: fitted((TabM_D_Regressor, TabM_D_Classifier), rows, rest, held))
