"""The variables of an FMU: names, value references, causality, and what depends on what."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from multibody.codegen.parameter_formulas import in_order, origin
from multibody.codegen.program_data import ScalarVariable
from multibody.codegen.targets.fmi.differentiated import Differentiated
from multibody.graph import Expr, free_symbols, topological
from multibody.model import Model
from multibody.model.quantity import Input, Parameter, rate_unit

Role = Literal["time", "state", "rate", "input", "output", "force", "parameter"]


@dataclass(frozen=True)
class Variable:
    """One real number.

    Attributes:
        name: unique in the FMU.
        reference: the value reference, which is also the position among all variables.
        role: what it is.
        unit: empty if it is not known.
        description: what it means.
        start: start value; None for what is computed.
        state: for a rate the reference of its state.
        dependencies: for rates and outputs the references of all variables that they depend on.
        copies: whether it is the same as its only dependency.
        limits: low and high of an input that has limits; an end may be infinite.
    """

    name: str
    reference: int
    role: Role
    unit: str = ""
    description: str = ""
    start: float | None = None
    state: int | None = None
    dependencies: tuple[int, ...] = ()
    copies: bool = False
    limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class Array:
    """A parameter that is an array, whose elements are variables one after the other, row by row.

    Attributes:
        name: of the whole.
        first: the value reference of the first element, and of the whole where a version has arrays.
        shape: how many elements there are in each direction.
    """

    name: str
    first: int
    shape: tuple[int, ...]

    @property
    def references(self) -> range:
        """Of all elements."""
        return range(self.first, self.first + math.prod(self.shape))


@dataclass(frozen=True)
class Interface:
    """All variables, in the order of their value references. Elements of arrays are called ``name[1]``, ``name[1,2]``.

    Attributes:
        variables: time, states, rates, inputs, outputs, constraint forces, parameters.
        constrained: whether the model moves states to keep constraints, or quaternions at unit length.
        watches_steps: whether it must be told about each step: it is constrained, or has loops with dead points.
        arrays: the parameters that are arrays.
    """

    variables: tuple[Variable, ...]
    constrained: bool
    watches_steps: bool
    arrays: tuple[Array, ...] = ()

    @staticmethod
    def of(program: Differentiated) -> Interface:
        """The variables of a program."""
        n = len(program.states)
        rates = [ScalarVariable(f"der({s.name})", rate_unit(s.unit), f"rate of {s.name}") for s in program.states]
        groups: list[tuple[Role, Sequence[ScalarVariable]]] = [
            ("time", [ScalarVariable("time", "s", "time")]), ("state", program.states), ("rate", rates),
            ("input", program.inputs), ("output", program.outputs), ("force", program.multipliers),
            ("parameter", program.parameters),
        ]  # fmt: skip
        elements = _element_names(program.eom.model)
        pairs = [
            (role, replace(quantity, name=elements.get(quantity.symbol, quantity.name)))
            for role, group in groups
            for quantity in group
        ]
        references = _references(program, n)
        values = dict(zip(_computed(pairs), [*program.rate_values, *program.output_values], strict=True))
        depends = _dependencies(list(values.values()), references, _followed(program, references))
        rules = {parameter.symbol for parameter in program.parameters if parameter.formula is not None}
        names = _unique(pairs)
        limits: Mapping[Any, tuple[float, float]] = program.eom.model.input_limits
        made = []
        for k, (role, quantity) in enumerate(pairs):
            value = values.get(k)
            below = () if value is None else depends[value]
            start = quantity.value if role in ("state", "input", "parameter") else None
            pair = limits.get(quantity.symbol) if role == "input" else None
            if start is not None and pair is not None:
                start = min(max(start, pair[0]), pair[1])
            made.append(
                Variable(
                    names[k], k, role, quantity.unit, _description(quantity), start,
                    k - n if role == "rate" else None, below, value in references and value not in rules, pair,
                )
            )  # fmt: skip
        constrained = any(result.size for result in program.closing.results)
        return Interface(tuple(made), constrained, constrained or bool(program.loops), _arrays(program, references))

    def all(self, *roles: Role) -> list[Variable]:
        """The variables with one of these roles."""
        return [variable for variable in self.variables if variable.role in roles]

    def of_roles(self, references: Iterable[int], *roles: Role) -> list[int]:
        """Those of the references that belong to variables with these roles."""
        return [k for k in references if self.variables[k].role in roles]

    @property
    def initial_unknowns(self) -> list[Variable]:
        """What is computed during initialization: also states, if constraints may move them."""
        return self.all("rate", "output", *(("state",) if self.constrained else ()))


def _element_names(model: Model) -> dict[Any, str]:
    """Names of the elements of parameters and inputs that are arrays, by symbol."""
    found: dict[Any, str] = {}
    owners: list[Parameter | Input] = [*model.parameters, *model.inputs]
    for owner in owners:
        symbols: Any = np.asarray(owner.symbols, dtype=object)
        for place in np.ndindex(symbols.shape):
            if place:
                found.setdefault(symbols[place], f"{owner.name}[{','.join(str(k + 1) for k in place)}]")
    return found


def _arrays(program: Differentiated, references: Mapping[Any, int]) -> tuple[Array, ...]:
    """Parameters that are arrays, if each of their elements is a parameter of its own, one after the other."""
    found = []
    for parameter in program.eom.model.parameters:
        symbols = np.asarray(parameter.symbols, dtype=object)
        places = [references.get(symbol, -1) for symbol in symbols.flat]
        if symbols.ndim and places and places == [*range(places[0], places[0] + len(places))]:
            found.append(Array(parameter.name, places[0], symbols.shape))
    return tuple(found)


def _computed(pairs: Sequence[tuple[Role, ScalarVariable]]) -> list[int]:
    """References of rates, outputs and forces, in this order."""
    return [k for k, (role, _) in enumerate(pairs) if role in ("rate", "output", "force")]


def _unique(pairs: Sequence[tuple[Role, ScalarVariable]]) -> list[str]:
    """The users' names; one that is used twice gets the role before it, with a dot that no name contains."""
    used: set[str] = set()
    names = []
    for role, quantity in pairs:
        name = quantity.name if quantity.name not in used else f"{role}.{quantity.name}"
        used.add(name)
        names.append(name)
    return names


