"""Invariance under another description of the same mechanism: all accelerations stay the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.algebra import Rotation
from multibody.equations import EquationsOfMotion
from multibody.formalisms import Formalism, derive
from multibody.graph import Symbol
from multibody.model import Body, Joint
from multibody.testing.identities.balance import require_floating
from multibody.testing.instant import At, StateValues, Values
from multibody.testing.variants import Variant, flipped, renamed, rerooted, shuffled


def renaming_changes_nothing(eom: EquationsOfMotion, formalism: Formalism, at: At = 0) -> None:
    """With other names, and therefore other numbers for joints and speeds."""
    _compare("other names", StateValues.of(eom, at), renamed(eom.model), formalism)


def shuffling_changes_nothing(eom: EquationsOfMotion, formalism: Formalism, at: At = 0, order: int = 0) -> None:
    """With joints that are written in another order, which is that of coordinates and speeds."""
    _compare("joints in another order", StateValues.of(eom, at), shuffled(eom.model, order), formalism)


def flipping_changes_nothing(eom: EquationsOfMotion, formalism: Formalism, at: At = 0) -> None:
    """With joints that lead from their child to their parent."""
    _compare("joints flipped", StateValues.of(eom, at), flipped(eom.model), formalism)


def rerooting_changes_nothing(eom: EquationsOfMotion, formalism: Formalism, at: At = 0) -> None:
    """With the last body at the root of a system in free flight; all joints between it and the first one turn round."""
    require_floating(eom.model)
    now, base = StateValues.of(eom, at), eom.model.bodies[-1]
    variant = rerooted(eom.model, base)
    flight: Joint = next(joint for joint in variant.system.all(Joint) if joint.parent is variant.system.world)
    _compare(f"{base.name} as root", now, variant, formalism, _flight_of(now, base, flight))


def _flight_of(now: StateValues, body: Body, flight: Joint) -> dict[Symbol, float]:
    """The state of a free joint between the world and a body."""
    pose, velocity = now.eom.kinetics.pose(body), now.eom.kinetics.velocity(body)
    turned = Rotation.matrix(now(pose.rotation.to_matrix().to_array())).to_quaternion().components()
    numbers = [*now(list(pose.position)), *turned, *now(velocity.components())]
    return dict(zip((*flight.coordinates, *flight.speeds), map(float, numbers), strict=True))


def _compare(
    how: str, now: StateValues, variant: Variant, formalism: Formalism, state: dict[Symbol, float] | None = None
) -> None:
    """Derive the variant, put it into the same state, and compare what its bodies do."""
    values: Values = {variant.symbols.get(symbol, symbol): value for symbol, value in now.state.items()}
    then = StateValues(derive(variant.system, formalism), {**values, **(state or {})})
    before, after = _accelerations(now), _accelerations(then)
    for body, first, other in zip(now.eom.model.bodies, before, after, strict=True):
        now.agree(f"acceleration of {body.name}, also with {how}", first, other, before, tolerance=1e-8)


def _accelerations(now: StateValues) -> NDArray[np.float64]:
    """Angular and linear acceleration of every body, in its own axes."""
    rows: list[Any] = [now.eom.kinetics.acceleration(body) for body in now.eom.model.bodies]
    return now([[*angular, *linear] for angular, linear in rows])
