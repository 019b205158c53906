"""Unilateral contacts: impacts with restitution, and rest.

An impact with a gap g(q, t) changes the speeds by an impulse along B_g = ∂ġ/∂u, so that the gap opens with e times the
speed at which it closed: u⁺ = u⁻ - (1 + e)·s·ġ⁻ with s = M⁻¹·B_gᵀ·(B_g·M⁻¹·B_gᵀ)⁻¹, within all constraints. A rebound
that is too slow to matter ends in rest: from then on the contact pushes just as much as keeps the gap from closing,
u̇ = u̇_free + s·max(0, -g̈_free), until something pulls it open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from multibody.equations import EquationsOfMotion, Multipliers
from multibody.errors import ModelError, NumberError
from multibody.graph import (
    ONE,
    ZERO,
    Expr,
    absolute,
    array,
    as_expr,
    is_zero,
    jacobian,
    less,
    maximum,
    symbol,
    time_derivative,
    where,
)  # fmt: skip
from multibody.graph.names import check
from multibody.graph.node import within
from multibody.model import Input
from multibody.model.quantity import finite_value
from multibody.simulate.events import Event, Touch
from multibody.simulate.questions import expression_of

LIFT = 1e-9  # a gap of so many metres means that a resting contact is open again


@dataclass(frozen=True, eq=False)
class Impact:
    """A unilateral contact without friction: when the gap closes, an impulse opens it again.

    The impulse acts on all speeds, within all constraints. The energy that it takes counts as dissipated. While the
    contact rests, ``run["name_rests"]`` is 1.

    Args:
        gap: an expression that is positive while there is no contact.
        restitution: speed after over speed before the impact, between 0 and 1.
        rest: a speed after the impact that counts as none; from then on the contact holds, until something pulls it
            open. With 0 it never rests.
        name: for the list of what happened, ``run.occurrences``; unique.

    Example:
        >>> import multibody as mb
        >>> ball = mb.System("ball", gravity=(0, 0, -9.81))
        >>> fall = ball.joint("z", ball.world, ball.body("rubber", mass=1), "Tz", q=1.0)
        >>> floor = mb.Impact(fall.coordinate, restitution=0.5, rest=1e-3, name="floor")
        >>> run = mb.simulate(mb.derive(ball), duration=2.0, events=[floor])
        >>> len(run.occurrences), int(run["floor_rests"][-1]), bool(abs(run["z"][-1]) < 1e-9)
        (13, 1, True)
    """

    gap: Any
    restitution: float = 0.0
    rest: float = 1e-6
    name: str = "impact"

    def __post_init__(self) -> None:
        where = f"impact '{check(self.name, 'impact')}'"
        if not 0 <= finite_value(self.restitution, f"restitution of {where}") <= 1:
            raise NumberError(
                f"The restitution is {self.restitution!r}.",
                where=where,
                cause="An impact does not make more motion than there was, and nothing passes through.",
                remedy="Give a number between 0, where it stays, and 1, where it bounces without loss.",
            )
        if finite_value(self.rest, f"rest of {where}") < 0:
            raise NumberError(f"The speed 'rest' is {self.rest!r}.", where=where, remedy="Give a speed >= 0.")


@dataclass(frozen=True, eq=False)
class _Contact:
    """An impact in terms of the equations: ġ, B_g, s, and the input that says whether it rests."""

    impact: Impact
    gap: Expr
    rate: Expr
    row: Any
    response: Any
    resting: Expr


def with_contacts(eom: EquationsOfMotion, events: Sequence[Any]) -> tuple[EquationsOfMotion, list[Event]]:
    """The equations with an input for each contact that may rest, and the events of all impacts."""
    if isinstance(events, Impact | Event):
        events = [events]
    strange = [one for one in events if not isinstance(one, Impact | Event)]
    if strange:
        raise ModelError(
            f"{strange[0]!r} is no event.",
            where=f"events of a run of '{eom.model.name}'",
            remedy="Write Event(expression), or Impact(gap, restitution).",
        )
    with within(eom.table):
        return _extended(eom, events)


def _extended(eom: EquationsOfMotion, events: Sequence[Any]) -> tuple[EquationsOfMotion, list[Event]]:
    contacts = [_contact(eom, one) for one in events if isinstance(one, Impact)]
    _require_distinct(eom, contacts)
    _require_separate(contacts)
    plain = [one for one in events if isinstance(one, Event)]
    if not contacts:
        return eom, plain
    acceleration = array(list(eom.acceleration))
    for one in contacts:
        free = time_derivative(one.rate, eom.model.flow(eom.acceleration))
        push = where(less(0.5, one.resting), maximum(ZERO, -free), ZERO)
        acceleration = acceleration + one.response * push
    inputs = [
        Input(str(one.resting), one.resting, description=f"1 while '{one.impact.name}' rests") for one in contacts
    ]
    model = replace(eom.model, inputs=(*eom.model.inputs, *inputs))
    changed = replace(eom, model=model, acceleration=tuple(acceleration))
    return changed, plain + [event for one in contacts for event in _events(changed, one)]


def _contact(eom: EquationsOfMotion, impact: Impact) -> _Contact:
    gap = expression_of(impact.gap, eom, f"impact '{impact.name}' of a run of '{eom.model.name}'", "Give the gap.")
    rate = time_derivative(gap, eom.model.flow())
    row = jacobian([rate], eom.speeds)[0]
    if all(is_zero(entry) for entry in row):
        raise ModelError(
            "No motion changes the gap.",
            where=f"impact '{impact.name}'",
            remedy="Give a gap that depends on positions.",
        )
    effect = array(list(Multipliers().solve(eom.M, list(-row), eom.constraints.without_drift()).acceleration))
    response = effect / sum((a * b for a, b in zip(row, effect, strict=True)), ZERO)
    return _Contact(impact, gap, rate, row, response, symbol(f"{impact.name}_rests", "input", eom.model.name))


def _events(eom: EquationsOfMotion, contact: _Contact) -> list[Event]:
    """The impact itself, and the end of rest, which is looked for only while the contact rests."""
    e, rate = contact.impact.restitution, contact.rate
    still = less(e * absolute(rate), contact.impact.rest)
    bounce = where(still, ONE, as_expr(1 + e)) * rate
    changes: dict[str, Any] = {
        u.name: u - bounce * step for u, step in zip(eom.speeds, contact.response, strict=True)
    }  # fmt: skip
    changes[str(contact.resting)] = where(still, ONE, ZERO)
    name = contact.impact.name
    return [
        Touch(
            contact.gap, -1, reset=changes, name=name, rate=rate, resting=contact.resting, rests=contact.impact.rest > 0
        ),
        Event(
            where(less(0.5, contact.resting), contact.gap - LIFT, -ONE),
            1,
            reset={str(contact.resting): 0.0},
            name=f"{name}_opens",
        ),
    ]


def _require_distinct(eom: EquationsOfMotion, contacts: Sequence[_Contact]) -> None:
    """Each contact has an input of its own, which must not be called like something else."""
    taken = {one.name for one in (*eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters)} | {*eom.model.sensors}
    for one in contacts:
        if str(one.resting) in taken:
            raise ModelError(
                f"The name '{one.resting}' is taken twice.",
                where=f"impact '{one.impact.name}'",
                cause="Whether an impact rests is called by its name with '_rests'.",
                remedy="Give every impact a name of its own.",
            )
        taken.add(str(one.resting))


def _require_separate(contacts: Sequence[_Contact]) -> None:
    """Contacts that act on each other cannot rest at the same time with forces that are found one by one."""
    for one, other in combinations(contacts, 2):
        coupled = sum((a * b for a, b in zip(one.row, other.response, strict=True)), ZERO)
        if not is_zero(coupled) and one.impact.rest > 0 and other.impact.rest > 0:
            raise ModelError(
                f"The contacts '{one.impact.name}' and '{other.impact.name}' act on each other.",
                where="impacts of a run",
                cause="A push at one of them changes the gap of the other; both cannot rest independently.",
                remedy="Give one of them rest=0, or use a compliant contact (mb.contact) instead.",
            )
