"""Arguments by the names of variables: independent variables, start values, quaternions, identities, energies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from multibody.errors import ModelError, MultibodyError
from multibody.graph import ZERO, Expr, Symbol, evaluate, free_symbols
from multibody.graph.names import require_known_names
from multibody.model.quantity import Parameter, finite_value, known_defaults
from multibody.subsystems.arguments.level_draft import LevelDraft
from multibody.subsystems.arguments.naming import by_order
from multibody.subsystems.arguments.vocabulary import TIME, LevelVocabulary, rate_symbol
from multibody.subsystems.content import Identities, LevelEnergy, SubsystemContent
from multibody.subsystems.energy import PartialEnergy, energy_of, require_potential, require_potential_of_places

AnySubsystem = TypeVar("AnySubsystem", bound=SubsystemContent)


def named_independent(
    label: str, wanted: Any, draft: LevelDraft, names: Mapping[str, Symbol]
) -> tuple[tuple[Symbol, ...], list[str] | None]:
    """The coordinates and the highest variables that were named as independent ones."""
    if wanted is None:
        return (), None
    given = [name for group in by_order(wanted).values() for name in group]
    where = f"subsystem '{label}'"
    require_known_names(given, names, "variable", purpose="to be independent", code="variable-unknown", where=where)
    twice = sorted({name for name in given if given.count(name) > 1})
    if twice:
        raise ModelError(
            f"The independent variable {', '.join(map(repr, twice))} is named twice.",
            where=f"subsystem '{label}'",
            remedy="Name every independent variable once.",
            code="independent-variable-repeated",
            names=tuple(twice),
        )
    top = {variable.name for variable in draft.top}
    speeds = [name for name in given if name in top]
    return tuple(names[name] for name in given if name not in top), speeds or None


def by_variable(
    values: Mapping[str, Any] | None, names: Mapping[str, Symbol], what: str, label: str,
    vocabulary: LevelVocabulary | None = None, kind: str = "variable",
) -> dict[Symbol, Any]:  # fmt: skip
    """Values by symbol instead of by name."""
    if values is not None and not isinstance(values, Mapping):
        raise ModelError(
            f"{values!r:.80} has no {what} values by the names of {kind}s.",
            where=f"subsystem '{label}'",
            remedy=f"Give them as {{'{next(iter(names), 'x')}': …}}.",
            code="values-by-name-expected",
        )
    require_known_names(
        map(str, values or ()), names, kind, purpose=f"to have a {what} value", code="value-of-unknown-name",
        where=f"subsystem '{label}'",
    )  # fmt: skip
    read = vocabulary or LevelVocabulary(label, {})
    return {names[str(n)]: read.read(value, f"{what} of '{n}'") for n, value in (values or {}).items()}


def named_groups(label: str, quaternions: Sequence[Sequence[str]], draft: LevelDraft) -> list[tuple[Symbol, ...]]:
    """Groups of four coordinates, by their symbols."""
    names = {rate.name: rate for rate in draft.rates}
    for group in quaternions:
        unknown = [name for name in group if name not in names]
        if len(group) != 4 or unknown:
            raise ModelError(
                f"{', '.join(map(str, group))} are not the four coordinates of a quaternion.",
                where=f"subsystem '{label}'",
                cause=f"There is no coordinate {', '.join(map(repr, unknown))}." if unknown else "",
                remedy="Give groups of four names, the scalar part first.",
                code="quaternion-group-invalid",
                names=tuple(map(str, group)),
            )
    return [tuple(names[name] for name in group) for group in quaternions]


def with_parameters(system: AnySubsystem, given: Mapping[str, Any] | None) -> AnySubsystem:
    """The same with other values of parameters, numbers or formulas by name."""
    words: dict[str, Any] = {symbol.name: symbol for each in system.parameters for symbol in each.default}
    vocabulary = LevelVocabulary(system.label, words)
    values = by_variable(given, words, "parameter", system.label, vocabulary, kind="parameter")
    changed = tuple(
        replace(each, default={symbol: values.get(symbol, default) for symbol, default in each.default.items()})
        for each in system.parameters
    )
    return replace(system, parameters=changed) if values else system


def named_identities(vocabulary: LevelVocabulary, given: Any, parts: Sequence[SubsystemContent]) -> Identities:
    """Pairs of expressions that are equal, those of the parts first."""
    pairs = list(given.items() if isinstance(given, Mapping) else given)
    sides = [pair.split("=") if isinstance(pair, str) else tuple(pair) for pair in pairs]
    wrong = [pair for pair, both in zip(pairs, sides, strict=True) if len(both) != 2]
    if wrong:
        raise ModelError(
            f"{wrong[0]!r:.80} is not an identity.",
            where=f"subsystem '{vocabulary.label}'",
            remedy="Give pairs of expressions that are equal, such as ('x**2 + y**2', 'l**2').",
            code="identity-malformed",
        )
    own = [tuple(vocabulary.read(side, "identity") for side in both) for both in sides]
    return (*(pair for part in parts for pair in part.identities), *((a, b) for a, b in own))


_ENERGIES = ("kinetic", "potential")


def named_energy(made: SubsystemContent, given: Any, vocabulary: LevelVocabulary) -> LevelEnergy | None:
    """The energy of this level's own rows; without inertia in them, they are forces that store nothing."""
    rates = {rate_symbol(variable) for variable in made.top}
    if given is None:
        inertia = bool(made.rows) and bool(rates & set(free_symbols(list(made.rows.values()))))
        return energy_of(made, ZERO, ZERO) if not inertia and (made.parts or not made.rows) else None
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != 2:
        raise ModelError(
            f"{given!r:.80} is not a kinetic and a potential energy.",
            where=f"subsystem '{made.label}'",
            remedy="Give energy=(T, V), such as ('m*v**2/2', 'm*g*x').",
            code="energy-malformed",
        )
    kinetic, potential = (
        vocabulary.read(expression, f"{what} energy") for what, expression in zip(_ENERGIES, given, strict=True)
    )
    used = set(free_symbols([kinetic, potential]))
    moved = sorted(symbol.name for symbol in used if symbol in rates or symbol.kind == "input")
    if moved:
        raise ModelError(
            f"The energy depends on {', '.join(moved)}.",
            where=f"subsystem '{made.label}'",
            cause="Energies are functions of coordinates, velocities and time; those of inputs are not stored.",
            remedy="Give energy=(T, V) without accelerations and inputs; the power of inputs is counted by itself.",
            code="energy-depends-on-input-or-acceleration",
            names=tuple(moved),
        )
    energy = energy_of(made, kinetic, potential)
    if not isinstance(given, PartialEnergy):
        require_potential_of_places(made, potential)
        require_potential(made, kinetic, potential)
    return energy


def start_number(value: Expr, one: Symbol, label: str) -> float:
    """A start value that the user gave."""
    return finite_value(value, f"start of '{one.name}' in subsystem '{label}'")


def start_values(
    variables: Iterable[Symbol], start: Mapping[Symbol, float], reference: Mapping[Symbol, Expr],
    parameters: Sequence[Parameter],
) -> dict[Any, float]:  # fmt: skip
    """A number for every variable at the start, and for every parameter that has one.

    What was given counts, then the reference motion as far as the parameters in it have values, then zero.
    """
    moved = dict.fromkeys(variables, 0.0) | _on_reference(reference, parameters) | dict(start)
    return {**known_defaults(parameters), TIME: 0.0, **moved}


def _on_reference(reference: Mapping[Symbol, Expr], parameters: Sequence[Parameter]) -> dict[Symbol, float]:
    known: dict[Any, float] = {**known_defaults(parameters), TIME: 0.0}
    ready = {variable: value for variable, value in reference.items() if set(free_symbols(value)) <= set(known)}
    found = {}
    for variable, value in ready.items():
        try:
            found[variable] = float(evaluate(value, known))
        except MultibodyError:
            continue  # it has no value at the start
    return found
