"""How far a training is: a bar of tqdm where it is installed, lines otherwise."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any


class Progress(AbstractContextManager["Progress"]):
    """Shows the steps of a training while the block lasts."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __call__(self, step: int, steps: int, how: str) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            print(f"step {step} of {steps}  {how}", file=sys.stderr)
            return
        if self._bar is None:
            self._bar = tqdm(total=steps, unit="step")
        self._bar.set_postfix_str(how, refresh=False)
        self._bar.update(step - self._bar.n)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
