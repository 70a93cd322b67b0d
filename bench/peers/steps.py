"""One training step of GP-DRF in PyTorch: loss, backward, Adam.

STYLE plain: what one writes first. Inputs are scaled for each latent function, Adam is the default one.
STYLE lean: distances from products X (Z/l^2)^T, so that autograd never differentiates through the data; no
concatenation of cosines and sines; a factorisation that the host does not wait for; Adam fused into one pass.
PRECISION mixed: the GP layer in double and the rest in float32, as in gpdrf-gpu; single: all in float32.
"""
import math

import torch

# internal/workload has the same: inputs, latents, pseudo-inputs, layers (0: the GP alone) and the width between them,
# frequencies, batch, samples, classes (0: regression)
SHAPES = {
    "mnist": dict(d=784, j=50, m=200, l=2, hidden=50, r=500, b=1000, s=10, classes=10),
    "mnist-small": dict(d=784, j=50, m=200, l=1, hidden=50, r=500, b=200, s=10, classes=10),
    "protein": dict(d=9, j=16, m=500, l=1, hidden=16, r=500, b=500, s=10, classes=0),
    "protein-gp": dict(d=9, j=1, m=500, l=0, hidden=0, r=0, b=500, s=1, classes=0),
}


def starting_values(n, shared, uniform, normal):
    """The parameters by name, as gpdrf-gpu starts them, apart from the draws."""
    out = n["classes"] or 1
    kernels = 1 if shared else n["j"]
    p = {
        "z": uniform(n["m"], n["d"]),
        "logl": math.log(0.5 * math.sqrt(n["d"])) + (0.3 * normal(kernels, 1)).expand(kernels, n["d"]).clone(),
        "logalpha": torch.zeros(n["j"]),
        "mu": 0.5 * normal(n["j"], n["m"]),
        "sqrt": 0.1 * torch.eye(n["m"]).repeat(n["j"], 1, 1),
        "noise": torch.tensor(math.log(0.1)),
    }
    width = n["j"]
    for i in range(n["l"]):
        to = out if i == n["l"] - 1 else n["hidden"]
        p |= {
            f"omega{i}": normal(width, n["r"]),
            f"omega_logvar{i}": torch.full((width, n["r"]), -2.0),
            f"w{i}": 0.1 * normal(2 * n["r"], to),
            f"w_logvar{i}": torch.zeros(2 * n["r"], to),
            f"drf_logl{i}": torch.zeros(width, 1),
            f"drf_logalpha{i}": torch.zeros(1),
        }
        width = to
    return p


