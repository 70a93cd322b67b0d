"""A sparse variational GP (SVGP) of GPyTorch with an ARD RBF kernel. Of classes there is one for
each, with one kernel for all of them and a diagonal covariance of q, as ours have, and a softmax."""

import gpytorch
import torch

from suite_torch import batches, in_parts, inducing, lengthscale, minimise

INDUCING = 200  # as many as in gp and gpdrf
SAMPLES = 50  # number of samples of the class probabilities


def version():
    return "gpytorch " + gpytorch.__version__


class Model(gpytorch.models.ApproximateGP):
    def __init__(self, z, outputs):
        batch = torch.Size([outputs] if outputs > 1 else [])
        kinds = gpytorch.variational
        kind = kinds.MeanFieldVariationalDistribution if outputs > 1 else kinds.CholeskyVariationalDistribution
        q = kind(len(z), batch_shape=batch)
        strategy = gpytorch.variational.VariationalStrategy(self, z, q, learn_inducing_locations=True)
        if outputs > 1:
            strategy = gpytorch.variational.IndependentMultitaskVariationalStrategy(strategy, num_tasks=outputs)
        super().__init__(strategy)
        kernel = gpytorch.kernels.RBFKernel(ard_num_dims=z.shape[-1])
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(kernel)
        kernel.lengthscale = lengthscale(z.shape[-1])

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def fit(rows, clock):
    model = Model(inducing(rows.x, INDUCING), max(1, rows.classes))
    if rows.classes:
        likelihood = gpytorch.likelihoods.SoftmaxLikelihood(num_classes=rows.classes, mixing_weights=False)
    else:
        likelihood = gpytorch.likelihoods.GaussianLikelihood()
        likelihood.noise = 0.1
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(rows.y))
    draw = batches(torch.tensor(rows.x), torch.tensor(rows.y))

    def loss():
        x, y = next(draw)
        return -bound(model(x), y)

    minimise([model, likelihood], loss, clock)

    def numbers(x):
        p = likelihood(model(x))
        return torch.stack([p.mean, p.stddev])

    def classes(x):
        # each row by itself: drawn together, 26 classes of 1000 rows have a covariance of 5 GB
        f = model(x)
        return torch.distributions.Normal(f.mean, f.stddev).sample([SAMPLES]).softmax(-1).mean(0)

    if rows.classes:
        return lambda x: torch.cat(in_parts(x, classes)).numpy()
    return lambda x: torch.cat(in_parts(x, numbers), dim=1).numpy()
