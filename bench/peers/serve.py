"""The other side of `go -C bench run . cpu-peers`: PyTorch and numpy, timed on request.

Each line on stdin is answered by one on stdout:

    versions                                 what is installed
    step SHAPE STYLE PRECISION THREADS       one training step (steps.py)
    gemm TYPE TA TB M N K REPS               numpy's matrix product, which is OpenBLAS
    sincos N REPS                            sine and cosine of N float32 in PyTorch

All but the first answer with milliseconds: wall clock, then processor time.
"""
import sys
import time

import numpy as np
import torch

import steps

cache = {}


def kept(key, make):
    if key not in cache:
        cache[key] = make()
        cache[key]()
    return cache[key]


def timed(work, reps):
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(reps):
        work()
    return "%.6f %.6f" % ((time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3)


def versions():
    blas = np.show_config("dicts")["Build Dependencies"]["blas"]
    return (f"PyTorch {torch.__version__} ({torch.backends.cpu.get_cpu_capability()}, "
            f"{'MKL' if torch.backends.mkl.is_available() else 'no MKL'}), "
            f"numpy {np.__version__} ({blas['name']} {blas['version']})")


def step(shape, style, precision, threads):
    torch.set_num_threads(int(threads))
    return timed(kept(("step", shape, style, precision), lambda: steps.Step(shape, style, precision).run), 1)


def gemm(dtype, ta, tb, m, n, k, reps):
    def make():
        r = np.random.default_rng(1)
        a, b = (r.standard_normal(s).astype(dtype) for s in ((m, k), (k, n)))
        if ta == "T":
            a = np.ascontiguousarray(a.T).T
        if tb == "T":
            b = np.ascontiguousarray(b.T).T
        c = np.empty((m, n), dtype)
        return lambda: np.matmul(a, b, out=c)

    m, n, k = int(m), int(n), int(k)
    return timed(kept(("gemm", dtype, ta, tb, m, n, k), make), int(reps))


def sincos(n, reps):
    def make():
        x = 10 * torch.randn(int(n))
        sin, cos = torch.empty_like(x), torch.empty_like(x)
        return lambda: (torch.sin(x, out=sin), torch.cos(x, out=cos))

    torch.set_num_threads(1)
    return timed(kept(("sincos", n), make), int(reps))


def main():
    for line in sys.stdin:
        verb, *words = line.split()
        print({"versions": versions, "step": step, "gemm": gemm, "sincos": sincos}[verb](*words), flush=True)


if __name__ == "__main__":
    main()
