"""A free rigid body as a subsystem: the equations of Newton and Euler (MoSs, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from multibody.algebra import Symmetric3, Vec3
from multibody.errors import ModelError, MultibodyError
from multibody.graph import ONE, ZERO, Expr, Symbol, as_expr, cos, free_symbols, sin, symbol
from multibody.graph.names import check
from multibody.graph.workspace import alone
from multibody.model.freeze.inertia_checks import require_known_inertias
from multibody.model.quantity import Input, Parameter, known_defaults, rate_name
from multibody.subsystems.appearance import Appearance, BodyInertia
from multibody.subsystems.arguments.groups import Progress
from multibody.subsystems.arguments.naming import shared_inputs, shared_parameters
from multibody.subsystems.arguments.vocabulary import LevelVocabulary, rate_symbol
from multibody.subsystems.coupling import subsystem
from multibody.subsystems.energy import PartialEnergy
from multibody.subsystems.rigid_body.inertia_symmetry import inertia_tensor
from multibody.subsystems.rigid_body.options import normal, unknown_option
from multibody.subsystems.rigid_body.placement import AXES, Placement
from multibody.subsystems.subsystem import Subsystem

_G = symbol("g", "parameter")
_XI = symbol("xi", "parameter")
_DIRECTIONS = {
    sign + axis: Vec3(*(value if axis == other else ZERO for other in AXES))
    for axis in AXES
    for sign, value in (("", ONE), ("+", ONE), ("-", -ONE))
}


@alone
def newton_euler(
    label: str, position: str = "none", gravity: Any = "default", inertia: str = "central",
    torque: Iterable[Any] = (0, 0, 0), force: Iterable[Any] = (0, 0, 0), *, parameters: Any = (), inputs: Any = (),
    reference: Mapping[str, Any] | None = None, start: Mapping[str, Any] | None = None, description: str = "",
    progress: Progress | None = None,
) -> Subsystem:  # fmt: skip
    """A single free rigid body: m·v̇ = m·g + F and J·ω̇ + ω × J·ω = T, with coordinates of your choice.

    The quasi-velocities are the velocity of the center of mass in inertial axes, ``v_B_x`` …, and the angular velocity
    in body axes, ``w_B_x`` …. Where the orientation is described, constraints may use the entries of the rotation
    matrix by their names: ``R_B_xz`` is the x-component of the body's z-axis in inertial axes; see also ``rotation``.

    Args:
        label: of the body, say ``"B"``; all names contain it.
        position: the coordinates. "none"; "position" (``p_B_x`` … in inertial axes); "quaternion" (position, and
            ``q_B_t``, ``q_B_x`` …, scalar part ``q_B_t``); or one of the twelve sequences "xyx euler angles" …
            "zyx euler angles", in short "zyx" (position, and the angles ``psi_B``, ``phi_B``, ``theta_B`` about moving
            axes, in this order). After it "redundant": the rates of the angles are quasi-velocities too, and
            independent ones, in place of ω. Sequences like "zxz" are singular where phi_B is 0: give another start.
        gravity: "default", g·(sin ξ, 0, cos ξ) with parameters ``g`` and ``xi``; "none"; "x", "-x", "y", "-y", "z",
            "-z" for ±g along an axis; three components of the acceleration; or anything else as an angle in place of ξ.
        inertia: the symmetry: "spherical", "cylindrical x", "cylindrical y", "cylindrical z", "central", "xy plane",
            "xz plane", "yz plane", "general"; see ``inertia_tensor`` for the names of the parameters.
        torque: three components in body axes: numbers, text, expressions.
        force: three components in inertial axes, at the center of mass.
        parameters: values by name, of ``m_B``, ``g`` … and of new ones in ``torque``, ``force`` and ``gravity``:
            numbers, or formulas such as ``"m_B*a**2/12"``; or names of new ones.
        inputs: names of inputs in ``torque``, ``force`` and ``gravity``.
        reference: a reference motion, by the names of variables; rest in inertial axes by default.
        start: values at the beginning of a run.
        description: what it is.
        progress: receives the label, the finished stage, and the seconds that it took.

    Raises:
        ModelError: for options that do not exist, names that are not defined, and numbers that no body has.

    Example:
        >>> ball = newton_euler("B", "position", "-z", "spherical", force=("F", 0, 0), inputs="F")
        >>> print(ball.dynamics)
              | d
        ------+-----------------------
        v_B_x | F - m_B*v_B_x_dot
        v_B_y | -m_B*v_B_y_dot
        v_B_z | -g*m_B - m_B*v_B_z_dot
        w_B_x | -I_B*w_B_x_dot
        w_B_y | -I_B*w_B_y_dot
        w_B_z | -I_B*w_B_z_dot
    """
    place = Placement.described(check(label, what="subsystem"), position)
    m, J = symbol(f"m_{label}", "parameter"), inertia_tensor(label, inertia)
    names = [*(variable.name for variable in place.variables), *place.cosines]
    own = [expression for expression in (m, *J.components(), _G, _XI) if isinstance(expression, Symbol)]
    known = shared_parameters(label, (), parameters, names, [symbol.name for symbol in own])
    whole = BodyInertia((label,), (m, ZERO, ZERO, ZERO, *map(as_expr, J.components())))
    require_known_inertias(label, [whole], known_defaults(known), planar=False)
    driven = shared_inputs(label, (), inputs, names)
    words = _words(place, own, known, driven)
    field, moved = _field(gravity, words), dict(reference or {})
    rows = _dynamics(place, m, J, field * m + _components(force, "force", words), _components(torque, "torque", words))
    made = subsystem(
        label,
        {0: [*place.position, *place.orientation], 1: [*place.velocity, *place.spin, *place.angle_rates]},
        rows, kinematics=place.kinematics, constraints=place.invariants,
        independent=[*place.velocity, *place.angle_rates] if place.redundant else None,
        parameters={symbol.name: symbol for symbol in known}, inputs=driven, reference=place.at_rest | moved,
        start=start,
        identities=place.identities, quaternions=[[entry.name for entry in group] for group in place.quaternions],
        energy=PartialEnergy(_kinetic(place, m, J), _potential(place, m, field)),
        description=description or f"Newton-Euler equations of the free rigid body {label}", progress=progress,
    )  # fmt: skip
    return replace(made, aliases={**made.aliases, **place.cosines}, appearance=Appearance(inertias=(whole,)))


def _dynamics(place: Placement, m: Expr, J: Symmetric3, F: Vec3, T: Vec3) -> dict[str, Expr]:
    """d̄: F - m·v̇ in inertial axes, T - J·ω̇ - ω × J·ω in body axes."""
    a, alpha = (Vec3(*map(rate_symbol, group)) for group in (place.velocity, place.spin))
    w = Vec3(*place.spin)
    linear = F - a * m
    angular = T - J @ alpha - w.cross(J @ w)
    rows = zip((*place.velocity, *place.spin), (*linear, *angular), strict=True)
    return {variable.name: row for variable, row in rows}


def _kinetic(place: Placement, m: Expr, J: Symmetric3) -> Expr:
    v, w = Vec3(*place.velocity), Vec3(*place.spin)
    return (v.dot(v) * m + w.dot(J @ w)) / 2


def _potential(place: Placement, m: Expr, field: Vec3) -> Expr:
    """-m·g·p, where there is a position and the field never changes; otherwise gravity is a force like others."""
    constant = all(symbol.kind == "parameter" for symbol in free_symbols(list(field)))
    return -m * field.dot(Vec3(*place.position)) if place.position and constant else ZERO


def _words(
    place: Placement, own: Iterable[Symbol], parameters: Iterable[Parameter], inputs: Iterable[Input]
) -> LevelVocabulary:
    """What torque, force and gravity may speak of."""
    found: list[Any] = list(own)
    found += [symbol for p in parameters for symbol in p.default]
    found += [symbol for input_ in inputs for symbol in input_.flat]
    rates = {rate_name(name): rate for name, rate in place.kinematics.items()}
    return LevelVocabulary(
        place.label, {**rates, **place.cosines, **{symbol.name: symbol for symbol in (*found, *place.variables)}}
    )


def _components(given: Any, what: str, words: LevelVocabulary) -> Vec3:
    """Three components, read."""
    things = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    if len(things) != 3:
        raise ModelError(
            f"The {what} has {len(things)} component{'s' if len(things) != 1 else ''}, not 3.",
            where=f"newton_euler of subsystem '{words.label}'",
            remedy=f"Give {what}=(x, y, z), each a number, a text or an expression.",
            code="number-of-components-wrong",
            value=len(things),
        )
    return Vec3(*(words.read(element, f"{what} along {axis}") for element, axis in zip(things, AXES, strict=True)))


def _field(given: Any, words: LevelVocabulary) -> Vec3:
    """The acceleration of gravity in inertial axes."""
    name = normal(given) if isinstance(given, str) else ""
    if name == "none":
        return Vec3(ZERO, ZERO, ZERO)
    if name in _DIRECTIONS:
        return _DIRECTIONS[name] * _G
    if not isinstance(given, str) and isinstance(given, Iterable):
        return _components(given, "gravity", words)
    angle = _XI if name == "default" else _angle(given, words)
    return Vec3(_G * sin(angle), ZERO, _G * cos(angle))


def _angle(given: Any, words: LevelVocabulary) -> Expr:
    """An angle of the user's own; what cannot be read as one is probably a misspelled option."""
    try:
        return words.read(given, "gravity")
    except MultibodyError as error:
        valid = ["default", "none", *(sign + axis for axis in AXES for sign in ("", "-"))]
        further = f", three components, or an angle. As an angle it cannot be read: {error.what}"
        raise unknown_option("gravity", given, valid, words.label, further=further.removesuffix(".")) from error
