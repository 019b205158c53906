"""The verb ``linearize_symbolic``: linear systems in which some quantities are left free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.argument_checks import require_equations
from multibody.errors import ExpressionError
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    closed_form,
    evaluate,
    free_symbols,
    isolated,
    substitute,
    topological,
)
from multibody.graph.piecewise.signs import random_values, with_signs
from multibody.linearization.derivatives.elimination import eliminated, reaction
from multibody.linearization.derivatives.independent_coordinates import IndependentChoice, choice
from multibody.linearization.derivatives.matrices import Expressions
from multibody.linearization.derivatives.signals import input_places, output_signals, units
from multibody.linearization.derivatives.slopes import GEOMETRY, STEADY, Blocks, Slopes
from multibody.linearization.operating_points.point import LinearizationPoint
from multibody.linearization.state_space.symbolic_point import Values, symbolic_place
from multibody.linearization.state_space.symbolic_system import SymbolicLinearSystem
from multibody.mechanics.constraints.rank import Sparse


def linearize_symbolic(
    eom: EquationsOfMotion, at: Mapping[str, Any] | None = None, *, free: Iterable[Any] = (),
    inputs: Iterable[str] | None = None, outputs: Iterable[str] | Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None, independent: Iterable[str] = (), t: Any = 0.0,
) -> SymbolicLinearSystem:  # fmt: skip
    """The linear system near an operating point with symbols in it.

    Args:
        eom: equations of motion.
        at: numbers or formulas by name, for coordinates, speeds and inputs. What is not given has its start value;
            inputs are zero. Dependent speeds follow from the constraints, dependent coordinates do so where everything
            that they depend on is a number.
        free: names or symbols of coordinates, speeds, inputs and parameters that stay symbols. Parameters without a
            default stay symbols, too.
        inputs: names of those that are inputs of the linear system; by default all.
        outputs: as in ``linearize``.
        parameters: numbers or formulas by name, where they are not the defaults.
        independent: names of coordinates and speeds that shall be states.
        t: time, a number or an expression.

    Raises:
        ModelError: for names that do not exist, or coordinates that do not keep the constraints.
        ExpressionError: where a derivative does not exist at the point.

    Example:
        >>> import multibody as mb
        >>> from multibody.linearization import linearize_symbolic
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -10))
        >>> m, l = pendulum.parameters(m=2.0, l=1.0)
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", m, (0, 0, -l)), "Ry")
        >>> lin = linearize_symbolic(mb.derive(pendulum), free=["angle", "l"])
        >>> lin.readable().A
        array([[0, 1],
               [-10*cos(angle)/l, 0]], dtype=object)
        >>> abs(lin.at(angle=0.0, l=2.5).poles).round(12)
        array([2., 2.])
    """
    require_equations(eom, "linearize_symbolic")
    signals, chosen = output_signals(eom, outputs), input_places(eom, inputs)
    slopes = Slopes(eom, signals)
    with isolated(*topological([*slopes.equations, *slopes.matrix.flat])):
        return _linearized(slopes, chosen, symbolic_place(eom, at, free, parameters, t), independent)


def _linearized(
    slopes: Slopes, chosen: list[int], place: tuple[Values, set[Symbol]], independent: Iterable[str]
) -> SymbolicLinearSystem:
    """The linear system at a place, whose first entry are values, and whose second says for what they were given."""
    eom, signals, algebra = slopes.eom, slopes.outputs, Expressions(slopes.eom.model)
    values, said = place
    if not _keeps_velocity_constraints(eom, values):
        wanted = [*_names(said & set(eom.speeds)), *_named_coordinates(eom, independent)]
        values = _with_dependent_speeds(eom, values, _division(slopes, values, wanted), algebra)
    division = _division(slopes, values, independent)

    still: Values = dict.fromkeys((*eom.model.accelerations, *eom.multipliers), ZERO)
    found = reaction(_substituted(slopes, slopes.part(STEADY), values | still), division, algebra)
    values |= _reactions(eom, division, found)
    blocks = _substituted(slopes, slopes.matrix, values)
    linear = eliminated(blocks, division, chosen, algebra)

    model = eom.model
    states = [model.coordinates[k] for k in division.coordinates.free]
    states += [model.speeds[k] for k in division.speeds.free]
    measured = {signal.name: signal.unit for signal in signals}
    return SymbolicLinearSystem(
        linear.A, linear.B, linear.C, linear.D,
        tuple(_names(states)),
        tuple(model.input_symbols[k].name for k in chosen),
        tuple(signal.name for signal in signals),
        units(eom) | measured,
        model,
        {symbol.name: value for symbol, value in values.items() if isinstance(symbol, Symbol)},
        np.concatenate([blocks.value("rates"), array([values[acceleration] for acceleration in model.accelerations])]),
        blocks.value("output"),
        linear.T,
        linear.S,
        linear.descriptor,
        division,
        tuple(_names(eom.multipliers)),
        tuple(blocks.value("position")),
        slopes=slopes,
    )  # fmt: skip


def _names(symbols: Iterable[Symbol]) -> list[str]:
    return [symbol.name for symbol in symbols]


def _named_coordinates(eom: EquationsOfMotion, names: Iterable[str]) -> list[str]:
    known = _names(eom.coordinates)
    return [name for name in names if name in known]


def _division(slopes: Slopes, values: Values, independent: Iterable[str]) -> IndependentChoice:
    """Independent coordinates and speeds, decided by numbers at random values of what is left free."""
    geometry = slopes.part(GEOMETRY)
    entries = _at_point([symbol for symbol in geometry.flat if symbol is not ZERO], values)
    rng = np.random.default_rng(1)
    known: Any = random_values(free_symbols(entries), slopes.eom.model.signs, rng)
    numbers = Sparse(geometry).filled([float(number) for number in evaluate(entries, known)] if entries else [])
    return choice(slopes.eom, slopes.blocks(numbers, None), _random_place(slopes.eom, values, known), independent)


def _random_place(eom: EquationsOfMotion, values: Values, known: Mapping[Any, float]) -> LinearizationPoint:
    """The operating point as numbers, with random values of what is left free."""
    model = eom.model
    groups = ((model.time,), model.coordinates, model.speeds, model.input_symbols, model.parameter_symbols)
    wanted = _at_point([variable for group in groups for variable in group], values)
    rng = np.random.default_rng(2)
    free: Any = random_values(free_symbols(wanted), eom.model.signs, rng)
    numbers = np.array([float(number) for number in evaluate(wanted, free | dict(known))])
    t, q, u, r, p = np.split(numbers, np.cumsum([len(group) for group in groups])[:-1])
    return LinearizationPoint(float(t[0]), q, u, r, p)


def _keeps_velocity_constraints(eom: EquationsOfMotion, values: Values) -> bool:
    """Whether B·u + β = 0 holds already, as it does at rest, or where all speeds were given."""
    rows = substitute(list(eom.constraints.velocity), values)
    return all(sign.fp == 0 for sign in with_signs(rows, eom.model.signs))


def _with_dependent_speeds(
    eom: EquationsOfMotion, values: Values, division: IndependentChoice, algebra: Expressions
) -> Values:
    """Dependent speeds from B·u + β = 0."""
    _, bound, rows = division.speeds
    if not rows:
        return values
    known = values | dict.fromkeys((eom.speeds[k] for k in bound), ZERO)
    signs = eom.model.signs
    right = -array(with_signs(substitute([eom.constraints.velocity[row] for row in rows], known), signs))
    matrix = array(with_signs(substitute(eom.B[np.ix_(rows, bound)], values), signs))
    solved = algebra.solve(matrix, right[:, None])[:, 0]
    return values | dict(zip((eom.speeds[k] for k in bound), solved, strict=True))


def _reactions(eom: EquationsOfMotion, division: IndependentChoice, found: Sequence[Expr]) -> Values:
    m = len(eom.speeds)
    forces = dict(zip(division.speeds.rows, found[m:], strict=True))
    values: Values = dict(zip(eom.model.accelerations, found[:m], strict=True))
    return values | {multiplier: forces.get(row, ZERO) for row, multiplier in enumerate(eom.multipliers)}


def _substituted(slopes: Slopes, matrix: Any, values: Values) -> Blocks:
    """J and the equations at the point."""
    found = array(with_signs(_at_point([*matrix.flat, *slopes.equations], values), slopes.eom.model.signs))
    return slopes.blocks(found[: matrix.size].reshape(matrix.shape), found[matrix.size :])


def _at_point(entries: list[Expr], values: Values) -> list[Expr]:
    try:
        return list(substitute(entries, values))
    except ExpressionError:
        return [_cancelled(entry, values) for entry in entries]


def _cancelled(entry: Expr, values: Values) -> Expr:
    """An entry at the point, after divisions that cancel are gone: sin q / tan q is cos q."""
    try:
        return substitute(entry, values)
    except ExpressionError:
        pass
    try:
        return substitute(closed_form(entry), values)
    except ExpressionError as error:
        raise ExpressionError(
            f"A derivative does not exist at the operating point: {error.what}",
            code="derivative-missing",
            where=f"{entry!r:.200}",
            cause=f"It divides by {error.where}, which is zero there.",
            remedy="Use linearize, which takes the limit by numbers; or leave the coordinate free and give it a number "
            "nearby; or choose other coordinates.",
        ) from error
