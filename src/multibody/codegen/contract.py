"""The contract of all targets: a frozen configuration that turns a program into files, with checked options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import numpy as np

from multibody.codegen.code import Code
from multibody.codegen.program import Program
from multibody.codegen.routines import UNSOLVED_JACOBIAN
from multibody.codegen.syntax import Syntax
from multibody.errors import ConversionError, StorageError

Names = Literal["readable", "short"]
"""Whether intermediates have names that mean something, or the shortest ones."""


def routine_names(*, jacobians: bool, closure: bool = False, loops: bool = False) -> list[str]:
    """The routines that most targets write; those without results for a model are left out by ``Program.code``.

    Args:
        jacobians: whether derivatives by states and inputs are among them.
        closure: whether the code finds start values by itself.
        loops: whether the language solves with the mass matrix by loops.
    """
    names = "state_rate mass_matrix bias sensors multipliers residuals projection assembly energy".split()
    names += ["closure"] if closure else []
    return [*names, UNSOLVED_JACOBIAN if loops else "jacobian", "sensor_jacobian"] if jacobians else names


class Target(ABC):
    """A language or a tool that equations of motion are written for.

    A target is a small frozen configuration, a ``Syntax`` and the templates of its files; see "Add a target" in the
    documentation. It keeps no state between calls, and the same program gives the same text.
    """

    @abstractmethod
    def files(self, program: Program) -> Mapping[str, str]:
        """The text of each file, by its path below the folder that the user names."""

    def superseded(self) -> Iterable[str]:
        """Paths that the same target writes with other options: what is left there of an earlier export is removed."""
        return ()


@dataclass(frozen=True)
class SourceTarget(Target):
    """A language in which every routine is a function.

    Args:
        jacobians: whether derivatives by states and inputs are written, too.
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have; compilers need more than twice the time for twice the length.
    """

    jacobians: bool = False
    names: Names = "readable"
    limit: int = 500

    def __post_init__(self) -> None:
        check_options(self, "jacobians", "names", "limit")

    def code(
        self, program: Program, syntax: Syntax, taken: Iterable[str] = (), *, closure: bool = False, loops: bool = False
    ) -> Code:  # fmt: skip
        """All routines in the language; see ``routine_names``."""
        wanted = routine_names(jacobians=self.jacobians, closure=closure, loops=loops)
        return program.code(wanted, syntax, taken=taken, names=self.names, limit=self.limit)


# options -------------------------------------------------------------------------------------------------------------


def check_options(target: object, *options: str) -> None:
    """An error if one of the options of a target has a value that it cannot have.

    Example:
        >>> from multibody.codegen import C
        >>> C(limit=0)
        Traceback (most recent call last):
            ...
        multibody.errors.ConversionError: limit cannot be 0. [option-invalid]
          where: C(limit=…)
          fix: Give a whole number from 1 on.
    """
    for option in options:
        check_option(option, getattr(target, option), f"{type(target).__name__}({option}=…)")


def check_option(option: str, value: object, where: str) -> None:
    """Likewise for one value."""
    fits, remedy = _CHECKS[option]
    if not fits(value):
        raise ConversionError(
            f"{option} cannot be {value!r:.80}.",
            where=where,
            remedy=remedy,
            code="option-invalid",
            name=option,
            value=f"{value!r:.80}",
        )


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
            f"{given!r:.80} is not a path.",
            where=what,
            remedy='Give a text such as "out/", or a pathlib.Path.',
            code="path-expected",
            value=f"{given!r:.80}",
        )
    return Path(fspath(given))
