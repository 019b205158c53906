"""Start values of a subsystem: those given, or those of the reference motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from multibody.errors import MultibodyError
from multibody.graph import Expr, Symbol, evaluate, free_symbols
from multibody.model.quantity import Parameter, finite_value, known_defaults
from multibody.subsystems.arguments.vocabulary import TIME


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
