"""Reading of a level as the user wrote it: rates, rows of the dynamic equations, constraints.

Rows of the dynamic equations d̄ are ordered by the variables that they have power with. Variables w of the highest order
may stand for accelerations, u̇ = N·w + ν, with dynamic equations in w. They are not states: w = W·u̇ + w₀ follows from
the relations and from invariants that hold among them, and the dynamic equations are projected on the states' rates,
Wᵀ·d̄. The names stay known, as other names for these expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    evaluate,
    free_symbols,
    jacobian,
    rank,
    solve_regular,
    substitute,
    symbol,
)
from multibody.graph.linear_algebra import Matrix
from multibody.graph.names import require_known_names
from multibody.model.quantity import Input, Parameter, rate_name
from multibody.subsystems.arguments.kinematic_relations import kinematic_relations, lower_variables
from multibody.subsystems.arguments.vocabulary import LevelVocabulary, listed, rate_symbol, several, variable
from multibody.subsystems.content import SubsystemContent
from multibody.subsystems.reduction import own_dynamics


class LevelDraft:
    """What the user wrote, read: rates, rows of the dynamic equations, constraints."""

    def __init__(
        self, label: str, parts: Sequence[SubsystemContent], orders: Mapping[Symbol, int], names: Mapping[str, Symbol],
        words: Mapping[str, Expr], kinematics: Any, dynamics: Any, constraints: Any,
    ) -> None:  # fmt: skip
        self.label = label
        highest = max(orders.values(), default=0)
        below = {variable: rate for part in parts for variable, rate in part.rates.items()}
        guess = LevelVocabulary(label, {**words, **_rate_words(names, below)})
        lower = lower_variables(orders, kinematics, guess)
        last = [variable for variable in orders if variable not in lower]
        relations = kinematic_relations(label, lower, kinematics, guess, names)
        self.aliases = {name: value for part in parts for name, value in part.aliases.items()}
        tops = tuple(variable for part in parts for variable in part.top)
        self.vocabulary = LevelVocabulary(label, {**words, **_rate_words(names, below | relations)})
        rows = dynamic_rows(label, dynamics, (*tops, *last), self.vocabulary)
        equations = {
            name: self.vocabulary.read(constraint, f"constraint '{name}'")
            for name, constraint in listed(constraints).items()
        }
        used = set(free_symbols([*rows.values(), *equations.values()]))
        if highest >= 2 and not used & {rate_symbol(variable) for variable in last}:
            relations, last, rows, equations = self._without_quasi(orders, relations, last, rows, equations, highest)
        self.own = tuple(last)
        self.top = (*tops, *last)
        self.rates = below | relations
        self.rows, self.equations = rows, equations

    def flow(self, inputs: Sequence[Input]) -> dict[Expr, Expr]:
        """The rates of all variables, and of inputs that have one; those of the highest variables are symbols."""
        known: dict[Expr, Expr] = {variable: rate_symbol(variable) for variable in self.top}
        known.update(self.rates.items())
        return known | input_rates(inputs)

    def _without_quasi(
        self, orders: Mapping[Symbol, int], relations: dict[Symbol, Expr], last: list[Symbol], rows: dict[Symbol, Expr],
        equations: dict[str, Expr], highest: int,
    ) -> tuple[dict[Symbol, Expr], list[Symbol], dict[Symbol, Expr], dict[str, Expr]]:  # fmt: skip
        """The same with quasi-accelerations expressed by the rates of what they stand for."""
        top = [variable for variable, order in orders.items() if order == highest - 1]
        among = {name: equation for name, equation in equations.items() if set(last) & set(free_symbols(equation))}
        values, W = accelerations_in_rates(self.label, top, relations, last, list(among.values()))
        self.aliases |= values
        self.vocabulary = LevelVocabulary(
            self.label,
            {
                **self.vocabulary.known,
                **values,
                **{rate_name(variable.name): rate_symbol(variable) for variable in top},
            },
        )
        known: dict[Expr, Expr] = {variable: values[variable.name] for variable in last}
        projected = projected_rows(top, substitute([rows.get(variable, ZERO) for variable in last], known), W)
        left = {name: equation for name, equation in equations.items() if name not in among}
        return {variable: rate for variable, rate in relations.items() if variable not in top}, top, projected, left


def with_rates(
    own: Mapping[int, list[str]], parts: Sequence[SubsystemContent], kinematics: Any, dynamics: Any
) -> dict[Symbol, int]:
    """New variables with their orders; coordinates that are coupled to parts get quasi-velocities of their own."""
    orders = {variable(name, order): order for order, names in own.items() for name in names}
    taken = {variable.name for variable in orders} | {variable.name for part in parts for variable in part.orders}
    given = set(kinematics) if isinstance(kinematics, Mapping) else set()
    rows = set(dynamics) if isinstance(dynamics, Mapping) else set()
    highest = max([*orders.values(), *(part.order for part in parts)], default=0)
    for one, order in list(orders.items()):
        open_rate = not kinematics or (isinstance(kinematics, Mapping) and order == max(own))
        wanted = (parts and order < highest and open_rate) or rate_name(one.name) in rows
        if wanted and one.name not in given and rate_name(one.name) not in taken:
            orders[variable(rate_name(one.name), order + 1)] = order + 1
    return orders


def known_words(
    parts: Sequence[SubsystemContent], names: Mapping[str, Symbol], parameters: Iterable[Parameter],
    inputs: Iterable[Input],
) -> dict[str, Expr]:  # fmt: skip
    """What each name represents, but for rates."""
    known: dict[str, Expr] = {symbol.name: symbol for p in parameters for symbol in p.default}
    known |= {symbol.name: symbol for input_ in inputs for symbol in input_.flat}
    return {**known, **names, **{name: value for part in parts for name, value in part.aliases.items()}}


def _rate_words(names: Mapping[str, Symbol], rates: Mapping[Symbol, Expr]) -> dict[str, Expr]:
    """The names of rates, where they are no variables of their own."""
    found = {rate_name(name): rates.get(variable, rate_symbol(variable)) for name, variable in names.items()}
    return {name: value for name, value in found.items() if name not in names}


def input_rates(inputs: Sequence[Input]) -> dict[Expr, Expr]:
    """The rates of inputs that have one among the inputs."""
    known = {symbol.name: symbol for input_ in inputs for symbol in input_.flat}
    return {symbol: known[rate_name(name)] for name, symbol in known.items() if rate_name(name) in known}


def with_foreign_symbols(
    draft: LevelDraft, parameters: tuple[Parameter, ...], inputs: tuple[Input, ...]
) -> tuple[tuple[Parameter, ...], tuple[Input, ...]]:
    """Parameters that came in with expressions, and rates of inputs that constraints follow, are added."""
    everything = [*draft.rates.values(), *draft.rows.values(), *draft.equations.values(), *draft.aliases.values()]
    known = {symbol for p in parameters for symbol in p.default}
    new = (
        [symbol for symbol in free_symbols(everything) if symbol.kind == "parameter" and symbol not in known]
        if everything
        else []
    )
    followed = [symbol for symbol in free_symbols(list(draft.equations.values())) if symbol.kind == "input"]
    names = {symbol.name for input_ in inputs for symbol in input_.flat}
    for input_symbol in followed:
        for name in (rate_name(input_symbol.name), rate_name(rate_name(input_symbol.name))):
            if name not in names:
                names.add(name)
                inputs = (*inputs, Input(name, symbol(name, "input"), description=f"rate of {input_symbol.name}"))
    return (*parameters, *(Parameter(symbol.name, symbol, {symbol: None}) for symbol in new)), inputs


# rows of the dynamic equations ---------------------------------------------------------------------------------------


def dynamic_rows(label: str, dynamics: Any, top: Sequence[Symbol], vocabulary: LevelVocabulary) -> dict[Symbol, Expr]:
    """Contributions to d̄ by variable; without names they belong to the highest variables in their order."""
    names = {variable.name: variable for variable in top}
    if not isinstance(dynamics, Mapping):
        things = several(dynamics)
        if things and len(things) != len(top):
            raise ModelError(
                f"The number of dynamic equations is {len(things)}, not {len(top)}.",
                where=f"subsystem '{label}'",
                cause="" if top else "The rates of all variables are given by kinematic relations.",
                remedy=f"Give one for each of: {', '.join(names) or 'none'}; or by name, where some have none.",
                code="number-of-dynamic-equations-wrong",
                value=len(things),
            )
        dynamics = dict(zip(names, things, strict=False))
    require_known_names(
        map(str, dynamics), names, "row", purpose="in the dynamic equations", code="dynamic-equation-unknown",
        where=f"subsystem '{label}'", cause="Rows belong to variables of the highest order, whose rates are unknown.",
    )  # fmt: skip
    rows = {
        names[str(variable)]: vocabulary.read(equation, f"dynamics of '{variable}'")
        for variable, equation in dynamics.items()
    }
    _require_signs(label, top, rows)
    return rows


def _require_signs(label: str, top: Sequence[Symbol], rows: Mapping[Symbol, Expr]) -> None:
    """An error for inertia with the wrong sign: coupled, such an equation would push where it should resist."""
    if not rows:
        return
    M, _ = own_dynamics(top, rows)
    for k, row in enumerate(rows):
        entry = M[k, list(top).index(row)]
        symbols = free_symbols(entry)
        constant = entry.fp != 0 and all(s.kind == "parameter" for s in symbols)
        if constant and float(evaluate(entry, dict.fromkeys(symbols, 1.0))) < 0:
            raise ModelError(
                f"The inertia in the dynamic equation of '{row.name}' has the wrong sign.",
                where=f"subsystem '{label}'",
                cause="Equations are written as applied forces minus inertia forces.",
                remedy=f"Change the sign of the whole equation, such as 'F - m*{rate_name(row.name)}'.",
                code="inertia-sign-wrong",
                name=row.name,
            )


def accelerations_in_rates(
    label: str, top: Sequence[Symbol], relations: Mapping[Symbol, Expr], unknown: Sequence[Symbol],
    equations: Sequence[Expr],
) -> tuple[dict[str, Expr], Matrix]:  # fmt: skip
    """Each w as an expression of the rates u̇, and W.

    Args:
        label: of the subsystem.
        top: u.
        relations: u̇ = N·w + ν.
        unknown: w.
        equations: invariants among w.
    """
    rates = [rate_symbol(variable) for variable in top]
    known = [relations[variable] - rate for variable, rate in zip(top, rates, strict=True)] + list(equations)
    matrix = jacobian(known, unknown).reshape(len(known), len(unknown))
    if len(known) != len(unknown) or rank(matrix) < len(unknown):
        raise ModelError(
            f"The {len(unknown)} quasi-accelerations {', '.join(rate.name for rate in unknown)} do not follow from the "
            f"rates of {', '.join(variable.name for variable in top)}.",
            where=f"subsystem '{label}'",
            cause=f"{len(top)} kinematic relations and {len(equations)} invariants must determine them.",
            remedy="Give as many relations and invariants of this order as there are quasi-accelerations.",
            code="quasi-accelerations-undetermined",
            names=tuple(rate.name for rate in unknown),
        )
    rest = array(substitute(known, dict.fromkeys(unknown, ZERO)))
    values = solve_regular(matrix, -rest)
    W = jacobian(list(values), rates).reshape(len(unknown), len(rates))
    return {rate.name: value for rate, value in zip(unknown, values, strict=True)}, W


def projected_rows(top: Sequence[Symbol], rows: Sequence[Expr], W: Matrix) -> dict[Symbol, Expr]:
    """Wᵀ·d̄, by the variables u."""
    sums = np.full(len(top), ZERO, dtype=object)
    for row, factors in zip(rows, W, strict=True):
        sums = sums + np.array([factor * row for factor in factors], dtype=object)
    return {variable: total for variable, total in zip(top, sums, strict=True) if total.fp != 0}