def _references(program: Differentiated, n: int) -> dict[Any, int]:
    """The value reference of each symbol."""
    first_input = 1 + 2 * n
    first_parameter = first_input + len(program.inputs) + len(program.outputs) + len(program.multipliers)
    groups = ((1, program.states), (first_input, program.inputs), (first_parameter, program.parameters))
    found: dict[Any, int] = {program.eom.model.time: 0}
    for first, quantities in groups:
        found |= {quantity.symbol: first + k for k, quantity in enumerate(quantities)}
    return found


def _description(quantity: ScalarVariable) -> str:
    """What a variable means; of a parameter that follows from others, from which."""
    return quantity.description if quantity.formula is None else origin(replace(quantity, unit=""))


def _followed(program: Differentiated, references: dict[Any, int]) -> dict[Any, int]:
    """For each parameter that follows from others the references of these and its own, as bits."""
    found: dict[Any, int] = {}
    for _, parameter in in_order(program.parameters):
        bits = 1 << references[parameter.symbol]
        for symbol in free_symbols(parameter.formula):
            bits |= found.get(symbol, 1 << references[symbol])
        found[parameter.symbol] = bits
    return found


def _dependencies(
    values: list[Expr], references: dict[Any, int], followed: dict[Any, int]
) -> dict[Any, tuple[int, ...]]:
    """For each value the references of the symbols in it, as bits of a number on the way."""
    below: dict[Any, int] = {}
    for node in topological(values):
        bits = followed.get(node, 1 << references[node]) if node in references else 0
        for arg in node.args:
            bits |= below[arg]
        below[node] = bits
    return {value: tuple(k for k in range(below[value].bit_length()) if below[value] >> k & 1) for value in values}
