"""Equations to read: closed forms of everything, as text, LaTeX and SymPy matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from multibody.equations.contract import MotionEquations
from multibody.graph import Expr, array, closed_form_report, listing, to_latex, to_sympy, topological
from multibody.graph.linear_algebra import Matrix
from multibody.graph.sympy.system import ConstrainedForm, symbolic_system
from multibody.support.text_tables import counted

SECONDS = 4.0
"""Time limit of the search for closed forms, on an ordinary machine."""

PRINT_SECONDS = 0.7
"""The same where equations are printed: ``print(eom)`` returns within a second."""

NODES = 6000
"""Larger equations are printed with named intermediates, without a search."""


class SympyEquations(Protocol):
    """A ``SymbolicSystem`` of SymPy's mechanics package that has the matrices of the contract as attributes, too.

    They are M·u̇ + h = f + Bᵀ·λ with q̇ = rates, and u̇ as explicit accelerations. The ``SymbolicSystem`` holds q̇ beside
    M·u̇ = f - h; where there are constraints, both explicitly, and the constraints beside it: ``from_sympy`` reads them.
    """

    q: Any
    u: Any
    rates: Any
    M: Any
    h: Any
    f: Any
    acceleration: Any
    phi: Any
    B: Any
    gamma: Any
    multipliers: Any

    def __getattr__(self, name: str) -> Any:
        """What SymPy's class has."""


@dataclass(frozen=True, eq=False)
class ReadableEquations:
    """Closed forms of equations of motion; entries for which a limit was reached are as they were.

    Attributes:
        equations: what they belong to.
        M, h, f, rates, acceleration, phi, B, gamma: as in the contract.
        stopped_by: the limit at which the search for closed forms stopped; empty if it found all of them.
    """

    equations: MotionEquations
    M: Matrix
    h: Matrix
    f: Matrix
    rates: Matrix
    acceleration: Matrix
    phi: Matrix
    B: Matrix
    gamma: Matrix
    stopped_by: str = ""

    @property
    def complete(self) -> bool:
        """Whether a closed form was found for everything within the limits."""
        return not self.stopped_by

    def to_sympy(self) -> SympyEquations:
        """All of it as a ``SymbolicSystem`` with more matrices; coordinates and speeds are functions of time."""
        eom = self.equations
        columns = [eom.coordinates, eom.speeds, self.rates]
        q, u, rates = (to_sympy(_column(part)) for part in columns)
        M, B = to_sympy(self.M), to_sympy(self.B)
        h, f, acceleration, phi, gamma, forces = (
            to_sympy(_column(part))
            for part in (self.h, self.f, self.acceleration, self.phi, self.gamma, eom.multipliers)
        )
        constraints = {name: to_sympy(equation) for name, equation in eom.constraints.written.items()}
        motion = ConstrainedForm(M, f - h, constraints, tuple(tuple(group) for group in eom.model.quaternions))
        made: SympyEquations = symbolic_system(q, u, rates, acceleration, None if len(forces) else (M, f - h), motion)
        made.q, made.u, made.rates, made.M, made.h, made.f = q, u, rates, M, h, f
        made.acceleration, made.phi, made.B, made.gamma, made.multipliers = acceleration, phi, B, gamma, forces
        return made

    def to_latex(self) -> str:
        r"""An ``aligned`` block: kinematics, M, h, f, constraints, and the explicit accelerations."""
        eom = self.equations
        lines = [rf"\dot{{q}} &= {to_latex(_column(self.rates))}"]
        lines += [rf"M &= {to_latex(self.M)}", rf"h &= {to_latex(_column(self.h))}"]
        lines += [rf"f &= {to_latex(_column(self.f))}"]
        if len(eom.constraints):
            lines += [rf"B &= {to_latex(self.B)}", rf"\gamma &= {to_latex(_column(self.gamma))}"]
        lines += [rf"\dot{{u}} &= {to_latex(_column(self.acceleration))}"]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def __str__(self) -> str:
        eom = self.equations
        named: dict[str, Expr] = {f"d/dt {q}": rate for q, rate in zip(eom.coordinates, self.rates, strict=True)}
        named |= {f"d/dt {u}": a for u, a in zip(eom.speeds, self.acceleration, strict=True)}
        head = f"{eom.model.name}: {counted(len(eom.speeds), 'speed')}, by {eom.formalism}"
        note = [f"not all in closed form: {self.stopped_by}"] if self.stopped_by else []
        return "\n".join([head, *(f"  {line}" for line in [*listing(named).splitlines(), *note])])


def readable(eom: MotionEquations, seconds: float = SECONDS, size: int = 2000) -> ReadableEquations:
    """Closed forms of all parts, the short ones first; see ``EquationsOfMotion.readable``."""
    parts = {
        "rates": array(list(eom.rates)), "M": eom.M, "f": eom.f, "h": eom.h, "phi": eom.phi, "B": eom.B,
        "gamma": eom.gamma, "acceleration": array(list(eom.acceleration)),
    }  # fmt: skip
    entries = [entry for part in parts.values() for entry in part.flat]
    if (nodes := len(topological(entries))) > NODES:
        return ReadableEquations(eom, **parts, stopped_by=f"{nodes:,} operations, searched up to {NODES:,}")
    report = closed_form_report(entries, seconds=seconds, size=size)
    found, done = iter(report.value), all(report.complete)
    closed = {name: _like(part, [next(found) for _ in range(part.size)]) for name, part in parts.items()}
    limit = "" if done else f"limits of {seconds:g} s and {size:,} terms, see eom.readable(seconds=…, size=…)"
    return ReadableEquations(eom, **closed, stopped_by=limit)


def _like(part: Matrix, entries: list[Expr]) -> Matrix:
    return array(entries).reshape(part.shape) if entries else part


def _column(entries: Any) -> list[list[Expr]]:
    return [[entry] for entry in entries]
