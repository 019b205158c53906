"""Checks that depend on values of parameters: impossible inertias, axes without a direction."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from multibody.algebra import Inertia, Symmetric3, Vec3
from multibody.algebra.inertia import Floats, InertiaProblem
from multibody.errors import ExpressionError, ModelError, MultibodyError
from multibody.graph import ZERO, Constant, Expr, Symbol, as_expr, evaluate, free_symbols
from multibody.graph.workspace import alone
from multibody.model.body import Body
from multibody.model.energy import inertia_of
from multibody.model.freeze.spatial_motion import turns_in_space
from multibody.model.model import Link, Model
from multibody.model.quantity import known_defaults

HARMLESS = "inertia-triangle-inequality"
"""Code of an inertia that only bodies that move in a plane may have."""

OF_MASS = ("mass-negative", "first-moment-without-mass")
"""Codes of problems that have nothing to do with the point that an inertia refers to."""

NEGATIVE = 1e-9
"""How far below zero an eigenvalue of a mass matrix is more than rounding, relative to the largest one."""

POINT = "A sign is wrong, or the inertia refers to another point than stated (about='com' or 'origin')."

_log = logging.getLogger("multibody")

Values = Mapping[Any, Any]
"""Numbers by the symbols of parameters."""


class Doubts(NamedTuple):
    """What may become impossible in a model, and the parameters that decide about it.

    Attributes:
        symbols: the parameters.
        axes: for links whose axes depend on parameters, the components of these.
        inertias: for whatever moves as one, the names of its bodies, and the ten numbers of its inertia.
        twins: entries of inertias that must be the same, each pair with its body.
    """

    symbols: tuple[Symbol, ...]
    axes: tuple[tuple[Link, Sequence[Expr]], ...]
    inertias: tuple[tuple[tuple[str, ...], Sequence[Expr]], ...]
    twins: tuple[tuple[str, Symbol, Symbol], ...]


DOUBTS, POSSIBLE_VALUES = "doubts about inertias and axes", "latest values that are possible"
UNUSUAL_INERTIAS = "bodies with such inertias that were looked at"
"""Names of what a model remembers."""


def require_possible(model: Model, values: Values) -> None:
    """An error if a joint has no axis, or what it carries has an inertia that nothing has.

    Bodies that are fixed to each other count as one: a hole may be a body of negative mass.

    Args:
        model: what is to move.
        values: of all parameters.
    """
    now = tuple(values.get(symbol) for symbol in doubts_about(model).symbols)
    if model.remembered.get(POSSIBLE_VALUES) == now:
        return
    for finding in chain(axes_without_direction(model, values), _different_twins(model, values)):
        raise finding
    numbers = _inertia_numbers(model, values)
    problems = _problems(_side_by_side(numbers), planar=False)
    impossible = any(problem.code != HARMLESS for problem in problems)
    findings = _impossible_inertias(model, values, numbers) if impossible else iter(())
    for finding in chain(findings, _impossible_matrix(model, values)):
        raise finding
    if problems:
        _warn_of_unusual_inertias(model, values, numbers)
    model.remembered[POSSIBLE_VALUES] = now


def possible_values(model: Model, given: Mapping[str, float] | None = None) -> dict[Symbol, float]:
    """The number for every parameter, as by ``model.parameter_values``; an error if they are impossible together."""
    values = model.parameter_values(given)
    require_possible(model, values)
    return values


def require_possible_numbers(model: Model, values: Values) -> None:
    """The same as far as values are known: an error if a mass or an inertia is impossible whatever the others are."""
    if all(symbol in values for symbol in doubts_about(model).symbols):
        require_possible(model, values)
        return
    require_known_inertias(model.name, model.inertias, values)


def require_known_inertias(
    system: str, inertias: Iterable[tuple[tuple[str, ...], Sequence[Any]]], values: Values, *, planar: bool = True
) -> None:
    """An error if a mass or an inertia is impossible, as far as values are known.

    Args:
        system: its name.
        inertias: the names of bodies that move as one; mass, first moment and tensor.
        values: of parameters.
        planar: see ``known_problems``.
    """
    for bodies, parts in inertias:
        for problem in known_problems(parts, values, planar=planar):
            used = [parameter for parameter in _parameters([as_expr(part) for part in parts]) if parameter in values]
            raise _impossible(system, bodies, problem, values, used)


def known_problems(parts: Sequence[Any], values: Values, *, planar: bool = True) -> list[InertiaProblem]:
    """What is wrong with an inertia as far as its numbers are known; of the mass alone, if others are not.

    Args:
        parts: mass, first moment and tensor, ten scalars.
        values: of parameters, as far as they are known.
        planar: whether a moment may be larger than the sum of the other two, as that of a body that moves in a plane.
    """
    numbers = [_number(part, values) for part in parts]
    known = [numbers[0], *[0.0] * 9] if None in numbers else numbers
    return [] if known[0] is None else _problems(known, planar=planar)


def all_possible(model: Model, values: Values) -> bool:
    """Whether ``require_possible`` has nothing against any of many runs, whose values are arrays; found at once."""
    doubts = doubts_about(model)
    axes = [part for _, parts in doubts.axes for part in parts]
    if axes and not all(np.isfinite(component).all() for component in evaluate(axes, {**values, **_somewhere(axes)})):
        return False
    if not all(np.array_equal(values[twin], values[other]) for _, twin, other in doubts.twins):
        return False
    if _negative_speeds(model, values):
        return False
    if not doubts.inertias:
        return True
    numbers = _inertia_numbers(model, values)
    problems = _problems(_side_by_side(numbers), planar=False)
    if any(problem.code != HARMLESS for problem in problems):
        return False
    if problems:
        _warn_of_unusual_inertias(model, values, numbers)
    return True


def doubts_about(model: Model) -> Doubts:
    """What may become impossible in a model, found once."""
    known: Doubts | None = model.remembered.get(DOUBTS)
    if known is None:
        known = model.remembered.setdefault(DOUBTS, _find_doubts(model))  # the first of several threads counts
    return known


@alone
def _find_doubts(model: Model) -> Doubts:
    axes = [(link, [as_expr(x) for axis in link.motion.axes(link.q) for x in axis.components()])
            for link in model.links]  # fmt: skip
    inertias = model.inertias
    unsure = tuple((link, parts) for link, parts in axes if _parameters(parts))
    twins = model.twins
    matrix = () if model.given_mass_matrix is None else tuple(model.given_mass_matrix.flat)
    parts = [*(part for _, parts in (*unsure, *inertias) for part in parts), *matrix]
    symbols = _parameters([*parts, *(symbol for _, *pair in twins for symbol in pair)])
    return Doubts(symbols, unsure, inertias, twins)


def axes_without_direction(model: Model, values: Values) -> Iterator[ModelError]:
    """Errors for joints whose axis depends on parameters that are such that it has length zero."""
    for link, parts in doubts_about(model).axes:
        try:
            evaluate(list(parts), {**values, **_somewhere(parts)})
        except ExpressionError:
            yield ModelError(
                "The axis has length zero, and no direction.",
                code="axis-without-direction",
                where=f"joint '{link.joint.name}' of system '{model.name}'",
                cause=_told(values, _parameters(parts)),
                remedy="Give other values to these parameters.",
                name=link.joint.name,
            )


def _inertia_numbers(model: Model, values: Values) -> Floats:
    """For whatever moves as one, the ten numbers of its inertia, a column for each run."""
    inertias = doubts_about(model).inertias
    if not inertias:
        return np.empty((0, 10, 1))
    found = evaluate([part for _, parts in inertias for part in parts], values)
    columns = np.array([np.ravel(entry) for entry in np.broadcast_arrays(*found)], dtype=np.float64)
    return columns.reshape(len(inertias), 10, -1)


def _side_by_side(numbers: Floats) -> Floats:
    """The same as one batch of inertias, to look at all of them together, because that is quick."""
    return numbers.swapaxes(0, 1).reshape(10, -1)


def _impossible_inertias(model: Model, values: Values, numbers: Floats) -> Iterator[ModelError]:
    for (bodies, parts), columns in zip(doubts_about(model).inertias, numbers, strict=True):
        for problem in _problems(columns):
            yield _impossible(model.name, bodies, problem, values, _parameters(parts))


def _warn_of_unusual_inertias(model: Model, values: Values, numbers: Floats) -> None:
    """A message in the log for bodies that turn in space with an inertia that only bodies in a plane may have.

    Each body is named once, with the values of the first such run. How bodies of subsystems turn is not known here.
    """
    links = {body.name: link for body, (link, _) in model.attachments.items()}
    settled = model.remembered.setdefault(UNUSUAL_INERTIAS, set())
    for (bodies, parts), columns in zip(doubts_about(model).inertias, numbers, strict=True):
        if bodies in settled or not _problems(columns, planar=False):
            continue
        settled.add(bodies)
        run = next(run for run, column in enumerate(columns.T) if _problems(column, planar=False))
        own = {symbol: np.ravel(value)[min(run, np.size(value) - 1)] for symbol, value in values.items()}
        if turns_in_space(model, links.get(bodies[0], -1), own):
            problem = _problems(columns[:, run], planar=False)[0]
            _log.warning("%s", _impossible(model.name, bodies, problem, own, _parameters(parts)))


def _impossible(
    system: str, bodies: Sequence[str], problem: InertiaProblem, values: Values, parameters: Sequence[Symbol]
) -> ModelError:
    label = f"{'body' if len(bodies) == 1 else 'bodies'} {', '.join(map(repr, bodies))}"
    limit = "of which none is more than the sum of the other two" if problem.code == HARMLESS else ">= 0"
    return ModelError(
        str(problem),
        code=problem.code,
        where=f"{label} of system '{system}'",
        cause=f"{POINT} {_told(values, parameters)}".rstrip(),
        remedy=f"Give a mass >= 0 and an inertia with principal moments {limit}, about the center of mass.",
        names=tuple(bodies),
    )


def _different_twins(model: Model, values: Values) -> Iterator[ModelError]:
    """Entries of a matrix that serves as an inertia, and is not symmetric any more."""
    for body, twin, other in doubts_about(model).twins:
        if values[twin] != values[other]:
            yield ModelError(
                f"The inertia is not symmetric: {twin.name} is {values[twin]:g}, {other.name} is {values[other]:g}.",
                code="inertia-not-symmetric",
                where=f"body '{body}' of system '{model.name}'",
                remedy="Give both entries the same value.",
                name=body,
            )


def _impossible_matrix(model: Model, values: Values) -> Iterator[ModelError]:
    """A mass matrix that was given by equations, and is negative for some motion."""
    names = _negative_speeds(model, values)
    if names:
        yield ModelError(
            f"The inertia of {', '.join(names)} is negative: the mass matrix at the start has a negative eigenvalue.",
            code="mass-matrix-negative",
            where=f"system '{model.name}'",
            cause=f"A mass or a sign is wrong. {_told(values, doubts_about(model).symbols)}".rstrip(),
            remedy="Give masses >= 0; dynamic equations are applied forces minus inertia forces, such as F - m*v_dot.",
            names=tuple(names),
        )


def _negative_speeds(model: Model, values: Values) -> list[str]:
    """The speeds of motions with negative kinetic energy at the start; for one run, or for any of many.

    A matrix that is not symmetric is passed over: the rows of its equations are not forces on the speeds.
    """
    matrix = model.given_mass_matrix
    if matrix is None or not matrix.size:
        return []
    known = {model.time: 0.0, **dict.fromkeys(model.input_symbols, 0.0), **model.start, **values}
    try:
        with np.errstate(all="ignore"):
            entries = np.broadcast_arrays(*evaluate(list(matrix.flat), known))
    except ExpressionError:
        return []
    table = np.array([np.ravel(entry) for entry in entries], dtype=np.float64).T.reshape(-1, *matrix.shape)
    table = table[np.isfinite(table).all(axis=(1, 2))]
    sizes = np.abs(table).max(axis=(1, 2), initial=0.0)
    table = table[np.abs(table - table.swapaxes(1, 2)).max(axis=(1, 2), initial=0.0) <= NEGATIVE * sizes]
    if not len(table):
        return []
    moments, motions = np.linalg.eigh(table)
    worst = int(np.argmin(moments[:, 0]))
    if moments[worst, 0] >= -NEGATIVE * np.abs(moments[worst]).max():
        return []
    share = np.abs(motions[worst, :, 0])
    return [speed.name for speed, part in zip(model.speeds, share, strict=True) if part > 0.3]


def require_possible_bodies(model: Model) -> None:
    """An error for bodies that nothing can be made of, as far as numbers and defaults of parameters say.

    Of bodies that are fixed to each other, one may have a negative mass: a hole. Those that are fixed to the world do
    not move, and may have any.
    """
    for error in impossible_bodies(model):
        raise error


def impossible_bodies(model: Model) -> Iterator[ModelError]:
    """Such errors for all bodies."""
    values = known_defaults(model.parameters)
    for body in _doubtful(model.bodies, values):
        found = [finding for finding in problems_of_body(body, values) if finding.code != HARMLESS]
        wholes = [parts for bodies, parts in model.inertias if body.name in bodies and len(bodies) > 1]
        fixed = model.attachments[body][0] < 0
        for problem in () if fixed or any(_is_possible(parts, values) for parts in wholes) else found:
            used = [
                parameter
                for parameter in _parameters([as_expr(x) for x in inertia_of(body).components()])
                if parameter in values
            ]
            point = "" if problem.code in OF_MASS else POINT
            yield ModelError(
                str(problem),
                code=problem.code,
                where=f"body '{body.name}'",
                cause=f"{point} {_told(values, used)}".strip(),
                remedy="Give a mass >= 0 and an inertia with principal moments >= 0.",
                name=body.name,
            )


def problems_of_body(body: Body, values: Values) -> list[InertiaProblem]:
    """What is wrong with the inertia of a body, as far as it is known: all of it, or its mass and its tensor alone."""
    inertia = inertia_of(body)
    numbers = [_number(part, values) for part in inertia.components()]
    if all(number is not None for number in numbers):
        mass, x, y, z, *tensor = numbers
        return Inertia(mass, Vec3(x, y, z), Symmetric3(*tensor)).problems()
    mass = _number(body.mass, values)
    central = [_number(part, values) for part in body.inertia.components()]
    if any(moment is None for moment in central):
        return [] if mass is None else Inertia.rigid_body(mass).problems()
    return Inertia.rigid_body(1.0 if mass is None else mass, tensor=Symmetric3(*central)).problems()


def _number(part: Any, values: Values) -> float | None:
    expression = as_expr(part)
    if isinstance(expression, Constant):
        return float(expression.value)
    if any(symbol not in values for symbol in free_symbols(expression)):
        return None
    try:
        return float(evaluate(expression, values))
    except ExpressionError:
        return None


def _doubtful(bodies: Sequence[Body], values: Values) -> Sequence[Body]:
    """Bodies with products of inertia, or with masses and moments that are not seen to be positive or zero."""
    plain = [
        body
        for body in bodies
        if all(product is ZERO for product in (body.inertia.xy, body.inertia.xz, body.inertia.yz))
    ]
    entries = [entry for body in plain for entry in (body.mass, body.inertia.xx, body.inertia.yy, body.inertia.zz)]
    parts = [entry for entry in entries if not isinstance(entry, Constant) and entry not in values]
    try:
        numbers = {**values, **dict(zip(parts, evaluate(parts, values), strict=True))} if parts else values
    except MultibodyError:  # some values are missing
        return bodies
    good = [(entry.value if isinstance(entry, Constant) else numbers[entry]) >= 0 for entry in entries]
    fine = {body for k, body in enumerate(plain) if all(good[4 * k : 4 * k + 4])}
    others = [body for body in bodies if body not in fine]
    return others if others and _has_problems(others, values) else []


def _has_problems(bodies: Sequence[Body], values: Values) -> bool:
    """Whether something is wrong with any of several bodies, or is not known; all at once, because that is quick."""
    try:
        numbers = evaluate([[body.mass, *body.com, *body.inertia.components()] for body in bodies], values)
    except MultibodyError:
        return True
    mass, x, y, z, *tensor = np.array(numbers, dtype=np.float64).T
    found = Inertia.rigid_body(mass, Vec3(x, y, z), Symmetric3(*tensor)).problems()
    return any(finding.code != HARMLESS for finding in found)


def _is_possible(parts: Sequence[Expr], values: Values) -> bool:
    numbers = [_number(part, values) for part in parts]
    return all(number is not None for number in numbers) and not _problems(numbers)


def _problems(numbers: Any, *, planar: bool = True) -> list[InertiaProblem]:
    """What is wrong with an inertia, or with any of a batch of them."""
    if not np.size(numbers):
        return []
    mass, x, y, z, *tensor = numbers
    found = Inertia(mass, Vec3(x, y, z), Symmetric3(*tensor)).problems()
    return [finding for finding in found if not planar or finding.code != HARMLESS]


def _somewhere(parts: Sequence[Expr]) -> Values:
    """Any position will do."""
    return dict.fromkeys((symbol for symbol in free_symbols(list(parts)) if symbol.kind != "parameter"), 0.3)


def _parameters(parts: Sequence[Expr]) -> tuple[Symbol, ...]:
    return tuple(symbol for symbol in free_symbols(list(parts)) if symbol.kind == "parameter")


def _told(values: Values, symbols: Sequence[Symbol]) -> str:
    return f"Parameters: {', '.join(f'{symbol.name}={values[symbol]:g}' for symbol in symbols)}." if symbols else ""
