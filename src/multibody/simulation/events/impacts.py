"""Unilateral contacts: impacts with restitution, and rest.

An impact with a gap g(q, t) changes the speeds by an impulse Λ along W = ∂ġ/∂u, so that the gap opens with e times the
speed at which it closed: u⁺ = u⁻ + E·Λ with E = M⁻¹·Wᵀ within all constraints, and Λ = -(1 + e)·ġ⁻/(W·E). A rebound
that is too slow to matter ends in rest: from then on the contact pushes as much as keeps the gap from closing, until
something pulls it open.

The forces λ of all resting contacts are solved together: λ ≥ 0, g̈ = g̈_free + A·λ ≥ 0 and λ·g̈ = 0 with A = W·E (Pfeiffer
and Glocker 1996, ch. 5). Which of them push is decided where this changes (see ``active_contacts``) and kept in
discrete inputs P, zero or one, so that one set of equations serves all combinations: (P·A·P + 1 - P)·λ = -P·g̈_free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion, Multipliers
from multibody.equations.tolerances import FORCE_SOFTNESS
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
    ldl,
    ldl_solve,
    less,
    sqrt,
    symbol,
    time_derivative,
    where,
)  # fmt: skip
from multibody.graph.names import check
from multibody.graph.node import within
from multibody.model import Input
from multibody.model.quantity import finite_value
from multibody.simulation.events.events import Event, ForceSign, Touch
from multibody.simulation.problem.given_expressions import expression_of

OPENING_GAP = 1e-9  # a gap of so many metres means that a resting contact is open again
STABILIZATION_RATE = 10.0  # 1/s, at which the gap of a contact that pushes returns to zero, against rounding
ACCELERATION_BAND = 1e-10  # of a gap, in m/s² or rad/s², that does not change which contacts push
RELATIVE_BAND = 1e-12  # the same, relative to the accelerations of the gap without contact


@dataclass(frozen=True, eq=False)
class Impact:
    """A unilateral contact without friction: when the gap closes, an impulse opens it again.

    The impulse acts on all speeds, within all constraints. The energy that it takes counts as dissipated. While the
    contact rests, ``run["name_rests"]`` is 1; while it pushes, ``run["name_pushes"]`` is 1. A joint may have stops on
    both sides, and stops may act on each other. A run in which a stop is passed ends with ``Status.STOP_PASSED``. A gap
    up to 1e-9 counts as closed, or a millionth of its travel in the run if that is less; gaps that travel less than
    1e-6 are refused.

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
                code="restitution-invalid",
                name=self.name,
                value=self.restitution,
                where=where,
                cause="An impact does not make more motion than there was, and nothing passes through.",
                remedy="Give a number between 0, where it stays, and 1, where it bounces without loss.",
            )
        if finite_value(self.rest, f"rest of {where}") < 0:
            raise NumberError(
                f"The speed 'rest' is {self.rest!r}.",
                code="rest-speed-negative",
                name=self.name,
                value=self.rest,
                where=where,
                remedy="Give a speed >= 0.",
            )


@dataclass(frozen=True, eq=False)
class _Contact:
    """An impact in terms of the equations.

    Attributes:
        impact: as the user gave it.
        gap: g.
        rate: ġ.
        row: W = ∂ġ/∂u.
        effect: E = M⁻¹·Wᵀ within all constraints, what a unit impulse changes.
        reactions: the multipliers of constraints by a unit force.
        resting: the input that is 1 while the contact rests.
        pushing: the input that is 1 while it pushes.
    """

    impact: Impact
    gap: Expr
    rate: Expr
    row: Any
    effect: Any
    reactions: Any
    resting: Expr
    pushing: Expr

    @property
    def inputs(self) -> list[Input]:
        """The inputs that say whether it rests and whether it pushes."""
        name = self.impact.name
        return [
            Input(str(self.resting), self.resting, description=f"1 while '{name}' rests"),
            Input(str(self.pushing), self.pushing, description=f"1 while '{name}' pushes"),
        ]


