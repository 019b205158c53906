"""What values of parameters can make impossible: inertias that nothing has, axes without a direction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from multibody.algebra import Inertia, Symmetric3, Vec3
from multibody.errors import ExpressionError, ModelError
from multibody.graph import Expr, Symbol, as_expr, evaluate, free_symbols
from multibody.model.model import Link, Model

HARMLESS = "sum of the other two"
"""In the sentence about an inertia that only bodies in a plane may have."""

POINT = "A sign is wrong, or the inertia refers to another point than was said (about='com' or 'origin')."

Values = Mapping[Any, Any]
"""Numbers by the symbols of parameters."""


class Doubts(NamedTuple):
    """What may become impossible in a model, and the parameters that decide about it.

    Attributes:
        symbols: the parameters.
        axes: for links whose axes depend on parameters, the components of these.
        inertias: for links with mass, the ten numbers of their inertia.
    """

    symbols: tuple[Symbol, ...]
    axes: tuple[tuple[Link, Sequence[Expr]], ...]
    inertias: tuple[tuple[Link, Sequence[Expr]], ...]


_doubts: WeakKeyDictionary[Model, Doubts] = WeakKeyDictionary()
_latest: WeakKeyDictionary[Model, tuple[float | None, ...]] = WeakKeyDictionary()  # values that were found possible


def require_possible(model: Model, values: Values) -> None:
    """An error if a joint has no axis, or what it carries has an inertia that nothing has.

    Bodies that are fixed to each other count as one: a hole may be a body of negative mass.

    Args:
        model: what is to move.
        values: of all parameters.
    """
    now = tuple(values.get(one) for one in doubts_about(model).symbols)
    if _latest.get(model) == now:
        return
    for error in (*axes_without_direction(model, values), *_impossible_inertias(model, values)):
        raise error
    _latest[model] = now


def all_possible(model: Model, values: Values) -> bool:
    """Whether ``require_possible`` has nothing against any of many runs, whose values are arrays; found at once."""
    doubts = doubts_about(model)
    axes = [part for _, parts in doubts.axes for part in parts]
    if axes and not all(np.isfinite(one).all() for one in evaluate(axes, {**values, **_somewhere(axes)})):
        return False
    if not doubts.inertias:
        return True
    numbers = list(evaluate([part for _, parts in doubts.inertias for part in parts], values))
    table = np.array([np.ravel(one) for one in np.broadcast_arrays(*numbers)], dtype=np.float64)
    return not _problems(table.reshape(len(doubts.inertias), 10, -1).swapaxes(0, 1).reshape(10, -1))


def doubts_about(model: Model) -> Doubts:
    """What may become impossible in a model, found once."""
    if model not in _doubts:
        axes = [(link, [as_expr(x) for axis in link.motion.axes(link.q) for x in axis.components()])
                for link in model.links]  # fmt: skip
        inertias = [(link, list(map(as_expr, link.inertia.components()))) for link in model.links if link.inertia]
        unsure = tuple((link, parts) for link, parts in axes if _parameters(parts))
        symbols = _parameters([part for _, parts in (*unsure, *inertias) for part in parts])
        _doubts[model] = Doubts(symbols, unsure, tuple(inertias))
    return _doubts[model]


def axes_without_direction(model: Model, values: Values) -> Iterator[ModelError]:
    """Errors for joints whose axis depends on parameters that are such that it has length zero."""
    for link, parts in doubts_about(model).axes:
        try:
            evaluate(list(parts), {**values, **_somewhere(parts)})
        except ExpressionError:
            yield ModelError(
                "The axis has length zero, and no direction.",
                where=f"joint '{link.joint.name}' of system '{model.name}'",
                cause=_told(values, _parameters(parts)),
                remedy="Give other values to these parameters.",
            )


def _impossible_inertias(model: Model, values: Values) -> Iterator[ModelError]:
    links = doubts_about(model).inertias
    table = np.array(evaluate([list(parts) for _, parts in links], values), dtype=np.float64).reshape(-1, 10)
    if not _problems(table.T):  # all at once, because that is quick
        return
    for (link, parts), row in zip(links, table, strict=True):
        for problem in _problems(row):
            yield ModelError(
                problem,
                where=f"{_bodies(model, link)} of system '{model.name}'",
                cause=f"{POINT} {_told(values, _parameters(parts))}".rstrip(),
                remedy="Give a mass >= 0 and an inertia with principal moments >= 0 about the centre of mass.",
            )


def _problems(numbers: Any) -> list[str]:
    """What is wrong with an inertia, or with any of a batch of them."""
    if not np.size(numbers):
        return []
    mass, x, y, z, *tensor = numbers
    found = Inertia(mass, Vec3(x, y, z), Symmetric3(*tensor)).problems()
    return [one for one in found if HARMLESS not in one]


def _somewhere(parts: Sequence[Expr]) -> Values:
    """Any position will do."""
    return dict.fromkeys((one for one in free_symbols(list(parts)) if one.kind != "parameter"), 0.3)


def _parameters(parts: Sequence[Expr]) -> tuple[Symbol, ...]:
    return tuple(one for one in free_symbols(list(parts)) if one.kind == "parameter")


def _told(values: Values, symbols: Sequence[Symbol]) -> str:
    return f"Parameters: {', '.join(f'{one.name}={values[one]:g}' for one in symbols)}." if symbols else ""


def _bodies(model: Model, link: Link) -> str:
    names = [f"'{body.name}'" for body, (number, _) in model.attachments.items() if number == link.index]
    return f"{'body' if len(names) == 1 else 'bodies'} {', '.join(names)}"
