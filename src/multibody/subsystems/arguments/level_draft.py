"""What a user wrote, read: rates, rows of the dynamic equations, constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from multibody.graph import ZERO, Expr, Symbol, free_symbols, substitute, symbol
from multibody.model.quantity import Input, Parameter, rate_name
from multibody.subsystems.arguments.dynamic_rows import accelerations_in_rates, dynamic_rows, projected_rows
from multibody.subsystems.arguments.kinematic_relations import kinematic_relations, lower_variables
from multibody.subsystems.arguments.vocabulary import LevelVocabulary, listed, rate_symbol, variable
from multibody.subsystems.content import SubsystemContent


class LevelDraft:
    """What the user wrote, read: rates, rows of the dynamic equations, constraints."""

    def __init__(
        self, label: str, parts: Sequence[SubsystemContent], orders: Mapping[Symbol, int], names: Mapping[str, Symbol],
        words: Mapping[str, Expr], kinematics: Any, dynamics: Any, constraints: Any,
    ) -> None:  # fmt: skip
        self.label = label
        highest = max(orders.values(), default=0)
        below = {one: rate for part in parts for one, rate in part.rates.items()}
        guess = LevelVocabulary(label, {**words, **_rate_words(names, below)})
        lower = lower_variables(orders, kinematics, guess)
        last = [one for one in orders if one not in lower]
        relations = kinematic_relations(label, lower, kinematics, guess, names)
        self.aliases = {name: value for part in parts for name, value in part.aliases.items()}
        tops = tuple(one for part in parts for one in part.top)
        self.vocabulary = LevelVocabulary(label, {**words, **_rate_words(names, below | relations)})
        rows = dynamic_rows(label, dynamics, (*tops, *last), self.vocabulary)
        equations = {
            name: self.vocabulary.read(thing, f"constraint '{name}'") for name, thing in listed(constraints).items()
        }
        used = set(free_symbols([*rows.values(), *equations.values()]))
        if highest >= 2 and not used & {rate_symbol(one) for one in last}:
            relations, last, rows, equations = self._without_quasi(orders, relations, last, rows, equations, highest)
        self.own = tuple(last)
        self.top = (*tops, *last)
        self.rates = below | relations
        self.rows, self.equations = rows, equations

    def flow(self, inputs: Sequence[Input]) -> dict[Expr, Expr]:
        """The rates of all variables, and of inputs that have one; those of the highest variables are symbols."""
        known: dict[Expr, Expr] = {one: rate_symbol(one) for one in self.top}
        known.update(self.rates.items())
        return known | input_rates(inputs)

    def _without_quasi(
        self, orders: Mapping[Symbol, int], relations: dict[Symbol, Expr], last: list[Symbol], rows: dict[Symbol, Expr],
        equations: dict[str, Expr], highest: int,
    ) -> tuple[dict[Symbol, Expr], list[Symbol], dict[Symbol, Expr], dict[str, Expr]]:  # fmt: skip
        """The same with quasi-accelerations expressed by the rates of what they stand for."""
        top = [one for one, order in orders.items() if order == highest - 1]
        among = {name: one for name, one in equations.items() if set(last) & set(free_symbols(one))}
        values, W = accelerations_in_rates(self.label, top, relations, last, list(among.values()))
        self.aliases |= values
        self.vocabulary = LevelVocabulary(
            self.label, {**self.vocabulary.known, **values, **{rate_name(one.name): rate_symbol(one) for one in top}}
        )
        known: dict[Expr, Expr] = {one: values[one.name] for one in last}
        projected = projected_rows(top, substitute([rows.get(one, ZERO) for one in last], known), W)
        left = {name: one for name, one in equations.items() if name not in among}
        return {one: rate for one, rate in relations.items() if one not in top}, top, projected, left


def with_rates(
    own: Mapping[int, list[str]], parts: Sequence[SubsystemContent], kinematics: Any, dynamics: Any
) -> dict[Symbol, int]:
    """New variables with their orders; coordinates that are coupled to parts get quasi-velocities of their own."""
    orders = {variable(name, order): order for order, names in own.items() for name in names}
    taken = {one.name for one in orders} | {one.name for part in parts for one in part.orders}
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
    """What each name stands for, but for rates."""
    known: dict[str, Expr] = {one.name: one for p in parameters for one in p.default}
    known |= {one.name: one for given in inputs for one in given.flat}
    return {**known, **names, **{name: value for part in parts for name, value in part.aliases.items()}}


def _rate_words(names: Mapping[str, Symbol], rates: Mapping[Symbol, Expr]) -> dict[str, Expr]:
    """The names of rates, where they are no variables of their own."""
    found = {rate_name(name): rates.get(one, rate_symbol(one)) for name, one in names.items()}
    return {name: value for name, value in found.items() if name not in names}


def input_rates(inputs: Sequence[Input]) -> dict[Expr, Expr]:
    """The rates of inputs that have one among the inputs."""
    known = {one.name: one for given in inputs for one in given.flat}
    return {one: known[rate_name(name)] for name, one in known.items() if rate_name(name) in known}


def with_foreign_symbols(
    draft: LevelDraft, parameters: tuple[Parameter, ...], inputs: tuple[Input, ...]
) -> tuple[tuple[Parameter, ...], tuple[Input, ...]]:
    """Parameters that came in with expressions, and rates of inputs that constraints follow, are added."""
    everything = [*draft.rates.values(), *draft.rows.values(), *draft.equations.values(), *draft.aliases.values()]
    known = {one for p in parameters for one in p.default}
    new = (
        [one for one in free_symbols(everything) if one.kind == "parameter" and one not in known] if everything else []
    )
    followed = [one for one in free_symbols(list(draft.equations.values())) if one.kind == "input"]
    names = {one.name for given in inputs for one in given.flat}
    for one in followed:
        for name in (rate_name(one.name), rate_name(rate_name(one.name))):
            if name not in names:
                names.add(name)
                inputs = (*inputs, Input(name, symbol(name, "input"), description=f"rate of {one.name}"))
    return (*parameters, *(Parameter(one.name, one, {one: None}) for one in new)), inputs
