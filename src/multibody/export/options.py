"""What the user may choose: checked when a target is made, with errors that name the option."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from multibody.errors import ConversionError, StorageError


def check_options(target: object, *options: str) -> None:
    """An error if one of the options of a target has a value that it cannot have.

    Example:
        >>> from multibody.export import C
        >>> C(limit=0)
        Traceback (most recent call last):
            ...
        multibody.errors.ConversionError: limit cannot be 0.
          where: C(limit=…)
          what to do: Give a whole number from 1 on.
    """
    for option in options:
        check_option(option, getattr(target, option), f"{type(target).__name__}({option}=…)")


def check_option(option: str, value: object, where: str) -> None:
    """Likewise for one value."""
    fits, remedy = _CHECKS[option]
    if not fits(value):
        raise ConversionError(f"{option} cannot be {value!r:.80}.", where=where, remedy=remedy)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float | np.integer | np.floating) and isfinite(value)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_Check = tuple[Callable[[Any], object], str]
_FLAG: _Check = (_is_flag, "Write True or False.")
_CHECKS: dict[str, _Check] = {
    "names": (lambda value: value in ("readable", "short"), 'Write "readable" or "short".'),
    "limit": (
        lambda value: not isinstance(value, bool) and isinstance(value, int | np.integer) and value > 0,
        "Give a whole number from 1 on.",
    ),
    "seconds": (lambda value: _is_number(value) and value >= 0, "Give a number of seconds, from 0 on."),
    "stabilization": (lambda value: _is_number(value) and value >= 0, "Give a rate in 1/s, from 0 on."),
    "tolerance": (lambda value: _is_number(value) and value > 0, "Give a positive number."),
    "step": (lambda value: value is None or (_is_number(value) and value > 0), "Give a positive number, or None."),
    "jacobians": _FLAG, "derivatives": _FLAG, "partial": _FLAG, "overwrite": _FLAG,
}  # fmt: skip


def path_of(given: object, what: str) -> Path:
    """A path that the user has given; an error that says what it should be the path of."""
    if not isinstance(given, str | PathLike) or not str(fspath(given)):
        raise StorageError(
            f"{given!r:.80} is no path.", where=what, remedy='Give a text such as "out/", or a pathlib.Path.'
        )
    return Path(fspath(given))
