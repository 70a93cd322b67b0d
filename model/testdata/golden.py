#!/usr/bin/env python3
"""Values of the model from another program: numpy and scipy only, written from the paper.

Run `python3 golden.py` in this folder: it writes golden.json, which golden_test.go
compares with the model on cpu:f64. Nothing here is taken from the Go code but the names
and shapes of the parameters and the addresses of the random numbers, which
device/key.go, internal/philox and model/noise.go document. It is plain on purpose: explicit
inverses, the paper's coordinates of q(F-bar), one Monte-Carlo sample after the other.

The paper's equations are named by their labels, as in docs/equations.md.
"""

import json
import pathlib

import numpy as np
from scipy import linalg, special, stats

FLOOR = 1e-10  # device.VarFloor
JITTER = 1e-6  # the first rung of device.JitterLadder, relative to the kernel's variance

# Sites of device/key.go.
WEIGHTS, SPECTRA, LATENTS = 1, 2, 3

# Steps of model/noise.go.
FROZEN, PREDICTION = 0, 2**32 - 1


# --- Random numbers -------------------------------------------------------------


def philox4x32(key, counter):
    """Philox4x32-10 of Salmon et al. (2011), on Python integers."""
    mask = 0xFFFFFFFF
    k0, k1 = key
    x0, x1, x2, x3 = counter
    for _ in range(10):
        p0, p1 = 0xD2511F53 * x0, 0xCD9E8D57 * x2
        x0, x1, x2, x3 = (p1 >> 32) ^ x1 ^ k0, p1 & mask, (p0 >> 32) ^ x3 ^ k1, p0 & mask
        k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
    return x0, x1, x2, x3


def check_philox():
    """The known answers that come with Random123."""
    known = [
        ((0,) * 2, (0,) * 4, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 2, (0xFFFFFFFF,) * 4, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0xA4093822, 0x299F31D0),
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ]
    for key, counter, words in known:
        assert philox4x32(key, counter) == words


