"""Do steps.py and gpdrf-gpu have the same loss? model/testdata/golden.json has parameters, rows and the bound that
gpdrf-gpu's own tests compute from them; here PyTorch computes it, in both styles, from the same random numbers.
"""
import json
import math

import numpy as np
import torch

import steps

WEIGHTS, SPECTRA, LATENTS = 1, 2, 3  # sites of device/key.go
TOLERANCE = 1e-5  # relative: the layers are in single precision
CASES = {
    "gpdrf as the paper: gaussian, ard, full q, var-resampled, sampled weights",
    "gpdrf, softmax, isotropic, full q, whitened, everything fixed",
}


def normals(case, frozen, site, layer, sample, row, n):
    """The first n standard normals of a row of a stream.

    They are of Philox4x32-10 and Box-Muller, addressed as device/key.go says.
    """
    mask = np.uint64(0xFFFFFFFF)
    blocks = (n + 3) // 4
    step = 0 if frozen else case["step"]
    address = row, step, sample << 16 | site << 8 | layer
    x = [np.arange(blocks, dtype=np.uint64)] + [np.full(blocks, v, np.uint64) for v in address]
    k0, k1 = case["seed"] & 0xFFFFFFFF, case["seed"] >> 32
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * x[0], np.uint64(0xCD9E8D57) * x[2]
        shift = np.uint64(32)
        x = [p1 >> shift ^ x[1] ^ np.uint64(k0), p1 & mask, p0 >> shift ^ x[3] ^ np.uint64(k1), p0 & mask]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    out = []
    for a, b in ((x[0], x[1]), (x[2], x[3])):
        u1, u2 = ((a >> np.uint64(8)).astype(float) + 1) / 2**24, (b >> np.uint64(8)).astype(float) / 2**24
        out += [np.sqrt(-2 * np.log(u1)) * f(2 * math.pi * u2) for f in (np.cos, np.sin)]
    return np.stack(out, 1).ravel()[:n]


class Golden(steps.Step):
    """The step of a golden case."""

    def __init__(self, case, style):
        c = case["config"]
        softmax = c["likelihood"] == "softmax"
        shape = dict(d=c["inputs"], j=c["latents"], m=c["inducing"], l=c["layers"], hidden=c["hidden"], r=c["features"],
                     b=len(case["rows"]), s=c["samples"], classes=c["outputs"] if softmax else 0)
        super().__init__(shape, style, "mixed")
        self.case, self.frozen, self.rows = case, c["spectra"].startswith("var-fixed-all"), case["n"]
        self.x = torch.tensor(case["x"], dtype=torch.double).reshape(case["n"], -1)[case["rows"]]
        y = torch.tensor(case["labels"]) if softmax else torch.tensor(case["y"]).reshape(-1, 1)
        self.y = y[case["rows"]]
        given = {b["name"]: torch.tensor(b["data"], dtype=torch.double).reshape(b["shape"]) for b in case["params"]}
        names = dict(z="pseudo_inputs", logl="log_lengthscale", logalpha="log_alpha", mu="q_mu", sqrt="q_sqrt")
        p = {k: given["gp." + v] for k, v in names.items()}
        p["sqrt"], p["logl"] = p["sqrt"].tril(), p["logl"].expand(-1, c["inputs"])
        if not c["whiten"]:  # L^-1 mu / sqrt(alpha), L^-1 S / sqrt(alpha)
            kuu, _ = self.correlations(p["z"], p["z"], p["logl"])
            l = torch.linalg.cholesky(kuu + 1e-6 * torch.eye(c["inducing"]))
            root = torch.exp(0.5 * p["logalpha"])[:, None, None]
            p["mu"] = (torch.linalg.solve_triangular(l, p["mu"][:, :, None], upper=False) / root)[:, :, 0]
            p["sqrt"] = torch.linalg.solve_triangular(l, p["sqrt"], upper=False) / root
        for i in range(c["layers"]):
            names = dict(omega="mean_omega", omega_logvar="logvar_omega", w="mean_w", w_logvar="logvar_w",
                         drf_logl="log_lengthscale", drf_logalpha="log_alpha")
            p |= {f"{k}{i}": given[f"drf.{i}.{v}"].float() for k, v in names.items()}
            p[f"drf_logl{i}"] = p[f"drf_logl{i}"][:, None]
        p["noise"] = torch.zeros(()) if softmax else given["likelihood.log_variance"][0].float()
        self.p = p

    def normals(self, variable, layer, samples, rows, columns):
        site = {"f": LATENTS, "omega": SPECTRA, "w": WEIGHTS}[variable]
        number = self.case["rows"] if variable == "f" else range(rows)
        draws = [[normals(self.case, self.frozen, site, layer, s, row, columns) for row in number]
                 for s in range(samples)]
        return torch.tensor(np.array(draws), dtype=torch.float)


def check(path):
    """Raises unless PyTorch has the golden bounds. Returns the largest relative difference."""
    with open(path) as f:
        cases = [c for c in json.load(f) if c["name"] in CASES]
    assert len(cases) == len(CASES), f"{path} lacks a case of {CASES}"
    worst = 0.0
    for case in cases:
        for style in "plain", "lean":
            with torch.no_grad():
                got = dict(zip(("ell", "kl"), Golden(case, style).elbo()))
            for name, value in got.items():
                want = case["expected"][name]
                difference = abs(float(value) - want) / abs(want)
                worst = max(worst, difference)
                if not difference <= TOLERANCE:
                    raise SystemExit(f"{case['name']}, {style}: {name} is {float(value):.9g}, gpdrf-gpu has {want:.9g}")
    return worst
