"""The GP baseline in GPyTorch: a sparse variational GP.

The bound, the shapes and the precision (double) are those of gpdrf-gpu's.
"""
import math

import torch

try:
    import gpytorch
except ImportError:
    gpytorch = None


def version():
    return gpytorch.__version__ if gpytorch else "not installed"


class Step:
    def __init__(self, n, device):
        if n["classes"] or n["j"] != 1:
            raise ValueError("for one regression target only")
        g = torch.Generator().manual_seed(1)
        uniform = lambda *s: torch.rand(*s, generator=g, dtype=torch.double).to(device)
        self.x, self.y, z = uniform(n["b"], n["d"]), uniform(n["b"]), uniform(n["m"], n["d"])

        class Model(gpytorch.models.ApproximateGP):
            def __init__(self):
                q = gpytorch.variational.CholeskyVariationalDistribution(n["m"])
                super().__init__(gpytorch.variational.VariationalStrategy(self, z, q, learn_inducing_locations=True))
                self.mean_module = gpytorch.means.ZeroMean()
                self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=n["d"]))

            def forward(self, x):
                return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

        self.model = Model().double().to(device)
        self.likelihood = gpytorch.likelihoods.GaussianLikelihood().double().to(device)
        self.model.covar_module.base_kernel.lengthscale = 0.5 * math.sqrt(n["d"])
        self.likelihood.noise = 0.1
        self.bound = gpytorch.mlls.VariationalELBO(self.likelihood, self.model, num_data=n["b"])
        self.adam = torch.optim.Adam([*self.model.parameters(), *self.likelihood.parameters()], lr=1e-3, fused=True)

    def run(self):
        self.adam.zero_grad(set_to_none=True)
        loss = -self.bound(self.model(self.x), self.y)
        loss.backward()
        self.adam.step()
        return loss
