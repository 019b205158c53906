"""A subsystem under other names: nothing is derived again, only symbols are exchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from operator import add, is_, mul, sub
from typing import Any, TypeVar

import numpy as np

from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, symbol
from multibody.graph.names import check, require_known_names
from multibody.graph.traverse import rebuilt
from multibody.graph.workspace import alone
from multibody.model.quantity import Input, Parameter, rate_name
from multibody.subsystems.arguments.naming import split_names
from multibody.subsystems.arguments.origin import OfCopy
from multibody.subsystems.content import LevelEnergy, LevelReduction, SubsystemContent

AnySubsystem = TypeVar("AnySubsystem", bound=SubsystemContent)


@alone
def renamed(system: AnySubsystem, label: str, names: Any, suffix: Any, shared: Any) -> AnySubsystem:
    """See ``Subsystem.renamed``."""
    check(label, what="subsystem")
    if not isinstance(names, Mapping) or not isinstance(suffix, str):
        raise ModelError(
            f"{(suffix if isinstance(names, Mapping) else names)!r:.80} does not say what is renamed to what.",
            where=f"subsystem '{system.label}'",
            remedy="Give names={'old': 'new'}, or a text as suffix, such as suffix='_2'.",
            code="renaming-malformed",
        )
    kept = set(split_names(shared))
    known = names_in(system)
    require_known_names(
        (*names, *kept), known, purpose="to rename or to share", code="renamed-name-unknown",
        where=f"subsystem '{system.label}'",
    )  # fmt: skip
    new = {name: _new_name(name, names, kept, suffix) for name in known}
    _require_different(
        new, system.label, {rate_name(new[variable.name]): new[variable.name] for variable in system.top}
    )
    origin = OfCopy(system, names, suffix, tuple(sorted(kept)), {})
    return replace(_Renaming(system, new, suffix).of(system, label), origin=origin)


def names_in(system: SubsystemContent) -> list[str]:
    """All names that can be changed: variables, other names for expressions, parameters, inputs."""
    variables = [variable.name for variable in system.orders]
    return [*variables, *system.aliases, *(p.name for p in system.parameters), *(i.name for i in system.inputs)]


def _new_name(name: str, names: Mapping[str, str], kept: Collection[str], suffix: str) -> str:
    """As the rules say; the rate of something that is renamed goes with it."""
    if name in names:
        return names[name]
    of = [other for other in names if rate_name(other) == name]
    if of:
        return rate_name(names[of[0]])
    return name if name in kept else _suffixed(name, suffix)


def _suffixed(name: str, suffix: str) -> str:
    """The suffix goes before the mark of a rate: theta_dot becomes theta_1_dot."""
    for mark in ("_ddot", "_dot"):
        if name.endswith(mark):
            return name.removesuffix(mark) + suffix + mark
    return name + suffix


def _require_different(new: Mapping[str, str], label: str, rates: Mapping[str, str]) -> None:
    for old, name in new.items():
        check(name, what="variable")
        if name == "t" or name in rates:
            raise ModelError(
                f"'{old}' cannot be called '{name}': that is {'the time' if name == 't' else 'a rate'}.",
                where=f"subsystem '{label}'",
                cause="" if name == "t" else f"It is the rate of '{rates[name]}'.",
                remedy="Give it another name.",
                code="name-taken",
                name=name,
            )
    twice = sorted(name for name, times in Counter(new.values()).items() if times > 1)
    if twice:
        sources = [old for old, name in new.items() if name == twice[0]]
        raise ModelError(
            f"After renaming, {' and '.join(map(repr, sources))} are both called '{twice[0]}'.",
            where=f"subsystem '{label}'",
            remedy="Give them different names.",
            code="name-taken",
            name=twice[0],
        )


class _Renaming:
    """Exchanges symbols everywhere; all expressions of a subsystem at once, because they share most of their nodes."""

    def __init__(self, system: SubsystemContent, new: Mapping[str, str], suffix: str) -> None:
        self._new, self._suffix = new, suffix
        order = system.nodes
        self.symbols: dict[Expr, Expr] = {}
        rates = {rate_name(variable.name): rate_name(new[variable.name]) for variable in system.orders}
        for item in order:
            if isinstance(item, Symbol) and item.kind == "variable" and item.name in rates:
                self._exchange(item, rates[item.name])
        for item in system.orders:
            self._exchange(item, new[item.name])
        quantities: tuple[Parameter | Input, ...] = (*system.parameters, *system.inputs)
        for quantity in quantities:
            symbols = tuple(quantity.default) if isinstance(quantity, Parameter) else quantity.flat
            for entry in symbols:
                self._exchange(entry, new.get(entry.name, new[quantity.name] + entry.name.removeprefix(quantity.name)))
        self._values = _exchanged(order, self.symbols)

    def _exchange(self, old: Symbol, name: str) -> None:
        self.symbols[old] = symbol(name, old.kind)

    def of(self, system: AnySubsystem, label: str) -> AnySubsystem:
        """The renamed system; labels of its parts get the suffix too."""
        back = {variable: self._symbol(variable) for variable in system.orders}
        changed: dict[str, Any] = {
            "label": label,
            "parts": tuple(self.of(part, part.label + self._suffix) for part in system.parts),
            "orders": {back[variable]: order for variable, order in system.orders.items()},
            "aliases": {self._new.get(name, name): self.value(alias) for name, alias in system.aliases.items()},
            "invariants": tuple(self._invariant(invariant, label) for invariant in system.invariants),
            "redundant": tuple(self._invariant(invariant, label) for invariant in system.redundant),
            "reduced": self._reduction(system.reduced),
            "parameters": tuple(self._parameter(parameter) for parameter in system.parameters),
            "inputs": tuple(self._input(input_) for input_ in system.inputs),
            "start": {back[symbol]: value for symbol, value in system.start.items()},
            "guesses": frozenset(back[guess] for guess in system.guesses),
            "energy": None if system.energy is None else LevelEnergy(*map(self.value, system.energy.parts())),
            "identities": tuple((self.value(a), self.value(b)) for a, b in system.identities),
            "quaternions": tuple(tuple(map(self._symbol, group)) for group in system.quaternions),
            "origin": None,  # only the whole is known to come from a copy
            "appearance": system.appearance.exchanged(lambda found: [self.value(expression) for expression in found]),
        }
        for name in ("top", "own", "chosen"):
            changed[name] = tuple(map(self._symbol, getattr(system, name)))
        for name in ("rates", "rows", "reference"):
            changed[name] = {self._symbol(k): self.value(v) for k, v in getattr(system, name).items()}
        changed["known_complement"] = self._matrix(system.S.matrix), self._matrix(system.s)  # not multiplied again
        return replace(system, **changed)

    def value(self, one: Expr) -> Expr:
        """An expression in the new symbols."""
        return self._values[one]

    def _symbol(self, one: Symbol) -> Symbol:
        new = self.symbols[one]
        assert isinstance(new, Symbol)
        return new

    def _matrix(self, matrix: Any) -> Any:
        result: Any = np.empty(matrix.shape, dtype=object)
        result.flat = [self._values[entry] for entry in matrix.flat]
        return result

    def _invariant(self, one: Any, label: str) -> Any:
        velocity = None if one.velocity is None else self.value(one.velocity)
        positions = tuple(map(self.value, one.positions))
        side = None if one.side is None else self.value(one.side)
        return replace(
            one, owner=label, positions=positions, velocity=velocity, acceleration=self.value(one.acceleration),
            side=side,
        )  # fmt: skip

    def _reduction(self, one: LevelReduction) -> LevelReduction:
        matrices = {
            name: self._matrix(getattr(one, name)) for name in ("A", "gamma", "mass", "bias", "C", "c", "M", "k")
        }
        symbols: dict[str, Any] = {n: tuple(map(self._symbol, getattr(one, n))) for n in ("below", "independent")}
        return replace(one, **matrices, **symbols)

    def _parameter(self, one: Parameter) -> Parameter:
        default = {self._symbol(s): None if value is None else self.value(value) for s, value in one.default.items()}
        (first, *more) = default
        return replace(one, name=self._new[one.name], symbols=first if not more else list(default), default=default)

    def _input(self, one: Input) -> Input:
        symbols = [self._symbol(s) for s in one.flat]
        return replace(one, name=self._new[one.name], symbols=symbols[0] if len(symbols) == 1 else symbols)


_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {"add": add, "sub": sub, "mul": mul}


def _exchanged(order: Iterable[Any], symbols: Mapping[Expr, Expr]) -> dict[Any, Any]:
    """Every node with other symbols. Different symbols stay different: nothing that had a value loses it."""
    values: dict[Any, Any] = {}
    for node in order:
        args = node.args
        if not args:
            values[node] = symbols.get(node, node)
            continue
        new = [values[arg] for arg in args]
        if all(map(is_, new, args)):
            values[node] = node
        else:
            values[node] = _ARITHMETIC[node.op](*new) if node.op in _ARITHMETIC else rebuilt(node, new)
    return values
