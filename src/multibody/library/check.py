"""Checks of a model against a published number or a law of physics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from multibody.equations import EquationsOfMotion


@dataclass(frozen=True)
class CheckResult:
    """What a check has found.

    Attributes:
        what: the quantity.
        ours: its value by our equations.
        reference: the value that it should have.
        error: of ours, relative to the reference; absolute where that is zero.
        tolerance: how large the error may be.
        ok: whether it is not larger.
        source: where the reference comes from.
        unit: SI unit of both values.
    """

    what: str
    ours: float
    reference: float
    error: float
    tolerance: float
    ok: bool
    source: str
    unit: str = ""


@dataclass(frozen=True)
class Check:
    """A number that a model must reproduce.

    Attributes:
        what: the quantity, in a few words.
        reference: its published value, or the one of a formula.
        source: the publication or the formula.
        tolerance: how large the error may be, relative to the reference; absolute where that is zero.
        compute: the number from the equations of motion of the model.
        unit: SI unit of the number.

    Example:
        >>> import multibody as mb
        >>> eom = mb.derive(mb.library.pendulum(length=0.5))
        >>> def ours(eom):
        ...     return mb.linearize(eom, {"angle": 0}).poles[0].imag
        >>> frequency = Check("ω", 19.62**0.5, "√(g/l)", 1e-12, ours, "rad/s")
        >>> frequency.run(eom).ok
        True
    """

    what: str
    reference: float
    source: str
    tolerance: float
    compute: Callable[[EquationsOfMotion], float]
    unit: str = ""

    def run(self, eom: EquationsOfMotion) -> CheckResult:
        """Ours beside the reference; a value that is not a number is never right."""
        ours = float(self.compute(eom))
        error = abs(ours - self.reference) / (abs(self.reference) or 1.0)
        ok = error <= self.tolerance
        return CheckResult(self.what, ours, self.reference, error, self.tolerance, ok, self.source, self.unit)
