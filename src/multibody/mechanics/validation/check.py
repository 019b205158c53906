"""Is this system what its author meant? Everything that can be found out before equations are derived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.algebra import ForceMotor
from multibody.errors import MissingValueError, MultibodyError
from multibody.graph import Symbol, as_expr, evaluate, is_zero
from multibody.graph.workspace import alone
from multibody.mechanics.constraints.independence import Constraints
from multibody.mechanics.validation.constraint_velocities import inconsistent_velocities
from multibody.mechanics.validation.load_potentials import wrong_potentials
from multibody.mechanics.validation.mass import mass_findings, singular_findings
from multibody.mechanics.validation.start_values import start_findings
from multibody.mechanics.validation.symbols import symbol_findings
from multibody.model.body import Body, Frame
from multibody.model.freeze.constant_parts import changing_parts
from multibody.model.freeze.freezing import frozen
from multibody.model.freeze.inertia_checks import axes_without_direction
from multibody.model.freeze.joint_motions import inconsistent_motions
from multibody.model.joint import Joint
from multibody.model.kinematics import ZERO3, Kinematics
from multibody.model.loads.gravity import GravityField
from multibody.model.model import Model
from multibody.model.quantity import Parameter, defaults
from multibody.model.report import Finding, Report

if TYPE_CHECKING:
    from multibody.model.system import System


@alone
def check(system: System) -> Report:
    """All that is wrong with a system, or looks as if it were.

    Example:
        >>> from multibody.model import System
        >>> arm = System("arm")
        >>> elbow = arm.joint("elbow", arm.world, arm.body("hand", mass=1), "Rz")
        >>> print(check(arm))
        system 'arm': 1 body, 1 joint, 0 loops, 1 degree of freedom
        error: Nothing resists the speed elbow_dot: the mass matrix is singular. [mass-matrix-singular]
          where: joint 'elbow', which moves body 'hand'
          cause: What the joint moves has no mass, or no inertia about its axis.
          fix: Give a body that it carries a mass off the axis, or an inertia about it.
    """
    values, found = _parameter_values(system)
    found += map(Finding.of, (*changing_parts(system), *inconsistent_motions(system.all(Joint))))
    loops = freedom = model = None
    try:
        model = frozen(system, tried=True)
    except MultibodyError as error:
        found.append(Finding.of(error))
    found += mass_findings(system.all(Body), system.all(Parameter), model)
    if model is not None:
        loops = len(model.cuts)
        try:
            freedom = degrees_of_freedom(model)
        except MultibodyError as error:
            found.append(Finding.of(error))
        found += model_findings(system, model, values)
    bodies, joints = len(list(system.all(Body))) - 1, len(list(system.all(Joint)))
    placed = {_bare(finding) for finding in found if finding.where}
    once = (finding for finding in dict.fromkeys(found) if finding.where or _bare(finding) not in placed)
    ordered = sorted(once, key=lambda finding: finding.severity)  # errors come before warnings
    given = sum(len(joint.speeds) for joint in system.all(Joint) if joint.prescribed is not None)
    return Report(system.name, bodies, joints, loops, freedom, tuple(ordered), given)


def model_findings(system: System, model: Model, values: dict[Symbol, float] | None) -> Iterator[Finding]:
    """What shows once the tree is known."""
    kinematics = Probe(model)
    lost = [] if values is None else [Finding.of(error) for error in axes_without_direction(model, values)]
    yield from lost
    if not lost:  # or else there are no numbers for the masses that move about the axes
        yield from _found(singular_findings(kinematics, values))
    yield from _found(symbol_findings(system, kinematics))
    yield from _found(start_findings(kinematics, values))
    yield from _found(unit_findings(system, values))
    yield from _found(map(Finding.of, (*wrong_potentials(model), *inconsistent_velocities(model))))
    fields = [load for load in model.loads.values() if isinstance(load, GravityField) and load.bodies is None]
    if fields and not all(map(is_zero, model.gravity)):
        yield Finding(
            "warning", "Gravity acts twice: by the system and by a field.", f"system '{model.name}'",
            remedy="Make the system with gravity=(0, 0, 0) if the field is meant to replace it.", code="gravity-twice",
        )  # fmt: skip


def _found(findings: Iterator[Finding]) -> Iterator[Finding]:
    """The findings; an error on the way is one, too."""
    try:
        yield from findings
    except MultibodyError as error:
        yield Finding.of(error)


class Probe(Kinematics):
    """Kinematics that answers for forces in joints too, so that all sensors can be tried."""

    def reaction(self, joint: Joint) -> ForceMotor:
        """Nothing."""
        return ForceMotor(ZERO3, ZERO3)


def degrees_of_freedom(model: Model) -> int:
    """How many speeds can be chosen freely, for almost all positions.

    A mechanism that moves only because of special lengths has more freedom than is counted here; ``system.analyse()``
    counts it.
    """
    constraints = Constraints.of(Kinematics(model.unreduced or model))
    return len(constraints.model.speeds) - len(constraints.generic)


def _bare(finding: Finding) -> Finding:
    """What was found, without the place, the cause and the remedy."""
    return replace(finding, where="", cause="", remedy="")


def _parameter_values(system: System) -> tuple[dict[Symbol, float] | None, list[Finding]]:
    """The defaults of all parameters; None with a finding if some have none."""
    try:
        return defaults(system.all(Parameter)), []
    except MissingValueError as error:
        return None, [Finding("warning", error.what, "parameters", remedy=error.remedy, code=error.code)]


HEAVY = 300.0
"""Gravity in m/s² beyond that of any place where machines work; on the Sun it is 274."""

FAR = 100.0
"""Radius of gyration of a body, relative to the size of the whole system, above which units are in doubt."""

UNITS = "Units are metre, kilogram, second and radian, and nothing is converted."


def unit_findings(system: System, values: Mapping[Any, float] | None) -> Iterator[Finding]:
    """Gravity and inertias that look as if units were mixed; ``values`` are those of parameters, if known."""
    if values is None:
        return
    g = _length(system.gravity, values)
    if g > HEAVY:
        yield Finding(
            "warning", f"Gravity is {g:g} m/s².", f"system '{system.name}'", "It is given in mm/s².", UNITS,
            code="gravity-unit-doubtful",
        )  # fmt: skip
    bodies = [body for body in system.all(Body) if body is not system.world]
    places = [body.com for body in bodies] + [frame.pose.position for frame in system.all(Frame)]
    size = max((_length(place, values) for place in places), default=0.0)
    for body in bodies:
        radius = _gyration(body, values)
        if size and radius > FAR * size:
            yield Finding(
                "warning",
                f"The inertia is that of a body {radius:.3g} m in size, and the whole system spans {size:.3g} m.",
                f"body '{body.name}'", "It is given in kg·mm², or lengths are given in km.", UNITS,
                code="inertia-unit-doubtful",
            )  # fmt: skip


def _gyration(body: Body, values: Mapping[Any, float]) -> float:
    """The largest radius of gyration, √(I/m)."""
    mass, *moments = _numbers([body.mass, body.inertia.xx, body.inertia.yy, body.inertia.zz], values)
    return sqrt(max(moments) / mass) if mass > 0 and max(moments) > 0 else 0.0


def _length(vector: Any, values: Mapping[Any, float]) -> float:
    return float(np.linalg.norm(_numbers(list(vector), values)))


def _numbers(parts: list[Any], values: Mapping[Any, float]) -> list[float]:
    """Numbers, or zeros where they depend on more than parameters, which is reported elsewhere."""
    try:
        return [float(number) for number in evaluate([as_expr(part) for part in parts], values)]
    except MultibodyError:
        return [0.0] * len(parts)
