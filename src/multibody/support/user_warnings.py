"""Warnings that point at the line of the user's program."""

from __future__ import annotations

import sys
import warnings


def warn_user(text: str, category: type[Warning]) -> None:
    """A warning at the line that called this package, however deep inside the package it is given.

    Args:
        text: of the warning.
        category: its class.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "multibody":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
