"""Errors and warnings of the program, with its words."""


class GPDRFError(RuntimeError):
    """The program could not do what it was asked for."""


class GPDRFInputError(GPDRFError, ValueError):
    """The rows or the options are wrong: the message says what to do."""


class GPDRFWarning(UserWarning):
    """The program warns of something."""
