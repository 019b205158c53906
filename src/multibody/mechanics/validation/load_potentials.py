"""Potentials of loads compared with their forces: the force at rest is minus the slope of the potential.

With all speeds zero, F·v + dV/dt = 0 must hold for every velocity v, where dV/dt counts the motion alone and not what
changes V from outside, such as a rest length that follows time. Fingerprints prove it; where they cannot, because a
table or a rounded constant is in it, numbers at random states decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.algebra import ForceMotor
from multibody.errors import ModelError, MultibodyError
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    as_expr,
    evaluate,
    free_symbols,
    isolated,
    substitute,
    symbol,
    time_derivative,
    topological,
)  # fmt: skip
from multibody.graph.piecewise.tables import Tabulated
from multibody.model.given import arguments, expressions_in
from multibody.model.kinematics import Kinematics
from multibody.model.loads.contract import Applied, Load
from multibody.model.loads.gravity import GravityField
from multibody.model.loads.law import Law
from multibody.model.model import Model
from multibody.model.quantity import Parameter, known_defaults

MISMATCH = 1e-10
"""The difference between force and slope that is more than rounding, relative to the largest of both."""

STATES = 140
"""Random states at which force and slope are compared where there is no proof."""

SCALES = (0.001, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4)
"""How far these states are from the start: near it loops can be closed, farther away other pieces of a law are met."""

ANGLES = 100.0
"""Angles larger than this lose digits."""

REACHES = (0.0, *(10.0**k for k in range(-3, 9)))
"""Between these distances from the start, changes of conditions are looked for."""

RAYS = 8
BISECTIONS = 40
BESIDE = (1e-3, 0.03, 0.3)  # distances from a change, relative to that from the start
MAX_MARGINS = 50

Vector = NDArray[np.float64]

MOTION = ("coordinate", "speed", "variable")


@dataclass(frozen=True, eq=False)
class AtRest:
    """A model in which nothing moves, not even what follows time: for forces without the parts that speeds cause.

    Attributes:
        kinematics: poses as they are, all velocities zero; given positions are placeholders.
        motion: what the placeholders are, and zero for every speed.
    """

    kinematics: Kinematics
    motion: Mapping[Expr, Expr]

    @staticmethod
    def of(model: Model) -> AtRest:
        """The same model at rest."""
        motion: dict[Expr, Expr] = dict.fromkeys(model.speeds, ZERO)

        def placeholder(position: Expr) -> Expr:
            if isinstance(position, Symbol):
                return position
            name = symbol(f"position_{len(motion)}", "parameter", f"{model.name} at rest")
            motion[name] = position
            return name

        def still(count: int) -> tuple[Expr, ...]:
            return (ZERO,) * count

        links = tuple(
            replace(one, q=tuple(map(placeholder, one.q)), u=still(len(one.u)), a=still(len(one.a)))
            for one in model.links
        )
        values = {one: placeholder(value) if one.kind == "coordinate" else ZERO for one, value in model.values.items()}
        return AtRest(Kinematics(replace(model, links=links, values=values)), motion)

    def back(self, expression: Expr) -> Expr:
        """An expression of the model at rest, in terms of the model that moves."""
        return as_expr(substitute(expression, dict(self.motion)))


@dataclass(frozen=True, eq=False)
class RestingLoad:
    """The forces of a load at rest, in terms of the model that moves, and its potential.

    Attributes:
        load: the load.
        forces: on frames.
        generalized: on speeds of joints.
        stored: V.
        changed: dV/dt while nothing moves.
    """

    load: Load
    forces: tuple[Applied, ...]
    generalized: Mapping[Symbol, Expr]
    stored: Expr
    changed: Expr

    @staticmethod
    def of(
        load: Load, kinematics: Kinematics, rest: AtRest, flow: Mapping[Expr, Expr] | None = None
    ) -> RestingLoad:  # fmt: skip
        """The forces and the potential of a load.

        Args:
            load: of the model.
            kinematics: of the model.
            rest: the same model at rest.
            flow: the rates of coordinates, speeds and inputs; without it, inputs with unknown rates stand still.
        """
        model, stored = kinematics.model, load.potential(kinematics)
        if stored is ZERO:
            return RestingLoad(load, (), {}, ZERO, ZERO)
        known = _rates(model) if flow is None else flow
        held: dict[Expr, Expr] = {**known, **dict.fromkeys((*model.coordinates, *rest.motion), ZERO)}
        changed = rest.back(as_expr(time_derivative(load.potential(rest.kinematics), held)))
        forces = tuple(
            Applied(frame, ForceMotor(*(part.map(rest.back) for part in (motor.resultant, motor.moment))))
            for frame, motor in load.forces(rest.kinematics)
        )
        generalized = {speed: rest.back(force) for speed, force in load.generalized(rest.kinematics).items()}
        return RestingLoad(load, forces, generalized, stored, changed)

    @property
    def driven(self) -> list[Symbol]:
        """Inputs that the force follows and the potential does not: the part of a drive."""
        parts = [part for one in self.forces for part in one.force.components()]
        inputs = [one for one in free_symbols([*parts, *self.generalized.values()]) if one.kind == "input"]
        return [one for one in inputs if one not in free_symbols(self.stored)] if inputs else []

    def without_drive(self) -> RestingLoad:
        """The same with these inputs at zero."""
        still: dict[Expr, Expr] = dict.fromkeys(self.driven, ZERO)
        if not still:
            return self

        def zeroed(part: Expr) -> Expr:
            return as_expr(substitute(part, still))

        forces = tuple(Applied(frame, motor.map(zeroed)) for frame, motor in self.forces)
        return replace(self, forces=forces, generalized={u: zeroed(force) for u, force in self.generalized.items()})

    def power(self, kinematics: Kinematics) -> Expr:
        """Force times velocity."""
        return power_of(kinematics, self.forces, self.generalized)

    def slope(self, kinematics: Kinematics) -> Expr:
        """dV/dt by motion alone."""
        return as_expr(time_derivative(self.stored, _rates(kinematics.model))) - self.changed


def power_of(kinematics: Kinematics, forces: Iterable[Applied], generalized: Mapping[Symbol, Expr]) -> Expr:
    """The power of forces on frames and on speeds of joints."""
    total: Expr = ZERO
    for frame, motor in forces:
        total = total + kinematics.velocity(frame).inner(motor)
    for speed, force in generalized.items():
        total = total + kinematics.model.values.get(speed, speed) * force
    return total


def is_conservative(load: Load) -> bool:
    """Whether all of a load's force at rest belongs to its potential.

    That is not so if it says so itself, or if what the user gave for it depends on the motion: a rest length that
    follows a coordinate brings in energy.
    """
    return bool(load.conservative) and not _follows_motion(load)


def _follows_motion(load: Load) -> bool:
    return any(_moves(one) for value in arguments(load) for one in expressions_in(value))


def _moves(expression: Expr) -> bool:
    return any(one.kind in MOTION for one in free_symbols(expression))


def require_matching_potentials(model: Model) -> None:
    """An error for the first load whose potential does not belong to its force.

    Loads of this package with laws that were made here are not looked at: tests prove that each of them is right.
    """
    for error in wrong_potentials(model, [name for name, load in model.loads.items() if not _is_proved(load)]):
        raise error


def _is_proved(load: Load) -> bool:
    """Whether force and potential of a load are both this package's own, and not two functions of the user's."""
    own = type(load).__module__.startswith("multibody.model.loads.")
    if not own or not vars(load).keys().isdisjoint(("forces", "generalized", "potential", "push")):
        return type(load).potential is Load.potential and "potential" not in vars(load)
    parts = [one for value in vars(load).values() for one in (value if isinstance(value, list | tuple) else [value])]
    both = type(load) is GravityField and load._field is not None and load._potential is not None
    laws_match = all(part.consistent for part in parts if isinstance(part, Law))  # also those set after construction
    return not both and laws_match and all(_is_proved(part) for part in parts if isinstance(part, Load))


def wrong_potentials(model: Model, names: Sequence[str] | None = None) -> Iterator[ModelError]:
    """Errors for loads whose potentials do not belong to their forces; nothing of it is left among expressions.

    Args:
        model: whose loads are looked at.
        names: of these loads; by default all.
    """
    chosen = model.loads if names is None else {name: model.loads[name] for name in names}
    if not chosen:
        return
    with isolated(*topological(model.expressions())):
        kinematics, rest = Kinematics(model), AtRest.of(model)
        for name, load in chosen.items():
            try:
                right = matches(load, kinematics, rest)
            except MultibodyError:  # it cannot be made, which is an error of its own
                continue
            if not right:
                yield wrong_potential(name, load)


def wrong_potential(name: str, load: Load) -> ModelError:
    """The error about a load."""
    return ModelError(
        f"The potential of load '{name}' does not belong to its force.",
        code="potential-not-of-force",
        where=f"load '{name}': {load!r}",
        cause="With all speeds zero, the force is not minus the slope of the potential.",
        remedy="Correct potential() or the force; or let the property ``conservative`` be False, if the potential is "
        "that of a part of the force only.",
        name=name,
    )


def matches(load: Load, kinematics: Kinematics, rest: AtRest) -> bool:
    """Whether the potential of a load belongs to its force, as far as the load says that it does.

    Where arguments follow the motion, as the rest length of a spring may, they are held: what changes them does work.
    """
    if not load.conservative or load.potential(kinematics) is ZERO:
        return True
    if _belong(RestingLoad.of(load, kinematics, rest), kinematics):
        return True
    if not (load.holds_arguments and _follows_motion(load)):
        return False
    return _belong(RestingLoad.of(_held(load), kinematics, rest), kinematics)


def _belong(resting: RestingLoad, kinematics: Kinematics) -> bool:
    alone = resting.without_drive()
    power, slope = alone.power(kinematics), alone.slope(kinematics)
    return cancel(power, slope, kinematics.model.parameters, kinematics.model.start)


def _held(load: Load) -> Load:
    """The same load with a parameter in place of every argument that follows the motion."""
    names: list[Symbol] = []

    def held(value: Any) -> Any:
        if isinstance(value, Expr):
            if not _moves(value):
                return value
            names.append(symbol(f"held_{len(names)}", "parameter", "argument of a load"))
            return names[-1]
        if isinstance(value, np.ndarray) and value.dtype == object:
            return np.array([held(one) for one in value.flat], dtype=object).reshape(value.shape)
        if type(value) in (list, tuple):
            return type(value)(map(held, value))
        return value.map(held) if hasattr(value, "components") and hasattr(value, "map") else value

    args, named = load._arguments
    return type(load)(*map(held, args), **{key: held(value) for key, value in named.items()})


def cancel(power: Expr, slope: Expr, parameters: Iterable[Parameter], start: Mapping[Symbol, float]) -> bool:
    """Whether the sum of two expressions is zero: proved, or to rounding at random states.

    Where they have no value at any of these states, nothing is said against them.

    Args:
        power: of a force.
        slope: of a potential.
        parameters: whose defaults say how large they are.
        start: values of coordinates that the states are around.
    """
    if (power + slope).fp == 0:
        return True
    rng = np.random.default_rng(0)
    known: dict[Any, Any] = {}
    distances = np.repeat(SCALES, STATES // len(SCALES))
    defaults = known_defaults(parameters)
    symbols = free_symbols([power, slope])
    center = {one: defaults.get(one) or 1.0 if one.kind == "parameter" else start.get(one, 0.0) for one in symbols}
    for one in symbols:
        drawn = rng.normal(size=STATES) * distances
        if one.kind == "parameter":
            known[one] = center[one] * (1 + np.minimum(distances, 0.5) * rng.uniform(-1, 1, STATES))
        else:
            known[one] = center[one] + drawn
    groups = [distances]
    for states, away in beside_conditions([power, slope], center, rng):
        groups.append(away)
        known = {one: np.concatenate([values, states[one]]) for one, values in known.items()}
    distances = np.concatenate(groups)
    numbers = np.concatenate([np.searchsorted(SCALES, groups[0]), *(np.full(one.size, len(SCALES) + k)
                              for k, one in enumerate(groups[1:]))])  # fmt: skip
    try:
        with np.errstate(all="ignore"):
            force, change = (np.asarray(evaluate(one, known), dtype=np.float64) for one in (power, slope))
    except MultibodyError:
        return False
    with np.errstate(all="ignore"):
        gap = np.broadcast_to(np.abs(force + change), distances.shape)
        size = np.broadcast_to(np.maximum(np.abs(force), np.abs(change)), distances.shape)
    for number in np.unique(numbers):  # beside the largest value of these states, a small difference is rounding
        near = np.isfinite(gap) & np.isfinite(size) & (numbers == number)
        rounding = MISMATCH * max(1.0, distances[numbers == number].max() / ANGLES)
        if gap[near].max(initial=0.0) > rounding * size[near].max(initial=0.0):
            return False
    return True


def beside_conditions(
    expressions: Sequence[Expr], center: Mapping[Symbol, float], rng: np.random.Generator
) -> Iterator[tuple[Mapping[Symbol, Vector], Vector]]:
    """States on both sides of each place where a condition changes, with their distances from the center.

    Places are looked for along rays from the center. Each side is a group, whose states are close to the place and
    farther away, so that narrow ranges between two conditions are met as well.
    """
    margins = _margins(expressions)
    moving = [one for one in center if one.kind != "parameter"]
    if not margins or not moving:
        return
    direction = rng.normal(size=(len(moving), RAYS))
    direction[:, RAYS // 2 :] = -direction[:, : RAYS // 2]

    def states(t: Vector) -> dict[Any, Vector]:
        held: dict[Any, Vector] = {one: np.full(t.shape, value) for one, value in center.items()}
        return held | {one: center[one] + row * t for one, row in zip(moving, direction, strict=True)}

    def signs(margin: Expr, t: Vector) -> Vector:
        with np.errstate(all="ignore"):
            return np.sign(np.broadcast_to(np.asarray(evaluate(margin, states(t)), dtype=np.float64), t.shape))

    for margin in margins:
        try:
            found = [signs(margin, np.full(RAYS, reach)) for reach in REACHES]
            changes = np.array([a * b < 0 for a, b in pairwise(found)])
            rays = changes.any(axis=0)
            if not rays.any():
                continue
            first = np.argmax(changes, axis=0)
            inner, outer = np.take(REACHES, first), np.take(REACHES, first + 1)
            begin = signs(margin, inner)
            for _ in range(BISECTIONS):
                middle = (inner + outer) / 2
                before = signs(margin, middle) == begin
                inner, outer = np.where(before, middle, inner), np.where(before, outer, middle)
        except MultibodyError:  # no value there
            continue
        for side in (-1, 1):
            at = [states(outer * (1 + side * share)) for share in BESIDE]
            away = np.concatenate([np.abs(outer * direction).max(axis=0)[rays]] * len(BESIDE))
            yield {one: np.concatenate([each[one][rays] for each in at]) for one in center}, away


def _margins(expressions: Sequence[Expr]) -> list[Expr]:
    """What changes its sign where another piece of an expression begins."""
    found: dict[Expr, None] = {}
    for node in topological(list(expressions)):
        if node.op in ("lt", "le"):
            found[node.args[0] - node.args[1]] = None
        elif node.op in ("abs", "sign"):
            found[node.args[0]] = None
        elif isinstance(node, Tabulated):
            breaks = node.table.breaks
            found |= dict.fromkeys(node.args[0] - as_expr(float(end)) for end in (breaks[0], breaks[-1]))
    return [one for one in found if free_symbols(one)][:MAX_MARGINS]


def _rates(model: Model) -> dict[Expr, Expr]:
    """The rates of coordinates, speeds and inputs; inputs whose rates are unknown stand still."""
    return {**dict.fromkeys(model.input_symbols, ZERO), **model.flow(model.accelerations)}
