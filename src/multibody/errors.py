"""Errors with a stable code, the names and values involved, a likely cause and a remedy; warnings for the user."""

from __future__ import annotations

import pickle
import sys
import warnings
from copyreg import __newobj__  # type: ignore[attr-defined]
from typing import Any

LABELS = {"where": "where", "cause": "cause", "remedy": "fix"}
"""The labels under which the parts of an error are shown."""


class MultibodyError(Exception):
    """Root of all errors raised on purpose by multibody.

    Programs and tests look at ``code`` and ``fields``; the sentences are for people and may be reworded. A class with
    one meaning has its code in the class; a class with several meanings takes one for each error.

    Args:
        what: the plain statement of what is wrong.
        code: stable identifier of this kind of error, in lower case with hyphens; docs/error_codes.md lists all.
        where: the thing it is wrong with, by the user's own name.
        cause: the likely reason.
        remedy: what to do now.
        fields: names and values that the error is about, such as ``name="crab", value=-1.0``.

    Example:
        >>> error = MultibodyError(
        ...     "The mass is negative.",
        ...     code="mass-negative",
        ...     where="body 'crab'",
        ...     remedy="Give a mass >= 0.",
        ...     name="crab",
        ...     value=-1.0,
        ... )
        >>> print(error)
        The mass is negative. [mass-negative]
          where: body 'crab'
          fix: Give a mass >= 0.
        >>> error.code, error.fields
        ('mass-negative', {'name': 'crab', 'value': -1.0})
    """

    code: str = ""

    def __init__(
        self, what: str, *, code: str = "", where: str = "", cause: str = "", remedy: str = "", **fields: Any
    ) -> None:  # fmt: skip
        self.what = what
        self.code = code or type(self).code
        self.where = where
        self.cause = cause
        self.remedy = remedy
        self.fields = fields
        super().__init__(what)

    def __str__(self) -> str:
        head, *more = self.what.split("\n")
        code = f" [{self.code}]" if self.code else ""
        return "\n".join([head + code, *more, *(f"  {label}: {text}" for label, text in self.labeled.items())])

    @property
    def labeled(self) -> dict[str, str]:
        """Where, cause and fix, by the labels under which they are shown; empty ones are left out."""
        return {label: getattr(self, part) for part, label in LABELS.items() if getattr(self, part)}

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel from process to process, whatever arguments their classes take."""
        return __newobj__, (type(self), *self.args), vars(self)


class NumberError(MultibodyError, ValueError):
    """A number that cannot be used: NaN, infinity, or the wrong type."""


class ExpressionError(MultibodyError, ValueError):
    """An expression that has no value or is used in a way that has no meaning."""


class ConditionError(MultibodyError, TypeError):
    """A symbolic condition was used where Python needs True or False."""

    code = "condition-without-truth-value"


class ZeroDivisorError(ExpressionError, ZeroDivisionError):
    """A division by an expression that is zero for every value of its symbols."""

    code = "division-by-zero"


class InvalidNameError(MultibodyError, ValueError):
    """A name that is not a usable identifier."""

    code = "name-invalid"


class ParseError(MultibodyError, ValueError):
    """Text that is not an expression; ``position`` counts characters from 0."""

    code = "text-not-an-expression"

    def __init__(self, what: str, *, position: int, **details: Any) -> None:
        super().__init__(what, **details)
        self.position = position


class MissingValueError(MultibodyError, LookupError):
    """Symbols without a value, listed by name."""

    code = "value-missing"


class ShapeError(MultibodyError, ValueError):
    """An array whose shape does not fit its port or matrix."""


class PortError(MultibodyError, ValueError):
    """A function's ports are wrong, or a call names ports that do not exist."""


class SingularMatrixError(ExpressionError):
    """A matrix that is singular for every value of its symbols."""

    code = "matrix-singular"


class ConversionError(MultibodyError, TypeError):
    """Something that cannot be turned into an expression, or an expression that cannot be turned into it."""


class CompileError(MultibodyError, RuntimeError):
    """The compiler behind a function refused its work."""


class ModelError(MultibodyError, ValueError):
    """A description of a system that no mechanism can have."""


class ModelFileError(ModelError):
    """A model file that cannot be understood, or describes no mechanism.

    Attributes:
        file: its name; empty for a text that comes from no file.
        line: where the problem is, counted from 1; 0 if it has no place.
        column: likewise.
        others: further problems of the same file.
    """

    def __init__(
        self, what: str, *, file: str = "", line: int = 0, column: int = 0, others: tuple[MultibodyError, ...] = (),
        **details: Any,
    ) -> None:  # fmt: skip
        super().__init__(what, **details)
        self.file = file
        self.line = line
        self.column = column
        self.others = others

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *map(str, self.others)])


class TopologyError(ModelError):
    """Bodies and joints that do not fit together: a loop without a root, a joint to nowhere."""


class AssemblyError(ModelError):
    """No position, or no motion, keeps all constraints."""


class StartWarning(UserWarning):
    """Start values that the user gave were changed so that the constraints hold."""


class OperatingPointWarning(UserWarning):
    """A regulator or an observer is designed at a point at which the mechanism does not stay."""


class EquilibriumError(MultibodyError, ValueError):
    """No equilibrium, or no steady motion, was found."""


class StepError(MultibodyError):
    """A solver cannot make its next step; ``status`` says why. Runs do not raise it: they end with that status."""

    code = "step-failed"

    def __init__(self, status: Any, message: str) -> None:
        super().__init__(message)
        self.status = status


class SimulationError(MultibodyError, RuntimeError):
    """A run that ended before its time, and not by a terminal event.

    Attributes:
        trajectory: what was computed before; its ``status`` and ``message`` say how it ended.
    """

    code = "run-failed"

    def __init__(self, what: str, *, trajectory: Any = None, **details: Any) -> None:
        super().__init__(what, **details)
        self.trajectory = trajectory

    def __reduce__(self) -> tuple[Any, ...]:
        """Includes the trajectory if it can be pickled; otherwise ``trajectory`` is None in the copy."""
        new, args, state = super().__reduce__()
        try:
            pickle.dumps(self.trajectory)
        except Exception:  # noqa: BLE001 - a controller of the user may raise anything
            state = {**state, "trajectory": None}
        return new, args, state


class SimulationInterrupted(SimulationError, KeyboardInterrupt):  # noqa: N818 - as KeyboardInterrupt
    """A run that was stopped by Ctrl-C: a ``KeyboardInterrupt`` that keeps what was computed in ``trajectory``."""

    code = "run-interrupted"


class UnknownNameError(MultibodyError, KeyError):
    """A name that a trajectory, or a list of names, does not know."""

    code = "name-unknown"


class StorageError(MultibodyError, OSError):
    """A file that cannot be written or read."""


class MissingLibraryError(MultibodyError, ImportError):
    """Something was asked for that needs a library which is not installed."""

    code = "library-missing"


class ConditioningWarning(UserWarning):
    """Constraints are nearly singular at an operating point, so that a linear system loses digits."""


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
