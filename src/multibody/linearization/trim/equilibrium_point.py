"""Equilibria and steady motions that were found: their numbers, forces, linear systems and stability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MultibodyError
from multibody.graph import Symbol
from multibody.linearization.derivatives.signals import input_places, output_signals
from multibody.linearization.operating_points.point import OperatingPoint, by_name, place
from multibody.linearization.spectra.stability import Stability
from multibody.linearization.state_space.linearized_system import LinearizedSystem
from multibody.linearization.state_space.linearizer import Linearizer
from multibody.linearization.tolerances import EQUAL_VALUES
from multibody.linearization.trim.steady_equations import SteadyEquations
from multibody.linearization.trim.steady_motion import goes_on, stays_same
from multibody.mechanics.assembly.assembly import Vector
from multibody.support.text_tables import TextTable, aligned, html_text


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """An equilibrium or a steady motion; ``found["name"]`` gives a coordinate, a speed, an input or a parameter.

    Attributes:
        equations: what it is a solution of.
        w: the solution.
        residual: the largest of the equations that should be zero, in its own unit.
        freedom: in how many directions equilibria go on from here; 0 if it is the only one nearby.
        doubt: how far it may be from the exact solution, by symbol, where that is more than rounding.
    """

    equations: SteadyEquations
    w: Vector
    residual: float
    freedom: int
    doubt: Mapping[Symbol, float] = field(default_factory=dict)

    @cached_property
    def point(self) -> OperatingPoint:
        """All its numbers."""
        return self.equations.point(self.w)

    @property
    def eom(self) -> EquationsOfMotion:
        """The equations of motion."""
        return self.equations.eom

    def __getitem__(self, name: str) -> float:
        forces = self.multipliers
        return forces[name] if name in forces else self.point[name]

    @property
    def state(self) -> dict[str, float]:
        """Coordinates and speeds by name."""
        symbols = (*self.eom.coordinates, *self.eom.speeds)
        numbers = (*self.point.q, *self.point.u)
        return {symbol.name: float(value) for symbol, value in zip(symbols, numbers, strict=True)}

    @property
    def inputs(self) -> dict[str, float]:
        """Inputs by name; ``simulate(eom, …, inputs=found.inputs)``."""
        return by_name(self.eom.inputs, self.point.r)

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters by name."""
        return by_name(self.eom.parameters, self.point.p)

    @property
    def multipliers(self) -> dict[str, float]:
        """Constraint forces by name; where constraints are redundant, they share their forces."""
        return by_name(self.eom.multipliers, self.point.multipliers)

    @cached_property
    def linear(self) -> LinearizedSystem:
        """The linear system near it."""
        eom, moving = self.eom, [symbol.name for symbol in self.equations.moving]
        found = Linearizer.of(eom, output_signals(eom, None))
        system = found.at(place(eom, self), input_places(eom, None), moving=moving)
        return replace(system, goes_on=lambda: self._goes_on, lasting=lambda _: self._lasting)

    @property
    def poles(self) -> Any:
        """The poles of small motions around it, those that grow fastest first."""
        return self.linear.poles

    @property
    def stability(self) -> Stability:
        """What the poles say, as ``LinearSystem.stability`` does: stable, marginal, unstable or undecided.

        Undecided too where poles mean nothing, because the linear system changes along the motion: a shaft that is
        stiffer in one direction, seen from where it does not turn; a quaternion that turns; a support that shakes. And
        where there is no linear system: at a kink of a law, or at a dead point, where constraints are singular.
        """
        try:
            return self.linear.stability
        except MultibodyError:
            return "undecided"

    @cached_property
    def lasts(self) -> bool | None:
        """Whether the state stays steady as the motion goes on and time goes by, or is so for an instant only.

        True only if time has no part in the equations at this state. None where that is not decided: a force follows
        time, and no change was seen at any time looked at; or equations switch along the motion.

        Speeds of a ball joint belong to the axes of the body: of a top that turns about its axis and about another one,
        they change even though it moves steadily. Use angles for it, such as a joint ``["Rz", "Rx", "Rz"]``.
        """
        return goes_on(self.equations, self.w)

    @property
    def _goes_on(self) -> bool | None:
        try:
            return self.lasts
        except MultibodyError:
            return None

    @cached_property
    def _lasting(self) -> bool:
        """Whether state and linear system stay what they are as the motion goes on and time goes by, for sure."""
        try:
            return self.lasts is True and stays_same(self.equations, self.w, self.linear) is True
        except MultibodyError:
            return False

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        eom, looked_for = self.eom, {symbol.name for symbol in self.equations.unknown}
        shown = {**self.state, **{n: v for n, v in {**self.inputs, **self.parameters}.items() if n in looked_for}}
        rows = [[name, f"{value:.9g}"] for name, value in {**shown, **self.multipliers}.items()]
        kind = "steady motion" if self.equations.moving else "equilibrium"
        head = f"{eom.model.name}: {kind}{self._duration}, {self.stability}"
        return "\n".join([head, *(f"  {line}" for line in aligned(rows).splitlines())])

    @property
    def _duration(self) -> str:
        """How long it lasts, in words; nothing if it does so for good."""
        try:
            return {True: "", False: " for an instant only", None: " for an unknown time"}[self.lasts]
        except MultibodyError:
            return " for an unknown time"


@dataclass(frozen=True, eq=False)
class Equilibria(TextTable, Sequence[Equilibrium]):
    """Several equilibria, the nearest to the start first, those in other assemblies last; printed, a table."""

    found: tuple[Equilibrium, ...]

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, place: Any) -> Any:
        return self.found[place]

    def rows(self) -> list[list[str]]:
        """The unknowns that differ from one to another, with stability and fastest growth."""
        names = [symbol.name for symbol in self.found[0].equations.unknown]
        differing = [name for name in names if _differ([equilibrium[name] for equilibrium in self.found])] or names
        cells = [
            [*(f"{equilibrium[name]:.6g}" for name in differing), equilibrium.stability, _growth(equilibrium)]
            for equilibrium in self.found
        ]
        head = [*differing, "stability", "growth [1/s]"]
        own = self.found[0].eom
        if all(equilibrium.eom is own for equilibrium in self.found):
            return [head, *cells]
        assembly = ["closed form" if equilibrium.eom is own else "another" for equilibrium in self.found]
        return [[*head, "assembly"], *([*row, cell] for row, cell in zip(cells, assembly, strict=True))]


def _differ(values: list[float]) -> bool:
    return bool(np.ptp(values) > EQUAL_VALUES * np.abs(values).max())


def _growth(one: Equilibrium) -> str:
    if one.stability == "undecided":
        return ""
    return "0" if one.stability == "marginal" else f"{float(np.asarray(one.poles).real.max(initial=-np.inf)):.6g}"
