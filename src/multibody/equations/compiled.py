"""Equations of motion as compiled functions of (t, q, u, r, p); see ``equations``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from multibody.equations.contract import MotionEquations
from multibody.equations.expressions import EquationExpressions
from multibody.equations.robust import RobustDynamics
from multibody.equations.singularity import may_lose_inertia
from multibody.equations.tolerances import INVISIBLE_FACTOR, ROUNDED_PIVOT
from multibody.graph import (
    ONE,
    ZERO,
    Expr,
    Symbol,
    array,
    atan2,
    cos,
    free_symbols,
    isolated,
    product,
    sin,
    sqrt,
    substitute,
    topological,
)
from multibody.graph.traverse import flat
from multibody.graph.workspace import in_own_table

if TYPE_CHECKING:
    from multibody.compiler import Function


def continuous_angle(angle: Expr, reference: Expr) -> Expr:
    """The angle atan2(y, x) next to a reference, without a jump within π of it."""
    y, x = angle.args
    c, s = cos(reference), sin(reference)
    return reference + atan2(y * c - x * s, x * c + y * s)


@in_own_table
class CompiledEquations(EquationExpressions):
    """Equations of motion that can be evaluated."""

    @property
    def may_become_singular(self) -> bool:
        """Whether the accelerations fail where constraints become dependent, or independent speeds do."""
        return self.regularity is not ONE or bool(self.independent)

    @property
    def may_be_undetermined(self) -> bool:
        """Whether there may be positions in which the accelerations do not follow from the equations."""
        return self.may_become_singular or not self.constraints.always_independent

    @property
    def _ports(self) -> dict[str, Any]:
        return {
            "t": self.model.time,
            "q": self.coordinates,
            "u": self.speeds,
            "r": self.inputs,
            "p": self.parameters,
        }

    def function(
        self, name: str, outputs: Mapping[str, Any], *, with_acceleration: bool = False,
        more_inputs: Sequence[Symbol] = (),
    ) -> Function:  # fmt: skip
        """Any expressions of (t, q, u, r, p) as a compiled function; u̇ may be an input of its own, or is put in.

        Args:
            name: of the function.
            outputs: expressions by name.
            with_acceleration: whether u̇ is an input.
            more_inputs: symbols that follow the inputs in r.
        """
        from multibody.compiler import Function  # late: expressions are made and read without a compiler

        ports = {**self._ports, "r": (*self.inputs, *more_inputs)}
        known: dict[Expr, Any] = dict(zip(self.multipliers, self._guarded(self.multiplier_values), strict=True))
        if with_acceleration:
            ports = {**ports, "a": self.model.accelerations}
        else:
            known |= dict(zip(self.model.accelerations, self._guarded(self.acceleration), strict=True))
        nodes = topological([expression for value in outputs.values() for expression in flat(value)])
        if not known.keys().isdisjoint(nodes):
            with isolated(*nodes, *topological(known.values())):
                outputs = {key: substitute(value, known) for key, value in outputs.items()}
        if self.angles:
            outputs = {key: self.with_continuous_angles(value) for key, value in outputs.items()}
        return Function(f"{self.model.name}_{name}", ports, outputs)

    def with_continuous_angles(self, expressions: Any) -> Any:
        """Expressions in which angles of dependent joints are measured from their references.

        ``function`` does this by itself; what is compiled from these equations in any other way has to call it.
        """
        if not self.angles:
            return expressions
        nodes = [node for node in topological(flat(expressions)) if node.op == "atan2" and node.fp in self.angles]
        with isolated(*topological([*flat(expressions), *self.angles.values()])):
            return substitute(expressions, {node: continuous_angle(node, self.angles[node.fp]) for node in nodes})

    def _guarded(self, expressions: Iterable[Expr]) -> list[Expr]:
        """The same expressions, which are NaN where the regularity is nothing but rounding."""
        if self.regularity is ONE:
            return list(expressions)
        given = list(expressions)
        with isolated(*topological([*given, self.regularity])):
            mark = INVISIBLE_FACTOR * sqrt(self.regularity - ROUNDED_PIVOT)
            return [component if component is ZERO else component + mark for component in given]

    @cached_property
    def forward_dynamics(self) -> Function:
        """(t, q, u, r, p) → u̇.

        An angle of a joint that follows from others, or that closes a loop, is its principal value between -π and π;
        in a run it is continuous. Where constraints are not independent of each other, or axes of hinges line up
        (gimbal lock), a call for one state raises ``SingularMatrixError``, and ``batch`` has NaN for this state; what
        ``bind`` and ``block`` make does not check.
        """
        outputs = {"acceleration": list(self.model.accelerations)}
        return self._checked("forward_dynamics", self.function("forward_dynamics", outputs))

    @cached_property
    def inverse_dynamics(self) -> Function:
        """(t, q, u, r, p, a) → M·a + h - f: what must be added to the loads for the speeds to change at the rates a.

        Where there are constraints, it is the sum of what is added and of the constraint forces Bᵀ·λ.
        """
        return self.function("inverse_dynamics", {"force": self.kinetics.residual()}, with_acceleration=True)

    @cached_property
    def mass_matrix(self) -> Function:
        """(t, q, u, r, p) → M."""
        return self.function("mass_matrix", {"mass": self.M})

    @cached_property
    def bias(self) -> Function:
        """(t, q, u, r, p) → h - f."""
        return self.function("bias", {"bias": self.h - self.f})

    @cached_property
    def constraint_forces(self) -> Function:
        """(t, q, u, r, p) → λ; see ``forward_dynamics``."""
        outputs = {"multipliers": list(self.multipliers)}
        return self._checked("constraint_forces", self.function("constraint_forces", outputs))

    def _checked(
        self, name: str, function: Function, outputs: Sequence[int] | None = None, *, partial: bool = False
    ) -> Function:
        """A function that raises an error, or returns NaN, where accelerations and forces are not determined.

        Args:
            name: of the function among those of the equations.
            function: without checks.
            outputs: numbers of the outputs that follow from accelerations or forces; by default all.
            partial: whether the other outputs are wanted where these are not determined.
        """
        from multibody.equations.forward_dynamics import CheckedMotion  # late, because it needs the compiler

        locks = not self.independent and may_lose_inertia(self.model)
        if not self.may_be_undetermined and not locks:
            return function
        eom = cast("MotionEquations", self)
        return CheckedMotion(eom, name, function, locks=locks, outputs=outputs, partial=partial)

    @cached_property
    def robust_dynamics(self) -> RobustDynamics:
        """(t, q, u, r, p) → u̇, λ by numbers, also where equations are redundant or the configuration is singular."""
        return RobustDynamics(cast("MotionEquations", self))

    @cached_property
    def constraint_residuals(self) -> Function:
        """(t, q, u, r, p) → φ, B·u + β and B·u̇ + γ: zero for a motion that keeps the constraints."""
        acceleration = (
            product(self.B, array(list(self.model.accelerations))) + self.gamma if len(self.constraints) else []
        )
        levels = {"position": self.phi, "velocity": self.constraints.velocity, "acceleration": acceleration}
        return self.function("constraint_residuals", levels)

    @cached_property
    def sensors(self) -> Function:
        """(t, q, u, r, p) → all outputs; a sensor that is called as a port is, such as ``q``, has the port ``q_``.

        Where accelerations and constraint forces are not determined, those that follow from them are NaN.
        """
        found = self.function("sensors", _beside(self._ports, self.outputs))
        caused = {*self.model.accelerations, *self.multipliers}
        following = [
            k for k, value in enumerate(self.outputs.values()) if not caused.isdisjoint(free_symbols(list(flat(value))))
        ]
        return self._checked("sensors", found, following, partial=True) if following else found

    @cached_property
    def state_rate(self) -> Function:
        """(t, q, u, r, p) → q̇ and u̇; see ``forward_dynamics``."""
        outputs = {"q_dot": list(self.rates), "u_dot": list(self.model.accelerations)}
        return self._checked("state_rate", self.function("state_rate", outputs), [1])


def _beside(ports: Mapping[str, Any], outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Outputs under names that no input port has."""
    named: dict[str, Any] = {}
    for name, value in outputs.items():
        port = name
        while port in ports or (port != name and port in outputs):
            port += "_"
        named[port] = value
    return named
