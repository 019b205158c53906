"""Checks of start values: where they are outside of their range, at odds with each other, or of no use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import pi
from typing import Any

import numpy as np

from multibody.errors import AssemblyError, MultibodyError
from multibody.graph import Expr, Symbol, as_expr, evaluate, free_symbols, rank, substitute
from multibody.mechanics.composite_inertia import joint_poses, mass_matrix
from multibody.mechanics.constraints.independence import NO_NUMBERS, Constraints, at_start
from multibody.mechanics.constraints.rank import is_singular, without_inertia
from multibody.mechanics.coordinate_kinds import angles_of
from multibody.model.body import Frame
from multibody.model.joint import Joint
from multibody.model.kinematics import Kinematics
from multibody.model.loads.line import AlongLine
from multibody.model.model import QUATERNION, Model
from multibody.model.report import Finding, require_no_error
from multibody.model.sensors.distance import ConnectingLine

Values = Mapping[Symbol, float]

MANY_TURNS = 6 * pi
"""Limits of an angle that are farther apart than any mechanism turns between stops are degrees."""


def start_findings(kinematics: Kinematics, values: Values | None) -> Iterator[Finding]:
    """What is wrong, or looks wrong, with the start values of a model; ``values`` are those of parameters, if known."""
    model = kinematics.model
    for joint in model.joints:
        yield from _of_joint(joint, model)
    yield from _quaternions(model)
    if values is not None:
        yield from _open_loops(model)
        yield from _lines(kinematics, values)
        yield from _gimbal_lock(kinematics, values)


def _of_joint(joint: Joint, model: Model) -> Iterator[Finding]:
    """Ranges, angles in degrees, and values that a prescribed motion does not ask for."""
    where, angles = f"joint '{joint.name}'", angles_of(model)
    if joint.prescribed is not None and joint.written:
        yield Finding(
            "warning", f"The start values of {', '.join(sorted(joint.written))} have no effect.", where,
            "The motion of the joint is prescribed, and begins where that begins.",
            "Leave q and u away, or add them to the prescribed motion.", code="start-value-without-effect",
        )  # fmt: skip
    for q, value, limits in zip(joint.coordinates, joint.q, joint.limits, strict=True):
        start = model.start.get(q, value)
        if limits is not None and not limits[0] <= start <= limits[1]:
            yield Finding(
                "warning", f"The start value {start:g} of {q} is not between {limits[0]:g} and {limits[1]:g}.",
                where, remedy="Give another q, or other limits.", code="start-value-beyond-limits",
            )  # fmt: skip
        wide = limits is not None and MANY_TURNS < limits[1] - limits[0] < np.inf
        if q in angles and (abs(start) > 2 * pi or wide):
            what = f"starts at {start:g} rad" if abs(start) > 2 * pi else "may move by more than three turns"
            yield Finding(
                "warning", f"The angle {q} {what}.", where, "Degrees were given where radians are needed.",
                "Convert them: math.radians(45).", code="angle-in-degrees",
            )  # fmt: skip


def require_quaternions(model: Model) -> None:
    """An error if a quaternion of the start values is zero; a run normalizes one of another length."""
    require_no_error(list(_quaternions(model)))


def _quaternions(model: Model) -> Iterator[Finding]:
    """Those that are not of length one."""
    for link in model.links:
        labels = zip(link.q, link.motion.coordinates, strict=True)
        parts = [model.start[q] for q, label in labels if label in QUATERNION and isinstance(q, Symbol)]
        length = float(np.hypot.reduce(parts)) if parts else 1.0
        if abs(length - 1) > 1e-6:
            yield Finding(
                "warning" if length else "error", f"The quaternion of the start values has length {length:.6g}, not 1.",
                f"joint '{link.joint.name}'",
                f"The order of start values is {', '.join(coordinate.name for coordinate in link.joint.coordinates)}.",
                "Divide its four components by this length." if length else "Give (1, 0, 0, 0) for no rotation.",
                code="quaternion-not-unit",
            )  # fmt: skip


def _open_loops(model: Model) -> Iterator[Finding]:
    """Loops and constraints that no position near the start keeps; where they follow inputs, that may be the reason."""
    constraints = Constraints.of(Kinematics(model.unreduced or model))
    if not constraints.equations or _is_contradictory(constraints):
        return
    try:
        B = at_start(constraints)[2]
        if is_singular(B[list(constraints.independent)]):
            yield Finding(
                "warning", "The start is a singular configuration: the mechanism can move in more ways there.",
                f"system '{model.name}'", "Links lie on one line, or it is at a dead point.",
                "Start a little away from there, or derive with constraints=Multipliers(softness=1e-9).",
                code="start-singular",
            )  # fmt: skip
    except AssemblyError as error:
        follows = any(symbol.kind == "input" for symbol in free_symbols(list(constraints.gaps)))
        yield Finding(
            "warning" if follows else "error", error.what, error.where, error.cause, error.remedy, code=error.code
        )
    except NO_NUMBERS as error:
        yield Finding.of(error)


def _gimbal_lock(kinematics: Kinematics, values: Values) -> Iterator[Finding]:
    """Speeds that inertia resists in general, but not together in the position of the start."""
    model = kinematics.model
    if model.constraints or not model.speeds:
        return  # start values may be moved, and constraints may hold what has no mass
    mass = substitute(
        mass_matrix(kinematics.model, joint_poses(kinematics.model)),
        {symbol: as_expr(value) for symbol, value in values.items()},
    )
    if rank(mass) < len(mass):
        return  # in all positions, which is an error elsewhere
    known: dict[Any, float] = {**model.start, model.time: 0.0, **dict.fromkeys(model.input_symbols, 0.0)}
    numbers = np.array(evaluate(mass, known), dtype=float)
    stuck = without_inertia(numbers)
    if stuck and (np.diagonal(numbers) >= 0).all():  # negative masses are told elsewhere
        yield Finding(
            "warning", f"Nothing resists a motion of {' and '.join(model.speeds[k].name for k in stuck)} at the start.",
            f"system '{model.name}'", "Axes of hinges are in line there (gimbal lock), or masses are on an axis.",
            "Start elsewhere, or use Spherical() or Free(), which have no such positions.",
            code="mass-matrix-singular-at-start",
        )  # fmt: skip


def _is_contradictory(constraints: Constraints) -> bool:
    """Whether equations are at odds in all positions, which is told when degrees of freedom are counted."""
    try:
        constraints.generic  # noqa: B018 - which is found now
    except MultibodyError:
        return True
    return False


def _lines(kinematics: Kinematics, values: Values) -> Iterator[Finding]:
    """Loads along a line that has no direction at the start, or that cannot do anything."""
    for name, load in kinematics.model.loads.items():
        if not isinstance(load, AlongLine) or not all(isinstance(end, Frame) for end in (load.a, load.b)):
            continue
        line = ConnectingLine(kinematics, load.a, load.b)
        if line.length.fp == 0:
            continue  # in all positions, which is an error elsewhere
        if load.a.body is load.b.body:
            yield Finding(
                "warning", f"Both ends are on the body '{load.a.body.name}': it has no effect.", f"load '{name}'",
                remedy="Connect two bodies that move relative to each other.", code="load-without-effect",
            )  # fmt: skip
        elif _vanishes(line.length, load, kinematics, values):
            yield Finding(
                "warning", "At the start its ends are at the same point: it has no direction there.",
                f"load '{name}': from '{load.a.name}' to '{load.b.name}'",
                "A start value was forgotten, or a frame is at the wrong end.",
                "Start with the ends apart; for a force along a coordinate, use JointLoad, JointSpring or JointDamper.",
                code="load-without-direction-at-start",
            )  # fmt: skip


def _vanishes(length: Expr, load: AlongLine, kinematics: Kinematics, values: Values) -> bool:
    """Whether the ends meet at the start, and the force has no value there: that of a spring of length zero has."""
    model = kinematics.model
    if model.constraints:
        return False  # the start values may be moved
    inputs = dict.fromkeys(model.input_symbols, 0.0)
    known: dict[Any, float] = {**inputs, **model.start, **values, model.time: 0.0}
    try:
        if evaluate(length, known) > 0:
            return False
        evaluate([part for force in load.forces(kinematics) for part in force.force.components()], known)
    except MultibodyError:
        return True
    return False