class Step:
    def __init__(self, shape, style, precision, device="cpu", shared=False, compiled=None):
        """shape is a name or the sizes themselves; compiled is a mode of torch.compile, or None."""
        self.n = n = SHAPES[shape] if isinstance(shape, str) else shape
        self.lean, self.gp = style == "lean", torch.double if precision == "mixed" else torch.float
        self.device = torch.device(device)
        g = torch.Generator().manual_seed(1)
        uniform, normal = (lambda *s: torch.rand(*s, generator=g)), (lambda *s: torch.randn(*s, generator=g))
        self.x = uniform(n["b"], n["d"]).to(self.device)
        self.y = torch.randint(0, n["classes"], (n["b"],), generator=g) if n["classes"] else uniform(n["b"], 1)
        self.y = self.y.to(self.device)
        self.rows = n["b"]  # number of rows of the data set
        start = starting_values(n, shared, uniform, normal)
        self.p = {k: v.to(self.device).requires_grad_(True) for k, v in start.items()}
        self.adam = torch.optim.Adam(self.p.values(), lr=1e-3, fused=self.lean)
        self.negative = torch.compile(self.loss, mode=compiled) if compiled else self.loss

    def normals(self, variable, layer, *shape):
        """The standard normals of a variable."""
        return torch.randn(*shape, device=self.device)

    def correlations(self, x, z, logl):
        """Kuu/alpha [K,M,M] and Kuf/alpha [K,M,B]."""
        if not self.lean:
            scale = torch.exp(-logl)[:, None, :]
            xs, zs = x[None] * scale, z[None] * scale

            def rbf(a, b):
                d2 = (a * a).sum(-1)[:, :, None] + (b * b).sum(-1)[:, None, :] - 2 * a @ b.transpose(1, 2)
                return torch.exp(-0.5 * d2)

            return rbf(zs, zs), rbf(zs, xs)
        w = torch.exp(-2 * logl)
        k, (m, d), b = len(logl), z.shape, len(x)
        xz = torch.cat([x, z])
        half = 0.5 * w @ (xz * xz).T  # [K,B+M]
        cross = ((z[None] * w[:, None, :]).reshape(k * m, d) @ xz.T).reshape(k, m, b + m)
        c = torch.exp(cross - half[:, None, :] - half[:, b:, None])
        return c[:, :, b:], c[:, :, :b]

    def moments(self):
        """Mean and variance of q(F) [J,B], and KL of the inducing outputs."""
        p = {k: self.p[k].to(self.gp) for k in ("z", "logl", "logalpha", "mu", "sqrt")}
        kuu, kuf = self.correlations(self.x.to(self.gp), p["z"], p["logl"])
        jitter = 1e-6 if self.gp == torch.double else 1e-3  # the smallest at which single precision factorises
        kuu = kuu + jitter * torch.eye(kuu.shape[-1], dtype=self.gp, device=self.device)
        l = torch.linalg.cholesky_ex(kuu)[0] if self.lean else torch.linalg.cholesky(kuu)
        a = torch.linalg.solve_triangular(l, kuf, upper=False)
        s = p["sqrt"].tril()
        alpha = torch.exp(p["logalpha"])[:, None]
        mean = torch.sqrt(alpha) * (a * p["mu"][:, :, None]).sum(1)
        var = (alpha * (1 - (a * a).sum(1) + ((s.transpose(1, 2) @ a) ** 2).sum(1))).clamp_min(1e-10)
        diag = torch.diagonal(s, dim1=1, dim2=2)
        kl = 0.5 * ((p["mu"] ** 2).sum() + (s ** 2).sum() - p["mu"].numel()) - torch.log(diag.abs()).sum()
        return mean, var, kl

    def features(self, layer, f):
        """The outputs of a layer [S,B,d'], and KL of its q(Omega) and q(W)."""
        names = "omega", "omega_logvar", "w", "w_logvar", "drf_logl", "drf_logalpha"
        n, p = self.n, {k: self.p[f"{k}{layer}"] for k in names}
        draw = lambda v: p[v] + torch.exp(0.5 * p[v + "_logvar"]) * self.normals(v, layer, n["s"], *p[v].shape)
        omega, w = draw("omega"), draw("w")
        scale = torch.exp(0.5 * p["drf_logalpha"]) / math.sqrt(n["r"])
        h = f @ omega
        if self.lean:
            out = scale * (torch.cos(h) @ w[:, : n["r"]] + torch.sin(h) @ w[:, n["r"]:])
        else:
            out = scale * torch.cat([torch.cos(h), torch.sin(h)], -1) @ w
        kl = lambda mean, logvar, l2=1.0, logl2=0.0: (
            0.5 * ((torch.exp(logvar) + mean * mean) * l2 - 1 - logvar - logl2).sum())
        logl2 = 2 * p["drf_logl"]
        return out, kl(p["omega"], p["omega_logvar"], torch.exp(logl2), logl2) + kl(p["w"], p["w_logvar"])

    def elbo(self):
        """The expected log-likelihood of the data set, and KL."""
        n, noise = self.n, self.p["noise"]
        mean, var, kl = self.moments()
        if n["l"] == 0:  # a GP alone has a closed form
            e = ((self.y.to(self.gp).T - mean) ** 2 + var) * torch.exp(-noise) + noise + math.log(2 * math.pi)
            return -0.5 * e.sum() * self.rows / n["b"], kl
        f = mean.T.float() + torch.sqrt(var).T.float() * self.normals("f", 0, n["s"], n["b"], n["j"])
        for layer in range(n["l"]):
            f, kl_layer = self.features(layer, f)
            kl = kl + kl_layer
        if n["classes"]:
            nll = torch.nn.functional.cross_entropy(f.reshape(-1, n["classes"]), self.y.repeat(n["s"]), reduction="sum")
        else:
            nll = 0.5 * (((self.y - f) ** 2) * torch.exp(-noise) + noise + math.log(2 * math.pi)).sum()
        return -nll * self.rows / (n["b"] * n["s"]), kl

    def loss(self):
        ell, kl = self.elbo()
        return (kl - ell) / self.rows

    def run(self):
        self.adam.zero_grad(set_to_none=True)
        loss = self.negative()
        loss.backward()
        self.adam.step()
        return loss
