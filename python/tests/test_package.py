"""The package: what it needs, its version, and the command that it brings."""

import importlib.metadata
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import gpdrf
from gpdrf import GPDRFClassifier, GPDRFRegressor, _program


def test_needs() -> None:
    needed = [text for text in importlib.metadata.requires("gpdrf") or [] if "extra ==" not in text]
    assert sorted(text.split(">")[0] for text in needed) == ["numpy", "scikit-learn"]
    code = (
        "import sys\n"
        "for name in ('pandas', 'polars', 'tqdm', 'matplotlib'):\n    sys.modules[name] = None\n"
        "import gpdrf\n"
        "model = gpdrf.GPDRFRegressor(steps=10, verbose=True).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])\n"
        "assert model.predict([[1.0]]).shape == (1,)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_types() -> None:
    assert files("gpdrf").joinpath("py.typed").is_file()


def test_licences() -> None:
    """The wheel has the licences of what the program was linked with, and a list of it."""
    metadata = {file.name: file for file in importlib.metadata.files("gpdrf") or [] if ".dist-info" in str(file)}
    assert "gonum.org/v1/gonum v" in metadata["THIRD_PARTY_NOTICES.txt"].read_text()
    assert "pkg:golang/gonum.org/v1/gonum@v" in metadata["sbom.cdx.json"].read_text()


def test_command() -> None:
    """The command is the program, of the same version."""
    command = Path(sys.executable).with_name("gpdrf-gpu")
    assert os.environ.get("GPDRF_PROGRAM") or Path(_program.path()).resolve() == command.resolve()
    said = subprocess.run([command, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert gpdrf.__version__ in said


def test_checkout() -> None:
    """The package does without an installation, and finds the program on PATH."""
    code = (
        "import importlib.metadata as metadata, shutil, sklearn\n"
        "metadata.MetadataPathFinder.find_distributions = lambda *_: iter(())\n"
        "shutil.which = lambda name: '/bin/' + name\n"
        "import gpdrf\n"
        "print(gpdrf.__version__, gpdrf._program.path())\n"
    )
    without = {name: value for name, value in os.environ.items() if name != "GPDRF_PROGRAM"}
    said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True, env=without)
    assert said.stdout == f"0+unknown /bin/{_program._NAME}\n"


def test_help() -> None:
    """Every parameter is explained."""
    for estimator in (GPDRFRegressor, GPDRFClassifier):
        explained = estimator.__doc__ or ""
        for name in estimator().get_params():
            assert name in explained, name