def with_contacts(eom: EquationsOfMotion, events: Sequence[Any]) -> tuple[EquationsOfMotion, list[Event]]:
    """The equations with an input for each contact that may rest, and the events of all impacts."""
    if isinstance(events, Impact | Event):
        events = [events]
    others = [event for event in events if not isinstance(event, Impact | Event)]
    if others:
        raise ModelError(
            f"{others[0]!r} is not an event.",
            code="not-an-event",
            where=f"events of a run of '{eom.model.name}'",
            remedy="Write Event(expression), or Impact(gap, restitution).",
        )
    with within(eom.table):
        return _extended(eom, events)


def _extended(eom: EquationsOfMotion, events: Sequence[Any]) -> tuple[EquationsOfMotion, list[Event]]:
    impacts = [event for event in events if isinstance(event, Impact)]
    plain = [event for event in events if isinstance(event, Event)]
    if not impacts:
        return eom, plain
    known: dict[str, Any] = {}
    if eom.may_become_singular:
        known["regularized"] = _with_forces(eom.regularized, impacts, {}, FORCE_SOFTNESS)[0]
    changed, found = _with_forces(eom, impacts, known)
    return changed, plain + found


def _with_forces(
    eom: EquationsOfMotion, impacts: Sequence[Impact], known: Mapping[str, Any], softness: float = 0.0
) -> tuple[EquationsOfMotion, list[Event]]:
    """The equations with the forces of contacts, and the events of these.

    Args:
        eom: equations of motion.
        impacts: the contacts.
        known: see ``EquationsOfMotion``.
        softness: of constraints, see ``Multipliers``.
    """
    contacts = [_contact(eom, impact, softness) for impact in impacts]
    _require_distinct(eom, contacts)
    model = replace(
        eom.model, inputs=(*eom.model.inputs, *(quantity for contact in contacts for quantity in contact.inputs))
    )
    compliance = _compliance(contacts)
    free = [_free_acceleration(eom, contact) for contact in contacts]
    forces = _forces(contacts, compliance, free)
    acceleration, reactions = array(list(eom.acceleration)), array(list(eom.multiplier_values))
    for contact, force in zip(contacts, forces, strict=True):
        acceleration = acceleration + contact.effect * force
        reactions = reactions + contact.reactions * force
    changed = replace(
        eom, model=model, acceleration=tuple(acceleration), multiplier_values=tuple(reactions), known=known
    )
    found = []
    for k, contact in enumerate(contacts):
        gap_acceleration = free[k] + sum((a * force for a, force in zip(compliance[k], forces, strict=True)), ZERO)
        squares = sum(((w * a) ** 2 for w, a in zip(contact.row, eom.acceleration, strict=True)), ONE)
        band = ACCELERATION_BAND + RELATIVE_BAND * sqrt(squares)
        found += _events(changed, contact, free[k], band, forces[k], gap_acceleration)
    return changed, found


def _compliance(contacts: Sequence[_Contact]) -> Any:
    """A = W·E: accelerations of gaps by forces of contacts; zero between two that never push at the same time."""
    size = len(contacts)
    matrix = np.full((size, size), ZERO, dtype=object)
    for k, contact in enumerate(contacts):
        for j, other in enumerate(contacts):
            if k == j or not _are_parallel(contact.row, other.row):
                matrix[k, j] = sum((a * b for a, b in zip(contact.row, other.effect, strict=True)), ZERO)
    return matrix


def _are_parallel(row: Any, other: Any) -> bool:
    """Whether two contacts act along one direction, such as the stops of one joint: one of them at most pushes."""
    pairs = list(zip(row, other, strict=True))
    return all(is_zero(a - b) for a, b in pairs) or all(is_zero(a + b) for a, b in pairs)


def _free_acceleration(eom: EquationsOfMotion, contact: _Contact) -> Expr:
    """g̈ without forces of contacts, and what returns the gap to zero while the contact holds it."""
    free = time_derivative(contact.rate, eom.model.flow(eom.acceleration))
    return as_expr(free + 2 * STABILIZATION_RATE * contact.rate + STABILIZATION_RATE**2 * contact.gap)