def normals(seed, step, site, layer, sample, row, n):
    """The first n standard normals of one row of a stream (device/key.go)."""
    key = (seed & 0xFFFFFFFF, seed >> 32)
    out = []
    for block in range((n + 3) // 4):
        w = philox4x32(key, (block, row, step, sample << 16 | site << 8 | layer))
        for a, b in ((w[0], w[1]), (w[2], w[3])):  # Box-Muller
            u1, u2 = ((a >> 8) + 1) / 2**24, (b >> 8) / 2**24
            radius = np.sqrt(-2 * np.log(u1))
            out += [radius * np.cos(2 * np.pi * u2), radius * np.sin(2 * np.pi * u2)]
    return np.array(out[:n])


STRATA = 10  # points of a Latin hypercube of a prediction's samples


def latin(seed, step, site, layer, sample, row, n):
    """As normals, but each number has its values of samples 10i ... 10i+9 in the ten strata, in a random order."""
    key = (seed & 0xFFFFFFFF, seed >> 32)
    first = sample - sample % STRATA
    out = []
    for i in range(n):
        order = []  # of the points' numbers, as each is put at its place among those before
        for point in range(STRATA):
            w = philox4x32(key, (i // 4, row, step, (first + point) << 16 | site << 8 | layer))[i % 4] * (point + 1)
            order.insert(w >> 32, point)
            if first + point == sample:
                within = ((w & 0xFFFFFFFF) + 0.5) / 2**32
        out.append(special.ndtri((order.index(sample - first) + within) / STRATA))
    return np.array(out)


class Noise:
    """Which standard normals a pass uses: the three treatments of Omega."""

    def __init__(self, config, seed, step):
        self.c, self.seed, self.step = config, seed, step
        self.predicting = step == PREDICTION
        spectra = config.get("spectra")
        self.shared = spectra is not None and not spectra.endswith("-each")
        self.tau_frozen = spectra is not None and spectra.startswith(("prior-fixed", "var-fixed"))
        self.all_frozen = spectra is not None and spectra.startswith("var-fixed-all")

    def draw(self, step, site, layer, sample, row, n):
        """Standard normals; new samples of a prediction are Latin hypercubes."""
        return (latin if step == PREDICTION else normals)(self.seed, step, site, layer, sample, row, n)

    def epsilon(self, s, row):
        """epsilon of reparam_F for the latents of one data row.

        New rows were never drawn in training, and all have the same noise.
        """
        if self.predicting:
            row = 0
        frozen = self.all_frozen and not self.predicting
        return self.draw(FROZEN if frozen else self.step, LATENTS, 0, s, row, self.c["latents"])

    def tau(self, layer, s, width):
        """tau of reparam_Omega, [width, R]. A prediction returns to the frozen draws of training."""
        if self.shared and (self.tau_frozen or not self.predicting):
            s = 0
        elif self.tau_frozen:
            s = s % self.c["samples"]
        step = FROZEN if self.tau_frozen else self.step
        r = self.c["features"]
        return np.array([self.draw(step, SPECTRA, layer, s, i, r) for i in range(width)])

    def e(self, layer, s, shape):
        """e of reparam_W, [2R, width out]."""
        step = self.step
        if self.all_frozen:
            step, s = FROZEN, s % self.c["samples"]
        return np.array([self.draw(step, WEIGHTS, layer, s, i, shape[1]) for i in range(shape[0])])

    def local(self, layer, s, row, width):
        """The noise of a layer's outputs under local reparameterisation.

        It is of one data row, or of every row that is predicted.
        """
        if self.predicting:
            row = 0
        frozen = self.all_frozen and not self.predicting
        return self.draw(FROZEN if frozen else self.step, WEIGHTS, layer, s, row, width)


# --- The model ------------------------------------------------------------------


def lengthscales(config, p, j, name="gp.log_lengthscale"):
    """l of latent function j, one for each input."""
    log_l = p[name]
    row = log_l[0 if config["lengthscales"] == "shared" else j]
    return np.exp(np.broadcast_to(row, config["inputs"]))


def kernel_ard(alpha, length, a, b):
    """kernel_ard with Gamma = diag(l^2)."""
    d = (a[:, None, :] - b[None, :, :]) / length
    return alpha * np.exp(-0.5 * np.sum(d * d, axis=2))


def correlation(shape, length, a, b):
    """A stationary kernel of variance 1; Matern by its Bessel function (Rasmussen and Williams, 4.14)."""
    if shape == "rbf":
        return kernel_ard(1.0, length, a, b)
    nu = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}[shape]
    d = (a[:, None, :] - b[None, :, :]) / length
    t = np.sqrt(2 * nu * np.sum(d * d, axis=2))
    with np.errstate(invalid="ignore"):
        c = 2 ** (1 - nu) / special.gamma(nu) * t**nu * special.kv(nu, t)
    return np.where(t == 0, 1.0, c)


def kernel(config, p, j, a, b):
    """k_j: one kernel, or the sum of two with the variances alpha w and alpha (1 - w)."""
    shapes = config.get("kernel", "rbf").split("+")
    alpha = np.exp(p["gp.log_alpha"][j])
    first = correlation(shapes[0], lengthscales(config, p, j), a, b)
    if len(shapes) == 1:
        return alpha * first
    second = correlation(shapes[1], lengthscales(config, p, j, "gp.log_lengthscale_2"), a, b)
    w = special.expit(p["gp.mix_logit"][0 if config["lengthscales"] == "shared" else j])
    return alpha * w * first + alpha * (1 - w) * second


def gp_layer(config, p, x):
    """qF_anj and qF_Bnj for the rows x, and KL(q(F-bar) || P(F-bar)), with explicit inverses."""
    m = config["inducing"]
    z = p["gp.pseudo_inputs"]
    mean, variance, kl = [], [], 0.0
    for j in range(config["latents"]):
        alpha = np.exp(p["gp.log_alpha"][j])
        kuu = kernel(config, p, j, z, z) + alpha * JITTER * np.eye(m)
        kuf = kernel(config, p, j, z, x)
        inverse = linalg.inv(kuu)
        mu = p["gp.q_mu"][j]
        root = np.tril(p["gp.q_sqrt"][j]) if config["q_cov"] == "full" else np.diag(p["gp.q_sqrt"][j])
        if config["whiten"]:  # F-bar = chol(Kuu) v, with q(v) given
            lower = linalg.cholesky(kuu, lower=True)
            mu, root = lower @ mu, lower @ root
        sigma = root @ root.T
        mean.append(kuf.T @ inverse @ mu)
        variance.append(alpha - np.diag(kuf.T @ inverse @ kuf) + np.diag(kuf.T @ inverse @ sigma @ inverse @ kuf))
        kl += 0.5 * (
            np.trace(inverse @ sigma) + mu @ inverse @ mu - m + np.linalg.slogdet(kuu)[1] - np.linalg.slogdet(sigma)[1]
        )
    return np.array(mean).T, np.array(variance).T, kl


def kl_normal(mean, variance, prior):
    """KL(N(mean, variance) || N(0, prior)), summed."""
    return np.sum(0.5 * (np.log(prior / variance) + (variance + mean**2) / prior - 1))


def kl_layer(p, layer):
    """KL of q(W) and of q(Omega) of one layer; PRIOR-FIXED has no second term."""
    get = lambda name: p.get(f"drf.{layer}.{name}")
    weights = kl_normal(get("mean_w"), np.exp(get("logvar_w")), 1.0)
    if get("mean_omega") is None:
        return weights, 0.0
    prior = np.exp(-2 * get("log_lengthscale"))[:, None]
    return weights, kl_normal(get("mean_omega"), np.exp(get("logvar_omega")), prior)


def arccos(config):
    """Whether the features are those of an arc-cosine kernel."""
    return config.get("features_kernel", "rbf").startswith("arccos")


def mixes(config):
    """Whether the frequencies are those of a Matern kernel."""
    return config.get("features_kernel", "rbf").startswith("matern")


def drf_layer(config, p, noise, layer, s, rows, h):
    """rfdnn_lth_vec on the rows h for sample s."""
    get = lambda name: p[f"drf.{layer}.{name}"]
    tau = noise.tau(layer, s, h.shape[1])
    if config["spectra"].startswith("prior-fixed"):
        omega = tau / np.exp(get("log_lengthscale"))[:, None]
    else:
        omega = get("mean_omega") + np.exp(get("logvar_omega") / 2) * tau
    if mixes(config):
        omega = omega * get("mixing")  # frequencies of a multivariate t
    phase = h @ omega
    if arccos(config):
        phi = np.sqrt(2) * np.heaviside(phase, 0) * phase ** int(config["features_kernel"][-1])
    else:
        phi = np.hstack([np.cos(phase), np.sin(phase)])
    phi *= np.sqrt(np.exp(get("log_alpha")[0]) / config["features"])
    mean, variance = get("mean_w"), np.exp(get("logvar_w"))
    if config["local_reparam"]:
        e = np.array([noise.local(layer, s, row, mean.shape[1]) for row in rows])
        return phi @ mean + np.sqrt(np.maximum(FLOOR, phi**2 @ variance)) * e  # arc-cosine features may all be 0
    return phi @ (mean + np.sqrt(variance) * noise.e(layer, s, mean.shape))


def output(config, p, noise, s, rows, x, f):
    """rfdnn_fwd: what the likelihood sees, for the latents f of sample s (None: DRF)."""
    if config["model"] == "gp":
        return f
    h = None
    for layer in range(config["layers"]):
        parts = [] if h is None else [h]
        if f is not None and (layer == 0 or config["feed_forward"]):
            parts.append(f)
        if config["feed_forward"] or (f is None and layer == 0):
            parts.append(x)
        h = drf_layer(config, p, noise, layer, s, rows, np.hstack(parts))
    if config["skip"]:
        h = h + f[:, : config["outputs"]]
    return h


def log_lik(config, p, h, y):
    """our_lik, one number for each row."""
    if config["likelihood"] == "softmax":
        return special.log_softmax(h, axis=1)[np.arange(len(y)), y]
    return np.sum(stats.norm.logpdf(y, h, np.exp(p["likelihood.log_variance"][0] / 2)), axis=1)


def closed(config):
    """Whether the expected log-likelihood needs no samples."""
    return config["model"] == "gp" and config["likelihood"] == "gaussian"


def elbo(case, p):
    """The bound's estimate on a batch, and its parts."""
    config = case["config"]
    rows = case["rows"]
    x, y = case["x"][rows], case["y"][rows]
    noise = Noise(config, case["seed"], case["step"])
    terms, f_mean, f_var = [0.0], None, None
    if config["model"] != "drf":
        f_mean, f_var, terms[0] = gp_layer(config, p, x)
    for layer in range(config.get("layers", 0)):
        terms += kl_layer(p, layer)
    if closed(config):
        noise_var = np.exp(p["likelihood.log_variance"][0])
        total = np.sum(log_lik(config, p, f_mean, y)) - np.sum(f_var) / (2 * noise_var)
    else:
        total = 0.0
        for s in range(config["samples"]):
            f = None
            if f_mean is not None:
                f = f_mean + np.sqrt(f_var) * np.array([noise.epsilon(s, row) for row in rows])
            total += np.sum(log_lik(config, p, output(config, p, noise, s, rows, x, f), y)) / config["samples"]
    ell = total * len(case["x"]) / len(rows)
    kl = sum(terms)
    return {"ell": ell, "kl": kl, "kl_terms": terms, "elbo": ell - case["kl_weight"] * kl}


def predict(case, p, samples):
    """pred_ys_mc for every row: the components, and what the mixture says about a row."""
    config, x, y = case["config"], case["x"], case["y"]
    rows = list(range(len(x)))
    noise = Noise(config, case["seed"], PREDICTION)
    f_mean = f_var = None
    if config["model"] != "drf":
        f_mean, f_var, _ = gp_layer(config, p, x)
    if closed(config):
        h, component = f_mean[None], f_var + np.exp(p["likelihood.log_variance"][0])
    else:
        h = []
        for s in range(samples):
            f = None
            if f_mean is not None:
                f = f_mean + np.sqrt(f_var) * np.array([noise.epsilon(s, row) for row in rows])
            h.append(output(config, p, noise, s, rows, x, f))
        h = np.array(h)
        component = None
        if config["likelihood"] == "gaussian":
            component = np.full(h.shape[1:], np.exp(p["likelihood.log_variance"][0]))
    out = {"samples": samples, "h": h.ravel().tolist()}
    if component is None:
        log_p = special.log_softmax(h, axis=2)
        mixture = special.logsumexp(log_p, axis=0) - np.log(len(h))
        out["probabilities"] = np.exp(mixture).ravel().tolist()
        out["log_density"] = mixture[rows, y].tolist()
    else:
        mean = h.mean(axis=0)
        out["var"] = component.ravel().tolist()
        out["mean"] = mean.ravel().tolist()
        out["variance"] = (component + np.mean((h - mean) ** 2, axis=0)).ravel().tolist()
        log_p = stats.norm.logpdf(y, h, np.sqrt(component))
        out["log_density"] = (special.logsumexp(log_p, axis=0) - np.log(len(h))).ravel().tolist()
    return out


# --- The cases ------------------------------------------------------------------


def gp(lengthscales, q_cov, whiten, latents=3):
    return {
        "latents": latents, "inducing": 5, "lengthscales": lengthscales, "q_cov": q_cov,
        "whiten": whiten, "learn_inducing": True,
    }


def drf(layers, spectra, local, fixed="all", share=False, feed_forward=False, skip=False):
    if fixed == "all" and spectra == "var-fixed":
        spectra += "-all"
    if not share:
        spectra += "-each"
    return {
        "layers": layers, "features": 3, "hidden": 2, "spectra": spectra,
        "local_reparam": local, "feed_forward": feed_forward, "skip": skip,
    }


CASES = {
    "gp, gaussian, ard, full q, whitened": ("gp", "gaussian", gp("ard", "full", True, 1)),
    "gp, gaussian, isotropic, diagonal q, the paper's form": ("gp", "gaussian", gp("isotropic", "diagonal", False, 1)),
    "gp, softmax, shared kernel, full q, the paper's form": ("gp", "softmax", gp("shared", "full", False)),
    "drf, gaussian, two layers, var-resampled, local, fed forward": (
        "drf", "gaussian", drf(2, "var-resampled", True, feed_forward=True)),
    "drf, softmax, one layer, prior-fixed": ("drf", "softmax", drf(1, "prior-fixed", False)),
    "gpdrf as the paper: gaussian, ard, full q, var-resampled, sampled weights": (
        "gpdrf", "gaussian", gp("ard", "full", False) | drf(1, "var-resampled", False)),
    "gpdrf as the default: gaussian, shared, diagonal q, whitened, fixed shared spectra, local": (
        "gpdrf", "gaussian", gp("shared", "diagonal", True) | drf(2, "var-fixed", True, "spectra", True, True)),
    "gpdrf, softmax, isotropic, full q, whitened, everything fixed": (
        "gpdrf", "softmax", gp("isotropic", "full", True) | drf(2, "var-fixed", False)),
    "gpdrf, softmax, ard, diagonal q, prior-fixed, three layers, local, fed forward": (
        "gpdrf", "softmax", gp("ard", "diagonal", False) | drf(3, "prior-fixed", True, feed_forward=True)),
    "gpdrf, gaussian, full q, whitened, everything fixed, local, skip": (
        "gpdrf", "gaussian", gp("ard", "full", True) | drf(1, "var-fixed", True, skip=True)),
    "gp, gaussian, matern 1/2, ard, full q, the paper's form": (
        "gp", "gaussian", gp("ard", "full", False, 1) | {"kernel": "matern12"}),
    "gp, gaussian, matern 3/2, isotropic, full q, whitened": (
        "gp", "gaussian", gp("isotropic", "full", True, 1) | {"kernel": "matern32"}),
    "gp, softmax, matern 5/2, shared, diagonal q, whitened": (
        "gp", "softmax", gp("shared", "diagonal", True) | {"kernel": "matern52"}),
    "gpdrf, gaussian, rbf + matern 1/2, ard, full q, whitened": (
        "gpdrf", "gaussian",
        gp("ard", "full", True) | drf(1, "var-fixed", True, "spectra") | {"kernel": "rbf+matern12"}),
    "gp, softmax, matern 3/2 + matern 5/2, shared, diagonal q, whitened": (
        "gp", "softmax", gp("shared", "diagonal", True) | {"kernel": "matern32+matern52"}),
    "drf, gaussian, frequencies of matern 3/2, two layers, var-resampled": (
        "drf", "gaussian", drf(2, "var-resampled", True) | {"features_kernel": "matern32"}),
    "gpdrf, gaussian, arc-cosine features of degree 1, two layers, var-fixed": (
        "gpdrf", "gaussian", gp("ard", "full", True) | drf(2, "var-fixed", False) | {"features_kernel": "arccos1"}),
    "drf, softmax, arc-cosine features of degree 2, prior-fixed, local": (
        "drf", "softmax", drf(1, "prior-fixed", True) | {"features_kernel": "arccos2"}),
    "drf, gaussian, arc-cosine features of degree 0, var-resampled": (
        "drf", "gaussian", drf(1, "var-resampled", False) | {"features_kernel": "arccos0"}),
}


def parameters(config, rng):
    """Random parameters, rounded so that the file holds them exactly."""
    d, outputs = config["inputs"], config["outputs"]
    p = {}

    def normal(name, spread, *shape):
        p[name] = np.round(spread * rng.standard_normal(shape), 5)

    if config["model"] != "drf":
        j, m = config["latents"], config["inducing"]
        normal("gp.log_alpha", 0.4, j)
        kernels = 1 if config["lengthscales"] == "shared" else j
        width = 1 if config["lengthscales"] == "isotropic" else d
        normal("gp.log_lengthscale", 0.3, kernels, width)
        p["gp.log_lengthscale"] += 0.4  # so that the kernel matrices are far from diagonal
        if "+" in config.get("kernel", ""):
            normal("gp.log_lengthscale_2", 0.3, kernels, width)
            normal("gp.mix_logit", 0.8, kernels)
        normal("gp.pseudo_inputs", 1.0, m, d)
        normal("gp.q_mu", 0.8, j, m)
        if config["q_cov"] == "full":
            normal("gp.q_sqrt", 0.3, j, m, m)
            p["gp.q_sqrt"] += 0.75 * np.eye(m)
        else:
            normal("gp.q_sqrt", 0.2, j, m)
            p["gp.q_sqrt"] += 0.75
    width = d if config["model"] == "drf" else config["latents"]
    fed = d if config["model"] == "drf" else config["latents"] + d
    for layer in range(config.get("layers", 0)):
        r = config["features"]
        wide = width if layer == 0 else config["hidden"]
        if config["feed_forward"]:
            wide += (0 if config["model"] == "drf" else d) if layer == 0 else fed
        out = outputs if layer == config["layers"] - 1 else config["hidden"]
        name = f"drf.{layer}."
        normal(name + "log_alpha", 0.4, 1)
        normal(name + "log_lengthscale", 0.3, wide)
        if not config["spectra"].startswith("prior-fixed"):
            normal(name + "mean_omega", 0.6, wide, r)
            normal(name + "logvar_omega", 0.5, wide, r)
        if mixes(config):
            normal(name + "mixing", 0.5, r)
            p[name + "mixing"] = np.exp(p[name + "mixing"])
        columns = r if arccos(config) else 2 * r
        normal(name + "mean_w", 0.9, columns, out)
        normal(name + "logvar_w", 0.5, columns, out)
    if config["likelihood"] == "gaussian":
        normal("likelihood.log_variance", 0.3, 1)
    return {name: np.round(v, 5) for name, v in p.items()}


def build(number, name):
    """One case with its inputs, parameters and expected values."""
    model, likelihood, rest = CASES[name]
    rng = np.random.default_rng(number)
    n, d = 7, 3
    outputs = 1 if likelihood == "gaussian" else 3
    flags = {key: False for key in ("whiten", "learn_inducing", "local_reparam", "feed_forward", "skip")}
    config = {"model": model, "inputs": d, "outputs": outputs, "likelihood": likelihood, "samples": 3} | flags | rest
    case = {
        "name": name, "config": config, "seed": (number << 40) + 11, "step": 5 + number, "kl_weight": 0.6,
        "x": np.round(rng.standard_normal((n, d)), 5), "rows": [6, 1, 4, 1],
    }
    case["y"] = rng.integers(0, outputs, n) if likelihood == "softmax" else np.round(rng.standard_normal((n, 1)), 5)
    p = parameters(config, rng)
    expected = elbo(case, p)
    prediction = predict(case, p, samples=1 if closed(config) else 5)
    target = "labels" if likelihood == "softmax" else "y"
    written = {key: case[key] for key in ("name", "config", "seed", "step", "kl_weight", "rows")}
    written |= {"n": n, "x": case["x"].ravel().tolist(), target: case["y"].ravel().tolist()}
    written["params"] = [{"name": k, "shape": list(v.shape), "data": v.ravel().tolist()} for k, v in p.items()]
    return written | {"expected": expected, "prediction": prediction}


def main():
    check_philox()
    cases = [build(number, name) for number, name in enumerate(CASES, start=1)]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    pathlib.Path(__file__).with_name("golden.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
