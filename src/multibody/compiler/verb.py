"""``compile``: from equations of motion to a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from multibody.compiler.function import Function
from multibody.errors import CompileError


class Equations(Protocol):
    """What equations of motion know about functions; the package ``equations`` provides them."""

    @property
    def state_rate(self) -> Function:
        """(t, q, u, r, p) → q̇ and u̇."""

    def function(self, name: str, outputs: Mapping[str, Any]) -> Function:
        """Any expressions of (t, q, u, r, p)."""


def compile(equations: Equations, outputs: Mapping[str, Any] | None = None) -> Function:
    """Equations of motion as a function of (t, q, u, r, p); the function ``multibody.compile``.

    A function has no memory: the angle of a joint that follows from others, or that closes a loop, is its principal
    value between -π and π, also in loads. In a run it is continuous.

    Args:
        equations: equations of motion.
        outputs: expressions by name; by default the rates q̇ and u̇, as ``q_dot`` and ``u_dot``.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> eom = mb.derive(pendulum)
        >>> mb.compile(eom)(0.0, [0.0], [2.0], [], []).q_dot
        array([2.])
        >>> mb.compile(eom, {"energy": eom.kinetic_energy})(0.0, [0.0], [2.0], [], [])
        4.0
    """
    if not (hasattr(equations, "state_rate") and hasattr(equations, "function")):
        raise CompileError(
            f"A {type(equations).__name__} is not equations of motion.",
            code="value-not-equations",
            where="compile",
            remedy="Derive them first: compile(derive(system)). Expressions have Function(name, inputs, outputs).",
            value=type(equations).__name__,
        )
    return equations.state_rate if outputs is None else equations.function("outputs", outputs)