def _forces(contacts: Sequence[_Contact], compliance: Any, free: Sequence[Expr]) -> list[Expr]:
    """λ of (P·A·P + 1 - P)·λ = -P·g̈_free, positive definite for every set of independent contacts that push."""
    matrix = [
        [
            contact.pushing * compliance[k, k] + (1 - contact.pushing) if k == j
            else contact.pushing * other.pushing * compliance[k, j]
            for j, other in enumerate(contacts)
        ]
        for k, contact in enumerate(contacts)
    ]  # fmt: skip
    return list(
        ldl_solve(ldl(matrix), [-contact.pushing * value for contact, value in zip(contacts, free, strict=True)])
    )


def _contact(eom: EquationsOfMotion, impact: Impact, softness: float) -> _Contact:
    gap = expression_of(impact.gap, eom, f"impact '{impact.name}' of a run of '{eom.model.name}'", "Give the gap.")
    rate = time_derivative(gap, eom.model.flow())
    row = jacobian([rate], eom.speeds)[0]
    if all(is_zero(entry) for entry in row):
        raise ModelError(
            "No motion changes the gap.",
            code="gap-constant",
            name=impact.name,
            where=f"impact '{impact.name}'",
            remedy="Give a gap that depends on positions.",
        )
    unit = Multipliers(softness).solve(eom.M, list(-row), eom.constraints.without_drift())
    effect, reactions = array(list(unit.acceleration)), array(list(unit.multipliers))
    resting, pushing = (symbol(f"{impact.name}_{does}", "input", eom.model.name) for does in ("rests", "pushes"))
    return _Contact(impact, gap, rate, row, effect, reactions, resting, pushing)


def _events(
    eom: EquationsOfMotion, contact: _Contact, free: Expr, band: Expr, force: Expr, gap_acceleration: Expr
) -> list[Event]:
    """The impact itself; the end of rest; and the change of the force's sign, or of the acceleration without force.

    Args:
        eom: equations with contacts.
        contact: one of them.
        free: acceleration of its gap without contacts.
        band: acceleration that counts as zero.
        force: of the contact.
        gap_acceleration: that with all contacts.
    """
    e, rate = contact.impact.restitution, contact.rate
    still = less(e * absolute(rate), contact.impact.rest)
    own = sum((a * b for a, b in zip(contact.row, contact.effect, strict=True)), ZERO)
    impulse = where(still, ONE, as_expr(1 + e)) * rate / own
    changes: dict[str, Any] = {
        u.name: u - impulse * step for u, step in zip(eom.speeds, contact.effect, strict=True)
    }  # fmt: skip
    changes[str(contact.resting)] = where(still, ONE, ZERO)
    name, rests = contact.impact.name, less(0.5, contact.resting)
    sign = where(less(0.5, contact.pushing), own * force, gap_acceleration) + band
    return [
        Touch(
            where(rests, ONE, contact.gap), -1, reset=changes, name=name, gap=contact.gap, rate=rate,
            resting=contact.resting, pushing=contact.pushing, rests=contact.impact.rest > 0, row=tuple(contact.row),
            effect=tuple(contact.effect), free=free, band=band, force=force,
            drift=rate - sum((w * u for w, u in zip(contact.row, eom.speeds, strict=True)), ZERO),
        ),
        Event(
            where(rests, contact.gap - OPENING_GAP, -ONE), 1,
            reset={str(contact.resting): 0.0, str(contact.pushing): 0.0}, name=f"{name}_opens",
        ),
        ForceSign(where(rests, sign, ONE), -1, reset=_no_changes, name=f"{name}_pushes"),
    ]  # fmt: skip


def _no_changes(t: float, q: Any, u: Any) -> dict[str, float]:
    """Values that the change of a force's sign sets: none; which contacts push is decided afterwards."""
    return {}


def _require_distinct(eom: EquationsOfMotion, contacts: Sequence[_Contact]) -> None:
    """Each contact has an input of its own, which must not be called like something else."""
    taken = {variable.name for variable in (*eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters)} | {
        *eom.model.sensors
    }
    for contact in contacts:
        for quantity in contact.inputs:
            if quantity.name in taken:
                raise ModelError(
                    f"The name '{quantity.name}' is already in use.",
                    code="name-taken",
                    name=quantity.name,
                    where=f"impact '{contact.impact.name}'",
                    cause="The inputs of an impact are called by its name with '_rests' and '_pushes'.",
                    remedy="Give every impact a name of its own.",
                )
            taken.add(quantity.name)
