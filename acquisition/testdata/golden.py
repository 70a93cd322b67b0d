"""Write golden.json: BoTorch's EI, qEI, UCB and conditional variances of one GP, for golden_test.go.

BoTorch 0.18.1, torch 2.15.0: pip install botorch; python golden.py > golden.json
The functions are those of BoTorch's own sampler, so that Monte-Carlo values agree to rounding.
"""

import json

import torch
from botorch.acquisition import (
    ExpectedImprovement,
    UpperConfidenceBound,
    qExpectedImprovement,
)
from botorch.models import SingleTaskGP
from botorch.sampling import SobolQMCNormalSampler

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
S = 64
KAPPA = 2.0

train_x = torch.tensor([[0.05], [0.3], [0.55], [0.9]])
train_y = torch.sin(6 * train_x)
model = SingleTaskGP(train_x, train_y, train_Yvar=torch.full_like(train_y, 0.01), outcome_transform=None)
model.covar_module.lengthscale = 0.2
model.mean_module.constant.data.fill_(0.0)
model.eval()
rows = torch.tensor([[0.1], [0.2], [0.42], [0.6], [0.71], [1.0]])
best = 0.5

with torch.no_grad():
    posterior = model.posterior(rows)
    sampler = SobolQMCNormalSampler(torch.Size([S]), seed=1)
    functions = sampler(posterior)[..., 0]
    mean, covariance = posterior.mean[:, 0], posterior.mvn.covariance_matrix
    ei = ExpectedImprovement(model, best)(rows.unsqueeze(1))
    ucb = UpperConfidenceBound(model, beta=KAPPA**2)(rows.unsqueeze(1))


def q_ei(chosen):
    """BoTorch's qEI of a batch on the same functions."""
    acquisition = qExpectedImprovement(model, best, sampler=SobolQMCNormalSampler(torch.Size([S]), seed=1))
    return float(acquisition._sample_forward(acquisition.objective(functions[:, chosen].unsqueeze(-1))).amax(-1).mean())


def variance_given(chosen):
    """The variance of f at all rows once the rows chosen are measured."""
    if not chosen:
        return covariance.diagonal()
    with torch.no_grad():
        x = rows[chosen]
        after = model.condition_on_observations(x, mean[chosen].unsqueeze(-1), noise=torch.full((len(chosen), 1), 0.01))
        return after.posterior(rows).variance[:, 0]


def greedy(value, batch):
    chosen = []
    for _ in range(batch):
        others = [i for i in range(len(rows)) if i not in chosen]
        chosen.append(max(others, key=lambda i: value([*chosen, i])))
    return chosen


batch = greedy(q_ei, 3)
by_variance = greedy(lambda c: float(variance_given(c[:-1])[c[-1]]), 3)
print(
    json.dumps(
        {
            "mean": mean.tolist(),
            "covariance": covariance.tolist(),
            "noise": 0.01,
            "best": best,
            "kappa": KAPPA,
            "ei": ei.tolist(),
            "ucb": ucb.tolist(),
            "functions": functions.tolist(),
            "qei_rows": batch,
            "qei": [q_ei(batch[: k + 1]) for k in range(3)],
            "variance_rows": by_variance,
            "variance": [float(variance_given(by_variance[:k])[by_variance[k]]) for k in range(3)],
        },
        indent=1,
    )
)
