"""Events: zero crossings of expressions, and what happens then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, free_symbols, substitute
from multibody.graph.names import suggestion
from multibody.graph.node import within
from multibody.model.quantity import finite_value
from multibody.simulation.problem.given_expressions import expression_of

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
        passes: whether the expression may go on through zero after a reset of coordinates or speeds that slows it down.
            Without it, such a reset ends the run with ``Status.EVENTS_ACCUMULATE``: most often it was meant to turn the
            motion round.

    With neither ``terminal`` nor ``reset`` it is noted, and the run goes on. An expression that is beyond zero at the
    start has crossed it before: nothing happens until it comes back. One that touches zero and turns back, to within
    the accuracy of the run, reaches it: that is an event for ``direction=0`` and for the direction it came in.

    A reset, the sample of a controller or a condition may take the expression of another event to zero, or beyond it.
    That event happens at once, before time moves on, and its reset may make others happen. What the reset of an event
    does to its own expression does not make it happen again. A cascade that does not end stops the run with
    ``Status.EVENTS_ACCUMULATE``.

    Events that come sooner and sooner after each other, towards a time that they never pass, end the run with
    ``Status.EVENTS_ACCUMULATE``, and so does a reset that turns an expression back which crosses zero nevertheless. For
    a body that comes to rest use ``Impact``.

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
    passes: bool = False

    def __post_init__(self) -> None:
        where = f"event '{self.name}'" if self.name else "an event"
        if self.direction not in (-1, 0, 1):
            raise ModelError(
                f"{self.direction!r} is not a direction.",
                code="event-direction-invalid",
                where=where,
                remedy="Write 1 for crossings from below, -1 from above, 0 for both.",
            )
        if self.reset is not None and not callable(self.reset) and not isinstance(self.reset, Mapping):
            raise ModelError(
                f"{self.reset!r:.200} is not a reset.",
                code="reset-not-a-mapping",
                where=where,
                remedy="Write reset={'name': value}, or a function of (t, q, u) that returns such a mapping.",
            )


@dataclass(frozen=True, eq=False)
class Touch(Event):
    """The event of a gap that closes. Other than plain events, it counts as happening if it is closed at the start.

    Args:
        gap: its gap.
        rate: of the gap.
        resting: the input that is 1 while the contact rests.
        pushing: the input that is 1 while it pushes.
        rests: whether it ever does.
        row: the derivatives of the rate by the speeds.
        effect: the changes of the speeds by a unit impulse.
        free: acceleration of the gap without forces of contacts.
        band: acceleration of the gap that counts as zero.
        force: while it pushes.
        drift: the part of the rate that does not come from speeds: a stop that moves.
    """

    gap: Expr = ZERO
    rate: Expr = ZERO
    resting: Expr = ZERO
    pushing: Expr = ZERO
    rests: bool = True
    row: tuple[Expr, ...] = ()
    effect: tuple[Expr, ...] = ()
    free: Expr = ZERO
    band: Expr = ZERO
    force: Expr = ZERO
    drift: Expr = ZERO

    @property
    def power(self) -> Expr:
        """What a moving stop does while the contact pushes."""
        return -self.force * self.drift


@dataclass(frozen=True, eq=False)
class ForceSign(Event):
    """The event of a resting contact whose force, or acceleration without force, changes its sign.

    It belongs to the solution of contact forces, and is not listed in ``run.occurrences``.
    """


class Signals:
    """The events of a run, compiled.

    Args:
        eom: equations of motion.
        events: what to look for.
        inputs: inputs that follow expressions.
        laws: names of inputs that follow functions of Python.
    """

    def __init__(
        self, eom: EquationsOfMotion, events: Sequence[Event], inputs: Mapping[Expr, Expr], laws: Iterable[str] = ()
    ) -> None:  # fmt: skip
        self.eom = eom
        self.events = tuple(events)
        self.names = [event.name or f"event_{k + 1}" for k, event in enumerate(self.events)]
        self.expressions = [
            _crossing(eom, event, name) for event, name in zip(self.events, self.names, strict=True)
        ]  # fmt: skip
        led = [*map(str, inputs), *laws]
        self._resets = [
            _compiled_reset(eom, event, name, inputs, led) for event, name in zip(self.events, self.names, strict=True)
        ]

    def after(self, k: int, t: float, q: Any, u: Any, r: Any, p: Any) -> dict[str, float]:
        """The new values that event number k sets."""
        reset = self._resets[k]
        return {} if reset is None else reset(t, q, u, r, p)


def _crossing(eom: EquationsOfMotion, event: Event, name: str) -> Expr:
    """The expression of an event, in terms of the equations."""
    where = f"event '{name}' of a run of '{eom.model.name}'"
    remedy = "Give an expression that crosses zero: x - 0.6 instead of x > 0.6."
    found = expression_of(event.expression, eom, where, remedy)
    if not free_symbols(found):
        raise ModelError(
            f"{found} never changes, and crosses nothing.", code="event-constant", name=name, where=where, remedy=remedy
        )
    return found


def _compiled_reset(
    eom: EquationsOfMotion, event: Event, name: str, inputs: Mapping[Expr, Expr], led: Sequence[str]
) -> Callable[..., dict[str, float]] | None:
    if event.reset is None:
        return None
    if callable(event.reset):
        law = event.reset
        return lambda t, q, u, r, p: _checked(eom, law(t, q, u), name, led)
    where = f"reset of event '{name}' of a run of '{eom.model.name}'"
    remedy = "Give numbers, or expressions of the state just before."
    values = {key: expression_of(value, eom, where, remedy) for key, value in event.reset.items()}
    _checked(eom, dict.fromkeys(values, 0.0), name, led)
    with within(eom.table):
        new = substitute(list(values.values()), dict(inputs))
    function: Function = eom.function("reset", {"new": new})
    return lambda t, q, u, r, p: dict(zip(values, np.atleast_1d(function(t, q, u, r, p)), strict=True))


def _checked(eom: EquationsOfMotion, values: Any, name: str, led: Sequence[str]) -> dict[str, float]:
    """New values by name, if that is what they are; inputs that something else leads cannot be set."""
    where = f"event '{name}' of system '{eom.model.name}'"
    known = [symbol.name for symbol in (*eom.coordinates, *eom.speeds, *eom.inputs)]
    if not isinstance(values, Mapping):
        raise ModelError(
            f"A reset returned {values!r:.200}.",
            code="reset-not-a-mapping",
            name=name,
            where=where,
            remedy="Return {'name': value}, or {}.",
        )
    unknown = [key for key in values if key not in known]
    if unknown:
        raise ModelError(
            f"A reset cannot set {', '.join(map(repr, unknown))}.",
            code="name-unknown",
            names=unknown,
            where=where,
            cause=suggestion(unknown, known),
            remedy=f"There are: {', '.join(known)}.",
        )
    useless = [key for key in values if key in led]
    if useless:
        raise ModelError(
            f"A reset of {', '.join(map(repr, useless))} would have no effect.",
            code="reset-without-effect",
            names=useless,
            where=where,
            cause="In this run the input follows an expression, a table or a function all the time.",
            remedy="Multiply it by another input, a switch, and let the event set that one.",
        )
    return {key: finite_value(value, f"{where}: {key}") for key, value in values.items()}
