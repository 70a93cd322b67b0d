"""Errors and warnings of the program, with its words."""

import sys
import warnings

# Behind a text such as NA in a column of words: it is no missing cell. A message lacks it.
WORD = "\N{OBJECT REPLACEMENT CHARACTER}"


class GPDRFError(RuntimeError):
    """The program could not complete a request."""


class GPDRFInputError(GPDRFError, ValueError):
    """The rows or the options are wrong: the message names the remedy."""


class GPDRFWarning(UserWarning):
    """The program warns of something."""


def warn(text: str) -> None:
    """Warn at the line that called this package."""
    depth, frame = 1, sys._getframe()
    package = __name__.partition(".")[0]
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text.replace(WORD, ""), GPDRFWarning, stacklevel=depth)
