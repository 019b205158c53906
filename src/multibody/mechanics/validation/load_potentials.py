"""Potentials of loads compared with their forces: the force at rest is minus the slope of the potential.

With all speeds zero, F·v + dV/dt = 0 must hold for every velocity v, where dV/dt counts the motion alone and not what
changes V from outside, such as a rest length that follows time. Fingerprints prove it; where they cannot, because a
table or a rounded constant is in it, numbers at random states decide. The speeds of joints that close loops are rates
of their coordinates only where the loops are closed; their loads are compared there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

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
from multibody.mechanics.constraints.independence import Constraints, closed_states
from multibody.mechanics.tolerances import CLOSED_POTENTIAL_MISMATCH
from multibody.mechanics.validation.cancellation import cancel
from multibody.model.given import arguments, expressions_in
from multibody.model.kinematics import Kinematics
from multibody.model.loads.contract import Applied, Load
from multibody.model.loads.gravity import GravityField
from multibody.model.loads.law import Law
from multibody.model.model import Model

MOTION = ("coordinate", "speed", "variable")

OWN = "multibody.model.loads."


PASSED = "load potentials"
"""The name under which a model remembers that it has passed this check."""

FORCES = ("forces", "generalized", "push")
"""Methods of loads that give forces."""


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
            replace(link, q=tuple(map(placeholder, link.q)), u=still(len(link.u)), a=still(len(link.a)))
            for link in model.links
        )
        values = {
            coordinate: placeholder(value) if coordinate.kind == "coordinate" else ZERO
            for coordinate, value in model.values.items()
        }
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
        parts = [part for force in self.forces for part in force.force.components()]
        inputs = [symbol for symbol in free_symbols([*parts, *self.generalized.values()]) if symbol.kind == "input"]
        return [input_ for input_ in inputs if input_ not in free_symbols(self.stored)] if inputs else []

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
    return any(_moves(expression) for value in arguments(load) for expression in expressions_in(value))


def _moves(expression: Expr) -> bool:
    return any(symbol.kind in MOTION for symbol in free_symbols(expression))


def require_matching_potentials(model: Model) -> None:
    """An error for the first load whose potential does not belong to its force.

    Loads of this package with laws that were made here are not looked at: tests prove that each of them is right. A
    model that has passed is not looked at again.
    """
    if PASSED in model.remembered:
        return
    for error in wrong_potentials(model, [name for name, load in model.loads.items() if not _is_proved(load)]):
        raise error
    model.remembered[PASSED] = True


def _is_proved(load: Load) -> bool:
    """Whether force and potential of a load are both this package's own, and not two functions of the user's."""
    if not all(_is_own(load, name) for name in (*FORCES, "potential")):
        return type(load).potential is Load.potential and "potential" not in vars(load)
    parts = [item for value in vars(load).values() for item in (value if isinstance(value, list | tuple) else [value])]
    both = type(load) is GravityField and load._field is not None and load._potential is not None
    laws_match = all(part.consistent for part in parts if isinstance(part, Law))  # also those set after construction
    return not both and laws_match and all(_is_proved(part) for part in parts if isinstance(part, Load))


def _is_own(load: Load, name: str) -> bool:
    """Whether a method of a load is one of this package, on the object and on its class."""
    method = getattr(type(load), name, None)
    return name not in vars(load) and getattr(method, "__module__", OWN).startswith(OWN)


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
    if not load.conservative:
        return True
    if load.potential(kinematics) is ZERO:
        return not drops_potential(load, kinematics)
    belong = _belong_where_closed if closes_loop(load, kinematics.model) else _belong
    if belong(RestingLoad.of(load, kinematics, rest), kinematics):
        return True
    if not (load.holds_arguments and _follows_motion(load)):
        return False
    return belong(RestingLoad.of(_held(load), kinematics, rest), kinematics)


def closes_loop(load: Load, model: Model) -> bool:
    """Whether a load acts on a joint that closes a loop."""
    return any(part is joint for part in load.touches for joint in model.cuts)


def drops_potential(load: Load, kinematics: Kinematics) -> bool:
    """Whether a load keeps the force of a class of this package, but not the potential that belongs to it."""
    if _is_own(load, "potential") or not all(_is_own(load, name) for name in FORCES):
        return False
    inherited = next(
        base.potential for base in type(load).__mro__ if issubclass(base, Load) and base.__module__.startswith(OWN)
    )
    return inherited(load, kinematics) is not ZERO


def _belong(resting: RestingLoad, kinematics: Kinematics) -> bool:
    alone = resting.without_drive()
    power, slope = alone.power(kinematics), alone.slope(kinematics)
    return cancel(power, slope, kinematics.model.parameters, kinematics.model.start)


def _belong_where_closed(resting: RestingLoad, kinematics: Kinematics) -> bool:
    """The same in closed positions, for speeds that keep the constraints."""
    if _belong(resting, kinematics):
        return True
    alone = resting.without_drive()
    power, slope = alone.power(kinematics), alone.slope(kinematics)
    sums, sizes = [0.0], [0.0]
    for known in closed_states(Constraints.of(kinematics)):
        try:
            force, change = (float(evaluate(expression, known)) for expression in (power, slope))
        except MultibodyError:  # it has no value there
            continue
        sums.append(abs(force + change))
        sizes.append(max(abs(force), abs(change)))
    return max(sums) <= CLOSED_POTENTIAL_MISMATCH * max(sizes)


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
            return np.array([held(entry) for entry in value.flat], dtype=object).reshape(value.shape)
        if type(value) in (list, tuple):
            return type(value)(map(held, value))
        return value.map(held) if hasattr(value, "components") and hasattr(value, "map") else value

    args, named = load._arguments
    return type(load)(*map(held, args), **{key: held(value) for key, value in named.items()})


def _rates(model: Model) -> dict[Expr, Expr]:
    """The rates of coordinates, speeds and inputs; inputs whose rates are unknown stand still."""
    return {**dict.fromkeys(model.input_symbols, ZERO), **model.flow(model.accelerations)}
