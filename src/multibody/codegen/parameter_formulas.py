"""Parameters whose defaults are formulas of others: J = m*l**2/12 stays a formula in generated code.

A parameter that was not given a number follows its formula with whatever values the others have; one that was given a
number keeps it. Formulas are computed one after the other, in an order in which each finds those it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from multibody.codegen.naming import Namer
from multibody.codegen.program_data import ProgramData, ScalarVariable
from multibody.codegen.statements import CodePrinter, in_parts, named_values
from multibody.codegen.syntax import Place, RoutinePart, Syntax
from multibody.errors import MissingValueError
from multibody.graph import free_symbols
from multibody.graph.names import unique_names
from multibody.lowering import canonical, schedule
from multibody.model.quantity import circle


class ParameterFormula(NamedTuple):
    """The formula of one parameter in a language.

    Attributes:
        place: of the parameter among all of them.
        quantity: the parameter.
        part: statements for intermediate results, and where the values that they use come from.
        text: the value.
    """

    place: int
    quantity: ScalarVariable
    part: RoutinePart
    text: str

    def lines(self, syntax: Syntax) -> list[str]:
        """The statements before the value is known."""
        return syntax.lines(self.part)

    def inputs(self) -> list[str]:
        """The names of the parameters that it depends on."""
        return dependencies(self.quantity)


def dependencies(quantity: ScalarVariable) -> list[str]:
    """The names of the parameters in the formula of a parameter; none if it is a number."""
    return [] if quantity.formula is None else sorted(symbol.name for symbol in free_symbols(quantity.formula))


def origin(quantity: ScalarVariable, spelled: str = "") -> str:
    """The meaning of a parameter for comments, and where its value comes from if it is not a number.

    Example:
        >>> from multibody.graph import symbols
        >>> m, l = symbols("m l")
        >>> origin(ScalarVariable("J", "kg*m^2", "of the rod", formula=m * l**2 / 12))
        '[kg*m^2] of the rod; follows from l, m: l**2*m/12'
    """
    meaning = quantity.meaning_of(spelled or quantity.name)
    if quantity.formula is not None:
        text = str(quantity.formula)
        source = f"follows from {', '.join(dependencies(quantity))}" + (f": {text}" if len(text) <= BRIEF else "")
    else:
        source = "has no default" if quantity.is_open else ""
    return "; ".join(part for part in (meaning, source) if part)


def arrays_of(program: ProgramData) -> dict[str, list[str]]:
    """The names of the elements of parameters that are arrays, row by row, by the names of the arrays."""
    arrays = {
        parameter.name: np.ravel(parameter.symbols)
        for parameter in program.eom.model.parameters
        if np.ndim(parameter.symbols)
    }
    return {name: [symbol.name for symbol in symbols] for name, symbols in arrays.items()}


BRIEF = 80
"""A formula with so many characters is shown in comments."""


def in_order(parameters: Sequence[ScalarVariable]) -> list[tuple[int, ScalarVariable]]:
    """The parameters that are formulas, with their places; each after those that it depends on.

    Raises:
        MissingValueError: if formulas need each other.
    """
    waiting = {
        parameter.symbol: (k, parameter) for k, parameter in enumerate(parameters) if parameter.formula is not None
    }
    found: list[tuple[int, ScalarVariable]] = []
    while waiting:
        ready = [
            s for s, (_, quantity) in waiting.items() if not any(x in waiting for x in free_symbols(quantity.formula))
        ]
        if not ready:
            formulas = {
                s: quantity.formula
                for s, (_, quantity) in waiting.items()
                if s is not None and quantity.formula is not None
            }
            path = [symbol.name for symbol in circle(formulas)]
            raise MissingValueError(
                f"No value for: {', '.join(sorted(quantity.name for _, quantity in waiting.values()))}.",
                where="parameters",
                cause=f"Formulas lead in a circle: {' -> '.join(path)}.",
                remedy="Give one of them a number.",
                code="parameters-circular",
                names=path,
            )
        found += [waiting.pop(symbol) for symbol in ready]
    return found


def parameter_formulas(
    parameters: Sequence[ScalarVariable], syntax: Syntax, names: Mapping[Any, str], members: Mapping[Any, str],
    taken: Iterable[str],
) -> tuple[ParameterFormula, ...]:  # fmt: skip
    """The formulas of parameters in a language, in an order in which they can be computed.

    Args:
        parameters: all of them.
        syntax: of the language.
        names: of their symbols.
        members: likewise, as members of a structure.
        taken: identifiers that intermediate results must not have.
    """
    tables = {key: name for key, name in names.items() if isinstance(key, str)}
    symbols = {parameter.symbol: names[parameter.symbol] for parameter in parameters if parameter.symbol is not None}
    places: dict[Any, Place] = {
        parameter.symbol: ("p", k, members[parameter.symbol]) for k, parameter in enumerate(parameters)
    }
    namer = Namer({*taken, *symbols.values()}, {}, {})
    return tuple(
        _formula(k, parameter, syntax, symbols | tables, places, namer) for k, parameter in in_order(parameters)
    )


def _formula(
    k: int, quantity: ScalarVariable, syntax: Syntax, symbols: Mapping[Any, str], places: Mapping[Any, Place],
    namer: Namer,
) -> ParameterFormula:  # fmt: skip
    assert quantity.formula is not None
    program = schedule([quantity.formula], canonical())
    named = named_values(program)
    own = {step.node: namer.name(step, "f") for step in program.operations if step.node in named}
    spelled = unique_names(own.values(), syntax.language)
    names: dict[Any, str] = {**symbols, **{node: spelled[name] for node, name in own.items()}}
    printer = CodePrinter(syntax, {step.node: step for step in program.operations}, names)
    items = [*(printer.definition(node) for node in own), printer.store("", 0, program.results[0])]
    (part,), _ = in_parts(items, names, places, None)
    return ParameterFormula(k, quantity, replace(part, items=part.items[:-1]), items[-1].text)
