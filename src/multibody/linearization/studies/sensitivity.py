"""How steady states and their poles change with what they depend on, exactly.

The state follows a parameter by dw/dp = -(∂F/∂w)⁺·∂F/∂p, and poles by the total derivative of the pencil of small
motions; see ``pencil``. All derivatives are those of the expression graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from multibody.errors import ModelError
from multibody.graph import Symbol
from multibody.linearization.operating_points.point import require_names_of
from multibody.linearization.studies.pencil import Pencil
from multibody.linearization.tolerances import SENSITIVITY_RANK
from multibody.linearization.trim.equilibrium_point import Equilibrium
from multibody.mechanics.assembly.assembly import Vector
from multibody.support.text_tables import TextTable


@dataclass(frozen=True)
class PoleSensitivity:
    """A pole, and its derivatives by name."""

    pole: complex
    derivatives: Mapping[str, complex]

    def __getitem__(self, name: str) -> complex:
        return self.derivatives[name]


@dataclass(frozen=True, eq=False)
class PoleSensitivities(TextTable, Sequence[PoleSensitivity]):
    """The derivatives of all simple poles, one of each conjugate pair; printed, a table."""

    entries: tuple[PoleSensitivity, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, place):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204 - a number or a slice
        return self.entries[place]

    def __iter__(self) -> Iterator[PoleSensitivity]:
        return iter(self.entries)

    def rows(self) -> list[list[str]]:
        """A row for each pole."""
        names = list(self.entries[0].derivatives) if self.entries else []
        cells = [[_written(entry.pole), *(_written(entry[name]) for name in names)] for entry in self.entries]
        return [["pole", *(f"by {name}" for name in names)], *cells]


def pole_sensitivities(steady: Equilibrium, *names: str) -> PoleSensitivities:
    """The exact derivatives of poles by parameters, inputs, or coordinates and speeds that were fixed.

    The steady state moves along: a heavier load hangs lower. A pole that several motions share has no derivative, and
    is left out.

    Args:
        steady: an equilibrium or a steady motion.
        names: of what changes; by default all parameters.

    Example:
        >>> import multibody as mb
        >>> from multibody.linearization.trim.steady_states import equilibrium
        >>> slide = mb.System("slide")
        >>> m, k, d = slide.parameters(m=1.0, k=100.0, d=2.0)
        >>> joint = slide.joint("x", slide.world, slide.body("block", m), "Tx")
        >>> pull, brake = slide.load(mb.JointSpring(joint, k)), slide.load(mb.JointDamper(joint, d))
        >>> print(pole_sensitivities(equilibrium(mb.derive(slide)), "k", "d"))
        pole         by k          by d
        -1+9.94987i  0+0.0502519i  -0.5-0.0502519i
    """
    if not isinstance(steady, Equilibrium):
        raise ModelError(
            f"A {type(steady).__name__} is not an equilibrium or a steady motion.",
            code="equilibrium-expected",
            where="pole_sensitivities",
            remedy="Write pole_sensitivities(mb.equilibrium(eom, …), …).",
            kind=type(steady).__name__,
        )
    symbols = _changing(steady, names)
    pencil = Pencil(steady)
    ways = [steady_derivative(steady, symbol) for symbol in symbols]
    poles = [complex(s) for s in steady.poles if s.imag >= 0]
    found = [(pole, pencil.derivatives(pole, ways)) for pole in poles]
    labels = [symbol.name for symbol in symbols]
    return PoleSensitivities(
        tuple(
            PoleSensitivity(pole, dict(zip(labels, changes, strict=True)))
            for pole, changes in found
            if changes is not None
        )
    )


def steady_derivative(steady: Equilibrium, by: Symbol) -> Vector:
    """dw/d(by): how all numbers of a steady state change with one that was given."""
    equations, w = steady.equations, steady.w
    slopes, cause = equations.slopes.dense(w), equations.slopes_by([by]).dense(w)[:, 0]
    scale = np.abs(slopes).max(axis=1, initial=0.0)
    scale = np.where(scale > 0, scale, 1.0)
    change = np.zeros(len(w))
    change[equations.symbols.index(by)] = 1.0
    change[equations.free] = -np.linalg.lstsq(slopes / scale[:, None], cause / scale, rcond=SENSITIVITY_RANK)[0]
    return change


def _changing(steady: Equilibrium, names: Sequence[str]) -> list[Symbol]:
    """The symbols by which poles are differentiated: anything that was not looked for."""
    eom, equations = steady.eom, steady.equations
    known = (*eom.parameters, *eom.inputs, *eom.coordinates, *eom.speeds)
    given = {
        symbol.name: symbol for symbol in known if symbol not in equations.unknown and symbol not in equations.formulas
    }
    require_names_of(eom.model, "fixed quantity", names, given)
    return (
        [given[name] for name in names]
        if names
        else [parameter for parameter in eom.parameters if parameter.name in given]
    )


def _written(number: complex) -> str:
    dust = 1e-12 * abs(number)
    real, imag = (0.0 if abs(part) <= dust else part for part in (number.real, number.imag))
    return f"{real:.6g}{imag:+.6g}i" if imag else f"{real:.6g}"
