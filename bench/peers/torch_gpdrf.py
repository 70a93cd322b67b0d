"""gpdrf-gpu and PyTorch take turns at the same training step, on a GPU or on the CPU.

    python3 torch_gpdrf.py [--program ./gpdrf-gpu] [--device auto|cpu|cuda:0] [--precision highest|medium]
                           [--limit SECONDS] [WORKLOAD …]

A WORKLOAD is a preset of `gpdrf-gpu bench` with sizes of its own, such as mnist:S=100,shared. The peers:

    eager     what one writes first (style plain of steps.py)
    lean      the same loss arranged by hand for speed
    compiled  lean under torch.compile
    graphed   lean under torch.compile in mode reduce-overhead, which replays CUDA graphs; on a GPU only
    gpytorch  GPyTorch's SVGP, for protein-gp

Loss, shapes and precision are ours: the GP layer in double, the layers above in float32 (--precision medium: TF32 on
both sides). Before anything is timed, the bound is compared with the one that gpdrf-gpu's tests have (same_bound.py).
A ratio is their time over ours, the median of pairs: above 1, gpdrf-gpu is faster. A table goes to stderr, one line of
JSON to stdout.
"""
import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import torch

import same_bound
import steps
import svgp

ROUND = 0.1  # least time of a round in seconds, as in internal/workload
PAIRS = 7


