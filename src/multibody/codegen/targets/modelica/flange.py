"""Flanges: a force and the displacement that it works along, as one connector of the Modelica Standard Library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from multibody.codegen.program import Program
from multibody.codegen.start_equations import SOME
from multibody.codegen.targets.modelica.units import modelica_unit
from multibody.equations.power import powers
from multibody.errors import ConversionError, UnknownNameError
from multibody.graph import ZERO, Expr, evaluate, gradient, time_derivative
from multibody.graph.names import check, suggestion
from multibody.graph.traverse import flat

SAMPLES = 40
"""States at which the power of a flange is looked at."""

_KINDS = {"translational": ("Translational", "f", "s"), "rotational": ("Rotational", "tau", "phi")}
_UNITS = {"N": "translational", "m": "translational", "mm": "translational"}
_UNITS |= dict.fromkeys(["N.m", "rad", "deg"], "rotational")


@dataclass(frozen=True)
class Flange:
    """A connector of ``Modelica.Mechanics``, through which other components push or turn the system.

    The power that goes through it is that of the input: force times the rate of the displacement. This is checked when
    the model is written, and a force that works against its displacement gets the opposite sign.

    Args:
        name: of the connector.
        force: the input that is the flange's force, or its torque.
        along: the coordinate or the scalar output that is its displacement, or its angle.
        kind: which sort of flange it is.
    """

    name: str
    force: str
    along: str
    kind: Literal["translational", "rotational"] = "translational"

    def __post_init__(self) -> None:
        check(self.name, "flange")
        if self.kind not in _KINDS:
            raise ConversionError(
                f"{self.kind!r:.80} is not a kind of flange.",
                where=f"flange '{self.name}'",
                remedy=f"There are: {', '.join(_KINDS)}.",
                code="flange-kind-unknown",
                name=self.name,
                value=f"{self.kind!r:.80}",
            )

    def words(self) -> str:
        """What goes through the connector."""
        force, along = ("force", "displacement") if self.kind == "translational" else ("torque", "angle")
        return f"the {force} {self.force} and the {along} {self.along}"

    def declaration(self, name: str) -> str:
        """The connector under a name that Modelica allows."""
        return f"Modelica.Mechanics.{_KINDS[self.kind][0]}.Interfaces.Flange_b {name};"

    def equations(self, program: Program, name: str, spelled: Mapping[str, str]) -> list[str]:
        """What the connector's two variables are.

        Args:
            program: what is written.
            name: of the connector, as Modelica spells it.
            spelled: inputs, coordinates and outputs likewise.
        """
        _, flow, potential = _KINDS[self.kind]
        sign = "-" if self._sign(program) < 0 else ""
        return [f"{name}.{flow} = {sign}{spelled[self.force]};", f"{name}.{potential} = {spelled[self.along]};"]

    def _sign(self, program: Program) -> int:
        """Whether the force pushes along its displacement, by the principle of virtual power; +1 or -1."""
        eom = program.eom
        force = _found(self, "input", self.force, {quantity.name: quantity for quantity in eom.inputs})
        along = _found(self, "coordinate or scalar output", self.along, displacements(program))
        flow: dict[Expr, Expr] = dict.fromkeys(eom.inputs, ZERO)
        flow |= eom.model.flow(eom.model.accelerations)
        rate, effect = time_derivative(along, flow), gradient(powers(eom).inputs, [force])[0]
        rates, effects = _sampled(program, rate, effect)
        for sign in (1, -1):
            if len(rates) and np.allclose(effects, sign * rates, rtol=1e-9, atol=1e-12):
                self._require_kind(program)
                return sign
        raise ConversionError(
            f"The input '{self.force}' does not work along '{self.along}'.",
            where=f"flange '{self.name}'",
            cause="The power of the input is not the product of the two.",
            remedy="Name an output that measures the displacement, or the angle, that the load acts along.",
            code="flange-without-power",
            name=self.name,
            names=(self.force, self.along),
        )

    def _require_kind(self, program: Program) -> None:
        """An error if units say that the flange is of the other kind; units that are not known say nothing."""
        units = {
            quantity.name: modelica_unit(quantity.unit)
            for quantity in (*program.inputs, *program.coordinates, *program.outputs)
        }
        for name in (self.force, self.along):
            if units[name] in _UNITS and _UNITS[units[name]] != self.kind:
                raise ConversionError(
                    f"A {self.kind} flange cannot have '{name}', which is in {units[name]}.",
                    where=f"flange '{self.name}'",
                    remedy=f'Write kind="{_UNITS[units[name]]}".',
                    code="flange-unit-wrong",
                    name=name,
                    value=units[name],
                )


def _sampled(program: Program, *values: Expr) -> NDArray[np.float64]:
    """Expressions at random states, as far as they have values there; there may be no proof: |x|/x is sign x."""
    rng, eom = np.random.default_rng(0), program.eom
    known: dict[Any, Any] = {
        variable.symbol: variable.value for group in program.arguments.values() for variable in group
    }
    known |= {parameter.symbol: SOME for parameter in program.parameters if isnan(parameter.value)}
    found = []
    for _ in range(SAMPLES):
        q = np.array([coordinate.value for coordinate in program.coordinates]) + rng.uniform(
            -2, 2, len(program.coordinates)
        )
        for places in eom.model.quaternions:
            q[places] /= np.linalg.norm(q[places])
        moving = [*eom.speeds, *eom.model.accelerations, eom.model.time]
        known |= dict(zip([*eom.coordinates, *moving], [*q, *rng.normal(size=len(moving))], strict=True))
        with np.errstate(all="ignore"):
            found.append(evaluate(list(values), known))
    table = np.array(found, dtype=float)
    return table[np.isfinite(table).all(axis=1)].T.reshape(len(values), -1)


def displacements(program: Program) -> dict[str, Expr]:
    """Coordinates and scalar outputs, by name."""
    values = [entry for value in program.eom.outputs.values() for entry in flat(value)]
    outputs = {output.name: value for output, value in zip(program.outputs, values, strict=True)}
    return {coordinate.name: coordinate for coordinate in program.eom.coordinates} | outputs


def _found(flange: Flange, what: str, name: str, known: dict[str, Expr]) -> Expr:
    if name not in known:
        raise UnknownNameError(
            f"There is no {what} '{name}'.",
            where=f"flange '{flange.name}'",
            cause=suggestion([name], known),
            remedy=f"There are: {', '.join(known) or 'none'}.",
        )
    return known[name]
