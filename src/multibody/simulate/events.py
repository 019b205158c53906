"""Events: zero crossings of expressions, and what happens then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.compile import Function
from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.graph import Expr, as_expr, substitute
from multibody.model.sensors.signal import resolved

Reset = Mapping[str, Any] | Callable[..., Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happens when an expression crosses zero.

    Args:
        expression: of coordinates, speeds, time, inputs, parameters and measured values.
        direction: 1 for crossings from below, -1 from above, 0 for both.
        terminal: whether the run ends there.
        reset: new values of coordinates, speeds and inputs by name: numbers, expressions of the state just before, or
            a function of (t, q, u) that returns numbers by name.
        name: for the list of what happened, ``run.occurrences``; by default ``event_1``, ``event_2`` ….

    With neither ``terminal`` nor ``reset`` it is noted, and the run goes on.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("x", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
        >>> turn = mb.Event(slide.coordinate - 1, direction=1, reset={"x_dot": -0.5 * slide.speed}, name="wall")
        >>> run = mb.simulate(mb.derive(cart), duration=2.0, events=[turn])
        >>> [(one.name, round(one.t, 9)) for one in run.occurrences], round(abs(float(run["x"][-1])), 9)
        ([('wall', 1.0)], 0.5)
    """

    expression: Any
    direction: int = 0
    terminal: bool = False
    reset: Reset | None = None
    name: str = ""


class Signals:
    """The events of a run, compiled.

    Args:
        eom: equations of motion.
        events: what to look for.
        inputs: inputs that follow expressions.
    """

    def __init__(self, eom: EquationsOfMotion, events: Sequence[Event], inputs: Mapping[Expr, Expr]) -> None:
        self.eom = eom
        self.events = tuple(events)
        self.expressions = [as_expr(resolved(as_expr(one.expression), eom.kinetics)) for one in self.events]
        self.names = [one.name or f"event_{k + 1}" for k, one in enumerate(self.events)]
        self._resets = [
            _compiled_reset(eom, one, name, inputs) for one, name in zip(self.events, self.names, strict=True)
        ]

    def after(self, k: int, t: float, q: Any, u: Any, r: Any, p: Any) -> dict[str, float]:
        """The new values that event number k sets."""
        reset = self._resets[k]
        return {} if reset is None else reset(t, q, u, r, p)


def _compiled_reset(
    eom: EquationsOfMotion, event: Event, name: str, inputs: Mapping[Expr, Expr]
) -> Callable[..., dict[str, float]] | None:
    if event.reset is None:
        return None
    if callable(event.reset):
        law = event.reset
        return lambda t, q, u, r, p: _checked(eom, dict(law(t, q, u)), name)
    values = {key: as_expr(resolved(as_expr(value), eom.kinetics)) for key, value in event.reset.items()}
    _checked(eom, dict.fromkeys(values, 0.0), name)
    function: Function = eom.function("reset", {"new": substitute(list(values.values()), dict(inputs))})
    return lambda t, q, u, r, p: dict(zip(values, np.atleast_1d(function(t, q, u, r, p)), strict=True))


def _checked(eom: EquationsOfMotion, values: dict[str, float], name: str) -> dict[str, float]:
    known = [one.name for one in (*eom.coordinates, *eom.speeds, *eom.inputs)]
    unknown = [key for key in values if key not in known]
    if unknown:
        raise ModelError(
            f"A reset cannot set {', '.join(map(repr, unknown))}.",
            where=f"event '{name}' of system '{eom.model.name}'",
            remedy=f"There are: {', '.join(known)}.",
        )
    return values