class Ours:
    """gpdrf-gpu bench --serve."""

    def __init__(self, program, options, preset, size):
        words = [program, "bench", "--serve", "--preset", preset, *options, *(["--size", size] if size else [])]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.about = self.process.stdout.readline().strip()
        if not self.about:
            raise SystemExit(f"{' '.join(words)} does not start: exit {self.process.wait()}")

    def next(self):
        self.process.stdin.write("step\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline().split()[0])

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Theirs:
    """A step of PyTorch, timed in rounds that are waited for together."""

    def __init__(self, step, device):
        self.step, self.cuda, self.steps = step, device != "cpu", 0

    def run(self, count):
        start = time.perf_counter()
        for _ in range(count):
            self.step.run()
        if self.cuda:
            torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3

    def next(self):
        if not self.steps:
            for _ in range(3 if self.cuda else 1):  # compilers run in these rounds
                self.run(1)
            self.steps = 1 + int(1e3 * ROUND / self.run(1))
        return self.run(self.steps) / self.steps


def parse(workload):
    """The preset, its sizes as gpdrf-gpu takes them, the shape, and whether there is one kernel."""
    preset, _, size = workload.partition(":")
    if preset not in steps.SHAPES:
        raise SystemExit(f"{workload}: {preset} is not one of {', '.join(steps.SHAPES)}")
    shape, shared = dict(steps.SHAPES[preset]), False
    for change in filter(None, size.split(",")):
        name, _, value = change.partition("=")
        if change == "shared":
            shared = True
        else:
            shape["hidden" if name == "d" else name.lower()] = int(value)
    return preset, size, shape, shared


def peers(preset, shape, shared, device, precision):
    """Each peer's name with what makes it, or with why it is not there."""
    make = lambda style, compiled=None: lambda: steps.Step(shape, style, "mixed", device, shared, compiled)
    yield "eager", make("plain")
    yield "lean", make("lean")
    yield "compiled", make("lean", "default")
    if device != "cpu":
        yield "graphed", make("lean", "reduce-overhead")
    if shape["l"] == 0:
        yield "gpytorch", (lambda: svgp.Step(shape, device)) if svgp.gpytorch else "gpytorch is not installed"


def compare(workload, args, device, log):
    """The figures of one workload: milliseconds and ratios by peer."""
    preset, size, shape, shared = parse(workload)
    ours = Ours(args.program, args.ours, preset, size)
    log(f"{workload}: {ours.about}")
    ours.next()
    found = {"about": ours.about, "peers": {}, "not_run": {}}
    for name, make in peers(preset, shape, shared, device, args.precision):
        if isinstance(make, str) or time.monotonic() > args.end:
            found["not_run"][name] = make if isinstance(make, str) else "the time is over"
        else:
            try:
                theirs = Theirs(make(), device)
                theirs.next()
                pairs = []
                while len(pairs) < 3 or len(pairs) < PAIRS and time.monotonic() < args.end:
                    pairs.append((ours.next(), theirs.next()))
            except Exception as e:  # a peer that fails, such as a compiler that is not there, is not our failure
                first = str(e).strip().splitlines()[0] if str(e).strip() else ""
                found["not_run"][name] = f"{type(e).__name__}: {first}"[:300]
            else:
                ratios = [b / a for a, b in pairs]
                a, b, r = (statistics.median(x) for x in ([a for a, _ in pairs], [b for _, b in pairs], ratios))
                least, most = min(ratios), max(ratios)
                found["peers"][name] = {"ours_ms": a, "theirs_ms": b, "ratio": r, "least": least, "most": most,
                                        "pairs": len(pairs)}
                log(f"  {name:9} ours {a:10.3f} ms, theirs {b:10.3f} ms, ratio {r:7.2f} ({least:.2f} to {most:.2f})")
            theirs = None
            if device != "cpu":
                torch.cuda.empty_cache()
        if name in found["not_run"]:
            log(f"  {name:9} not run: {found['not_run'][name]}")
    ours.stop()
    return found


def main():
    here = pathlib.Path(__file__).resolve().parent
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--program", default="./gpdrf-gpu")
    ap.add_argument("--device", default="auto")
    ap.add_argument("--precision", default="highest", choices=("highest", "medium"))
    ap.add_argument("--limit", type=float, default=420, help="seconds after which no further pair begins")
    ap.add_argument("--golden", default=here / "../../model/testdata/golden.json")
    ap.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    args = ap.parse_args()
    args.end = time.monotonic() + args.limit
    args.program = os.path.abspath(args.program)
    if args.device == "auto":
        args.device = "cuda:0" if torch.cuda.is_available() else "cpu"
    device = "cpu" if args.device.startswith("cpu") else ":".join(args.device.split(":")[:2])
    if device == "cuda":
        device = "cuda:0"
    if device != "cpu" and not torch.cuda.is_available():
        raise SystemExit(f"--device {args.device}: PyTorch {torch.__version__} sees no GPU")
    args.ours = ["--device", device + ":f32", *(["--precision", args.precision] if args.precision != "highest" else [])]
    torch.set_float32_matmul_precision("highest" if args.precision == "highest" else "high")
    log = lambda line: print(line, file=sys.stderr, flush=True)

    difference = same_bound.check(args.golden)
    log(f"the bound is that of gpdrf-gpu's tests: largest relative difference {difference:.1e}, "
        f"tolerance {same_bound.TOLERANCE:.0e}")
    versions = {"torch": torch.__version__, "python": platform.python_version(), "gpytorch": svgp.version()}
    if device == "cpu":
        versions |= {"cpu": torch.backends.cpu.get_cpu_capability(), "threads": torch.get_num_threads()}
    else:
        versions |= {"cuda": torch.version.cuda, "gpu": torch.cuda.get_device_name(device)}
    log(", ".join(f"{k} {v}" for k, v in versions.items()))
    workloads = args.workloads or (["mnist-small:S=1", "protein:S=1", "protein-gp"] if device == "cpu" else
                                   ["mnist:S=1", "mnist:S=100", "mnist:S=1,shared", "mnist:S=100,shared", "protein",
                                    "protein-gp"])
    out = {"device": device, "precision": args.precision, "versions": versions, "same_bound": difference,
           "unit": "ms of a step; ratio: theirs over ours", "workloads": {}}
    for workload in workloads:
        out["workloads"][workload] = compare(workload, args, device, log)
    print(json.dumps(out), flush=True)


if __name__ == "__main__":
    main()
