"""Deep Gaussian processes with calibrated uncertainty, as estimators of scikit-learn.

GPDRFRegressor and GPDRFClassifier train and predict by the program gpdrf-gpu, which the wheel brings with it.
"""

from importlib.metadata import PackageNotFoundError, version

from gpdrf._errors import GPDRFError, GPDRFInputError, GPDRFWarning
from gpdrf._estimators import GPDRFClassifier, GPDRFRegressor

__all__ = ["GPDRFClassifier", "GPDRFError", "GPDRFInputError", "GPDRFRegressor", "GPDRFWarning", "__version__"]

try:
    __version__ = version("gpdrf")
except PackageNotFoundError:  # a checkout
    __version__ = "0+unknown"
