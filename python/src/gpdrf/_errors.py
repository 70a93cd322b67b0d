"""Errors and warnings of the program, with its words."""


class GPDRFError(RuntimeError):
    """The program could not complete a request."""


class GPDRFInputError(GPDRFError, ValueError):
    """The rows or the options are wrong: the message names the remedy."""


class GPDRFWarning(UserWarning):
    """The program warns of something."""
