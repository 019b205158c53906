"""Invariance under another description of the same mechanism: all accelerations stay the same.

The other description has other names, joints in another order or from their other end, and another body at the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.algebra import Rotation, Transform
from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.formalisms import Formalism, derive
from multibody.graph import Expr, Symbol, substitute
from multibody.model import Body, Constraint, Frame, Free, Joint, JointKind, Load, Model, Sensor, Step, System
from multibody.model.joints.contract import reversed_steps
from multibody.testing.identities.balance import require_floating
from multibody.testing.instant import At, StateValues, Values


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


class Flipped(JointKind):
    """A kind of joint, seen from its child frame: the inverse movement with the same coordinates.

    Example:
        >>> from multibody.model import Cylindrical
        >>> [step.motion.coordinates for step in Flipped(Cylindrical("z")).steps()]
        [('r',), ('t',)]
    """

    def __init__(self, kind: JointKind) -> None:
        self.kind = kind

    def steps(self) -> tuple[Step, ...]:
        """The last one first, each of them backwards."""
        return reversed_steps(self.kind.steps(), self.kind.end())[0]

    def end(self) -> Transform:
        """What stood before the first one, backwards."""
        return reversed_steps(self.kind.steps(), self.kind.end())[1]


class Variant:
    """A copy of a model, to be built with other names or joints.

    Attributes:
        system: the copy; it has the same bodies in the same order, and the same parameters and inputs.
        symbols: what coordinates and speeds of the model are called in the copy, if it is not the same.
    """

    def __init__(self, model: Model) -> None:
        _require_plain(model)
        self.model = model
        self.system = System(model.name, gravity=model.gravity)
        self.symbols: dict[Expr, Symbol] = {}
        self._joints: dict[Joint, Joint] = {}
        self._frames: dict[Frame, Frame] = {model.world: self.system.world}
        for parameter in model.parameters:
            default = np.array(list(parameter.default.values()), dtype=object).reshape(np.shape(parameter.symbols))
            self.system.parameter(parameter.name, default if default.shape else default.item())
        for each in model.inputs:
            self.system.input(each.name, np.shape(each.symbols))

    def body(self, body: Body, name: str) -> None:
        """Copy a body."""
        self._frames[body] = self.system.body(name, body.mass, body.com, body.inertia)

    def joint(
        self, joint: Joint, name: str, ends: Sequence[Frame], kind: JointKind, prescribed: Sequence[Expr] | None
    ) -> None:
        """Copy a joint between other frames, or of another kind."""
        parent, child = map(self.frame, ends)
        self._joints[joint] = self.system.joint(name, parent, child, kind, prescribed=prescribed)

    def frame(self, frame: Frame) -> Frame:
        """The copy of a frame."""
        if frame not in self._frames:
            carrier, place = self._frames[frame.body], frame.pose
            self._frames[frame] = carrier.frame(frame.name, place.position, place.rotation)
        return self._frames[frame]

    def finished(self) -> Variant:
        """With loads and sensors, once bodies and joints are there."""
        for old, new in self._joints.items():
            if old.name != new.name:
                pairs = zip((*old.coordinates, *old.speeds), (*new.coordinates, *new.speeds), strict=True)
                self.symbols.update(pairs)
        for name, sensor in self.model.sensors.items():
            self.system.sensor(name, self._translated(sensor))
        for name, load in self.model.loads.items():
            self.system.load(self._translated(load), name)
        for name, constraint in self.model.constraints.items():
            self.system.constraint(self._translated(constraint), name=name)
        return self

    def _translated(self, thing: Any) -> Any:
        """A load or sensor, or what it is made of, in terms of the copy; functions are taken as they are."""
        if isinstance(thing, Frame):
            return self.frame(thing)
        if isinstance(thing, Joint):
            return self._copied_joint(thing)
        if isinstance(thing, Expr):
            return substitute(thing, self.symbols)
        if isinstance(thing, list | tuple):
            return type(thing)(map(self._translated, thing))
        if isinstance(thing, Load | Sensor | Constraint):
            other = copy(thing)
            vars(other).update({name: self._translated(value) for name, value in vars(thing).items()})
            return other
        return thing

    def _copied_joint(self, joint: Joint) -> Joint:
        if joint not in self._joints:
            raise ModelError(
                "The joint does not exist in another description of the system.",
                code="joint-without-variant",
                where=f"joint '{joint.name}'",
                remedy="Leave out loads and sensors on it.",
                name=joint.name,
            )
        return self._joints[joint]


def renamed(model: Model) -> Variant:
    """Other names for bodies and joints, so that they are numbered the other way."""
    variant = Variant(model)
    for k, body in enumerate(model.bodies):
        variant.body(body, f"renamed_body{len(model.bodies) - k}")
    for k, joint in enumerate(model.joints):
        name = f"renamed_joint{len(model.joints) - k}"
        variant.joint(joint, name, (joint.parent, joint.child), joint.kind, joint.prescribed)
    return variant.finished()


def shuffled(model: Model, seed: int) -> Variant:
    """Joints in a random order: outer ones before inner ones, and branches mixed."""
    variant = _same_bodies(model)
    for k in np.random.default_rng(seed).permutation(len(model.joints)):
        joint = model.joints[k]
        variant.joint(joint, joint.name, (joint.parent, joint.child), joint.kind, joint.prescribed)
    return variant.finished()


def flipped(model: Model) -> Variant:
    """Joints from their child to their parent.

    A joint of several steps changes the order of its coordinates; it stays as it is if a load or a sensor relies on
    that order.
    """
    variant = _same_bodies(model)
    touched = {part for owner in (*model.loads.values(), *model.sensors.values()) for part in owner.touches}
    for joint in model.joints:
        steps = joint.kind.steps()
        if len(steps) > 1 and joint in touched:
            variant.joint(joint, joint.name, (joint.parent, joint.child), joint.kind, joint.prescribed)
        else:
            backwards = joint.prescribed and joint.prescribed[::-1]  # a step that can be driven has one coordinate
            variant.joint(joint, joint.name, (joint.child, joint.parent), Flipped(joint.kind), backwards)
    return variant.finished()


def rerooted(model: Model, base: Body) -> Variant:
    """A system in free flight with another body as the one that flies: ``base``, by its own frame."""
    variant = _same_bodies(model)
    (flight,) = [joint for joint in model.joints if model.world in (joint.parent.body, joint.child.body)]
    variant.system.joint(flight.name, variant.system.world, variant.frame(base), Free())
    for joint in model.joints:
        if joint is not flight:
            variant.joint(joint, joint.name, (joint.parent, joint.child), joint.kind, joint.prescribed)
    return variant.finished()


def _same_bodies(model: Model) -> Variant:
    variant = Variant(model)
    for body in model.bodies:
        variant.body(body, body.name)
    return variant


def _require_plain(model: Model) -> None:
    own = {speed for joint in model.joints for speed in joint.speeds}
    if model.cuts or not own.issuperset(model.speeds):
        raise ModelError(
            "Other descriptions are known only for trees with the speeds of their joints.",
            code="system-without-variants",
            where=f"system '{model.name}'",
            remedy="Leave out joints that close loops, and speeds of your own.",
        )
