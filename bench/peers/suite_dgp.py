"""A deep GP of two layers in GPyTorch, trained by doubly stochastic variational inference as
Salimbeni & Deisenroth (2017) do: a principal-component mean in the hidden layer, whose variances
start near zero, and one sample a step."""

import gpytorch
import torch
from gpytorch.models.deep_gps import DeepGP, DeepGPLayer, DeepLikelihood

from suite_torch import batches, in_parts, inducing, lengthscale, minimise

INDUCING = 128
WIDTH = 10  # largest width of the hidden layer
COMPONENTS = 50  # number of components of the predictive mixture


def version():
    return "gpytorch " + gpytorch.__version__


class Projection(gpytorch.means.Mean):
    """The mean x W with W fixed; one column for each output."""

    def __init__(self, weights):
        super().__init__()
        self.register_buffer("weights", weights)

    def forward(self, x):  # [outputs, n, d], one output after the other
        x = x.expand(*x.shape[:-3], self.weights.shape[1], *x.shape[-2:])
        return torch.einsum("...ond,do->...on", x, self.weights)


class Layer(DeepGPLayer):
    def __init__(self, z, outputs, mean):
        batch = torch.Size([] if outputs is None else [outputs])
        z = z.expand(*batch, *z.shape).clone()
        q = gpytorch.variational.CholeskyVariationalDistribution(z.shape[-2], batch_shape=batch)
        strategy = gpytorch.variational.VariationalStrategy(self, z, q, learn_inducing_locations=True)
        super().__init__(strategy, z.shape[-1], outputs)
        kernel = gpytorch.kernels.RBFKernel(ard_num_dims=z.shape[-1], batch_shape=batch)
        kernel.lengthscale = lengthscale(z.shape[-1])
        self.mean_module, self.covar_module = mean, gpytorch.kernels.ScaleKernel(kernel, batch_shape=batch)
        if outputs is not None:
            with torch.no_grad():
                q.chol_variational_covar.mul_(1e-3)
            self.variational_strategy.variational_params_initialized.fill_(1)

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class Model(DeepGP):
    def __init__(self, x):
        super().__init__()
        width = min(WIDTH, x.shape[1])
        directions = torch.linalg.svd(x - x.mean(0), full_matrices=False).Vh[:width].T
        z = inducing(x.numpy(), INDUCING)
        self.hidden = Layer(z, width, Projection(directions))
        self.last = Layer(z @ directions, None, gpytorch.means.ConstantMean())
        self.likelihood = DeepLikelihood(gpytorch.likelihoods.GaussianLikelihood())
        self.likelihood.base_likelihood.noise = 0.1

    def forward(self, x):
        return self.last(self.hidden(x))


def fit(rows, clock):
    x = torch.tensor(rows.x)
    model = Model(x)
    elbo = gpytorch.mlls.VariationalELBO(model.likelihood, model, num_data=len(rows.y))
    bound = gpytorch.mlls.DeepApproximateMLL(elbo)
    draw = batches(x, torch.tensor(rows.y))

    def loss():
        inputs, targets = next(draw)
        with gpytorch.settings.num_likelihood_samples(1):
            return -bound(model(inputs), targets)

    minimise([model], loss, clock)

    def mixture(x):
        with gpytorch.settings.num_likelihood_samples(COMPONENTS):
            p = model.likelihood(model(x))
            return torch.stack([p.mean, p.variance.sqrt()])

    return lambda x: torch.cat(in_parts(x, mixture), dim=2).numpy()
