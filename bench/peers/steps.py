"""One training step of GP-DRF in PyTorch on the CPU: loss, backward, Adam.

STYLE plain: what one writes first. Inputs are scaled for each latent function, Adam is the default one.
STYLE lean: distances from products X (Z/l^2)^T, so that autograd never differentiates through the data; no
concatenation of cosines and sines; Adam fused into one pass.
PRECISION mixed: the GP layer in double and the rest in float32, as in gpdrf-gpu; single: all in float32.
"""
import math

import torch

# bench/step.go has the same: inputs, latents, pseudo-inputs, frequencies, batch, samples, classes (0: regression)
SHAPES = {
    "mnist": dict(d=784, j=50, m=200, r=500, b=200, s=10, classes=10),
    "protein": dict(d=9, j=16, m=500, r=500, b=500, s=10, classes=0),
}


class Step:
    def __init__(self, shape, style, precision):
        self.n = n = SHAPES[shape]
        self.lean, self.gp = style == "lean", torch.double if precision == "mixed" else torch.float
        g = torch.Generator().manual_seed(1)
        uniform, normal = (lambda *s: torch.rand(*s, generator=g)), (lambda *s: torch.randn(*s, generator=g))
        out = n["classes"] or 1
        self.x = uniform(n["b"], n["d"])
        self.y = torch.randint(0, out, (n["b"],), generator=g) if n["classes"] else uniform(n["b"], 1)
        spread = 0.3 * normal(n["j"], 1)
        self.p = p = {
            "z": uniform(n["m"], n["d"]),
            "logl": math.log(0.5 * math.sqrt(n["d"])) + spread.expand(n["j"], n["d"]).clone(),
            "logalpha": torch.zeros(n["j"]),
            "mu": 0.5 * normal(n["j"], n["m"]),
            "sqrt": 0.1 * torch.eye(n["m"]).repeat(n["j"], 1, 1),
            "omega": normal(n["j"], n["r"]),
            "omega_logvar": torch.full((n["j"], n["r"]), -2.0),
            "w": 0.1 * normal(2 * n["r"], out),
            "w_logvar": torch.zeros(2 * n["r"], out),
            "drf_logl": torch.zeros(n["j"], 1),
            "drf_logalpha": torch.zeros(1),
            "noise": torch.tensor(math.log(0.1)),
        }
        for v in p.values():
            v.requires_grad_(True)
        self.adam = torch.optim.Adam(p.values(), lr=1e-3, fused=self.lean)

    def correlations(self, x, z, logl):
        """Kuu/alpha [J,M,M] and Kuf/alpha [J,M,B]."""
        if not self.lean:
            scale = torch.exp(-logl)[:, None, :]
            xs, zs = x[None] * scale, z[None] * scale

            def rbf(a, b):
                d2 = (a * a).sum(-1)[:, :, None] + (b * b).sum(-1)[:, None, :] - 2 * a @ b.transpose(1, 2)
                return torch.exp(-0.5 * d2)

            return rbf(zs, zs), rbf(zs, xs)
        w = torch.exp(-2 * logl)
        j, (m, d), b = len(logl), z.shape, len(x)
        xz = torch.cat([x, z])
        half = 0.5 * w @ (xz * xz).T  # [J,B+M]
        cross = ((z[None] * w[:, None, :]).reshape(j * m, d) @ xz.T).reshape(j, m, b + m)
        c = torch.exp(cross - half[:, None, :] - half[:, b:, None])
        return c[:, :, b:], c[:, :, :b]

    def latents(self):
        """The samples of F [S,B,J], and KL of the inducing outputs."""
        n, p = self.n, {k: self.p[k].to(self.gp) for k in ("z", "logl", "logalpha", "mu", "sqrt")}
        kuu, kuf = self.correlations(self.x.to(self.gp), p["z"], p["logl"])
        jitter = 1e-6 if self.gp == torch.double else 1e-3  # the smallest at which single precision factorises
        l = torch.linalg.cholesky(kuu + jitter * torch.eye(n["m"], dtype=self.gp))
        a = torch.linalg.solve_triangular(l, kuf, upper=False)
        s = p["sqrt"].tril()
        alpha = torch.exp(p["logalpha"])[:, None]
        mean = torch.sqrt(alpha) * (a * p["mu"][:, :, None]).sum(1)
        var = (alpha * (1 - (a * a).sum(1) + ((s.transpose(1, 2) @ a) ** 2).sum(1))).clamp_min(1e-10)
        diag = torch.diagonal(s, dim1=1, dim2=2)
        kl = 0.5 * ((p["mu"] ** 2).sum() + (s ** 2).sum() - n["j"] * n["m"]) - torch.log(diag.abs()).sum()
        f = mean.T.float() + torch.sqrt(var).T.float() * torch.randn(n["s"], n["b"], n["j"])
        return f, kl

    def features(self, f):
        """The outputs [S,B,C], and KL of q(Omega) and q(W)."""
        n, p = self.n, self.p
        draw = lambda mean, logvar: mean + torch.exp(0.5 * logvar) * torch.randn(n["s"], *mean.shape)
        omega, w = draw(p["omega"], p["omega_logvar"]), draw(p["w"], p["w_logvar"])
        scale = torch.exp(0.5 * p["drf_logalpha"]) / math.sqrt(n["r"])
        h = f @ omega
        if self.lean:
            out = scale * (torch.cos(h) @ w[:, : n["r"]] + torch.sin(h) @ w[:, n["r"]:])
        else:
            out = scale * torch.cat([torch.cos(h), torch.sin(h)], -1) @ w
        kl = lambda mean, logvar, l2=1.0, logl2=0.0: 0.5 * ((torch.exp(logvar) + mean * mean) * l2 - 1 - logvar - logl2).sum()
        logl2 = 2 * p["drf_logl"]
        return out, kl(p["omega"], p["omega_logvar"], torch.exp(logl2), logl2) + kl(p["w"], p["w_logvar"])

    def loss(self):
        n = self.n
        f, kl = self.latents()
        h, kl2 = self.features(f)
        if n["classes"]:
            nll = torch.nn.functional.cross_entropy(h.reshape(-1, n["classes"]), self.y.repeat(n["s"]), reduction="sum")
        else:
            noise = self.p["noise"]
            nll = 0.5 * (((self.y - h) ** 2) * torch.exp(-noise) + noise + math.log(2 * math.pi)).sum()
        return (nll / n["s"] + kl + kl2) / n["b"]

    def run(self):
        self.adam.zero_grad(set_to_none=True)
        loss = self.loss()
        loss.backward()
        self.adam.step()
        return loss
