"""The program of an FMU: the usual routines, gaps of constraints, and derivatives in any direction.

A direction is given by seeds, one for each of time, states, inputs and parameters. They stand behind the inputs in the
array r, so that routines keep their arguments (t, q, u, r, p).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

from multibody.codegen.parameter_formulas import in_order
from multibody.codegen.program import Program
from multibody.codegen.program_data import Result, Routine, ScalarVariable
from multibody.equations.projection import correction
from multibody.graph import Expr, isolated, substitute, symbol, topological
from multibody.graph.derivative import directional
from multibody.graph.traverse import flat


@dataclass(frozen=True, eq=False)
class Differentiated(Program):
    """A program whose inputs are followed by seeds."""

    @staticmethod
    def from_program(program: Program) -> Differentiated:
        """The same equations, ready for derivatives."""
        return Differentiated(program.eom, program.parameters, program.coordinates, program.speeds)

    @property
    def arguments(self) -> dict[str, tuple[ScalarVariable, ...]]:
        """The arrays q, u, r and p, with the seeds behind the inputs."""
        given = super().arguments
        return given | {"r": given["r"] + self.seeds}

    @cached_property
    def knowns(self) -> tuple[Any, ...]:
        """What derivatives are taken by: time, states, inputs, parameters."""
        groups = (*self.states, *self.inputs, *self.parameters)
        return (self.eom.model.time, *(quantity.symbol for quantity in groups))

    @cached_property
    def seeds(self) -> tuple[ScalarVariable, ...]:
        """How fast each known changes; then 1 for each parameter that follows its formula, and 0 if it was given."""
        taken = {known.name for known in self.knowns}
        names = (name for name in (f"seed_{k}" for k in count()) if name not in taken)
        wanted = (*self.knowns, *in_order(self.parameters))
        made = [symbol(name, "variable", "seeds") for name, _ in zip(names, wanted, strict=False)]
        return tuple(ScalarVariable(seed.name, symbol=seed) for seed in made)

    # what an FMU computes ----------------------------------------------------------------------------------------

    @cached_property
    def rate_values(self) -> list[Expr]:
        """The rates of all states."""
        return [*self.eom.rates, *self.eom.acceleration]

    @cached_property
    def output_values(self) -> list[Expr]:
        """What sensors measure, then the constraint forces, as functions of (t, q, u, r, p)."""
        with isolated(*self._nodes(self.rate_values)):
            values = [entry for value in self.eom.outputs.values() for entry in flat(value)]
            return [*flat(substitute(values, self.solved) if values else []), *self.eom.multiplier_values]

    @cached_property
    def rates(self) -> Routine:
        """The rates of all states."""
        return Routine("rates", "rates of coordinates and speeds", self.routine("state_rate").results)

    @cached_property
    def measured(self) -> Routine:
        """Outputs and constraint forces."""
        names = [output.name for output in (*self.outputs, *self.multipliers)]
        return Routine(
            "outputs", "sensors and constraint forces", (Result.of("outputs", self.output_values, "", names),)
        )

    @cached_property
    def closing(self) -> Routine:
        """A state nearer to the constraints, and how far this one is off; nothing if there is nothing to keep."""
        with isolated(*self._nodes(self.rate_values)):
            found = correction(self.eom)
        parts = {} if found is None else {"q_new": found.q, "u_new": found.u, "gaps": found.gaps}
        results = tuple(Result.of(name, values) for name, values in parts.items())
        return Routine("closing", "one step back onto the constraints, and the gaps before it", results)

    @cached_property
    def starting(self) -> Routine:
        """What start values must fulfil, and derivatives of it."""
        return replace(self.routine("closure"), name="starting")

    @cached_property
    def along(self) -> Routine:
        """Derivatives of rates and outputs in the direction of the seeds."""
        values = [*self.rate_values, *self.output_values]
        direction: dict[Expr, Any] = dict(zip(self.knowns, (seed.symbol for seed in self.seeds), strict=False))
        with isolated(*self._nodes(values)):
            for follows, (_, parameter) in zip(self.seeds[len(self.knowns) :], in_order(self.parameters), strict=True):
                assert parameter.symbol is not None
                direction[parameter.symbol] += follows.symbol * flat(directional([parameter.formula], direction))[0]
            slopes = flat(directional(values, direction)) if values else []
        n = len(self.rate_values)
        results = (Result.of("d_rates", slopes[:n]), Result.of("d_outputs", slopes[n:]))
        return Routine("along", "derivatives of rates and outputs in the direction of the seeds", results)

    def _nodes(self, values: Iterable[Expr]) -> list[Any]:
        return topological(list(values))
