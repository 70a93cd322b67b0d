"""A GP of GPBoost with a Vecchia approximation and its own defaults, except for the kernel: its Matern
one with a range for each input, where it chooses neighbours by correlation. It has no limit of time.
So the first iteration is timed, then come as many as fit, from where it ended, until it converges."""

import gpboost
import numpy as np

from suite import SEED, THREADS

MOST = 1000  # largest number of iterations, the default


def version():
    return "gpboost " + gpboost.__version__


def fit(rows, clock):
    model = gpboost.GPModel(gp_coords=rows.x, cov_function="matern_ard", gp_approx="vecchia",
                            seed=SEED, num_parallel_threads=THREADS)
    options, count = {}, 1
    while count > 0:
        start = clock.spent()
        model.fit(y=rows.y, params=options | {"maxit": count})
        done = model._get_num_optim_iter()
        clock.steps += done
        if done < count:
            break
        each = (clock.spent() - start) / count
        options["init_cov_pars"] = np.ravel(model.get_cov_pars())
        count = min(MOST, int(0.8 * (clock.seconds - clock.spent()) / each))

    def predict(x):
        p = model.predict(gp_coords_pred=x, predict_var=True, predict_response=True)
        return p["mu"], np.sqrt(p["var"])

    return predict
