"""Meanings of SymPy's symbols, functions of time and derivatives in one model."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from copy import copy, deepcopy
from typing import Any, cast

from multibody.errors import ConversionError, MissingValueError
from multibody.graph import ZERO, Expr, Kind, Symbol, constant, free_symbols, symbol
from multibody.graph.names import require_known_names
from multibody.graph.piecewise.signs import Sign
from multibody.graph.sympy.reader import Functions, SympyReader, time_symbol
from multibody.io.urdf.names import Names
from multibody.model.quantity import Input, Parameter, finite_value, rate_name

POSSIBLE_SIGNS: tuple[Sign, ...] = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")
"""SymPy's assumptions on signs, those that say most first."""


class SympyVocabulary(Mapping[Any, Expr]):
    """A meaning for every symbol that is met: states that were told, inputs and parameters as they come.

    A function of time that is not a state is an input, and so are its derivatives; a plain symbol is a parameter. What
    the user names as an input is one in any case; a function of time with a value among the parameters is a parameter.

    Args:
        scope: the name of the model.
        parameters: values by SymPy symbol or by name.
        inputs: SymPy objects that are inputs; they come first.
        functions: what other undefined functions stand for, by name.
    """

    def __init__(
        self, scope: str, parameters: Mapping[Any, Any] | None = None, inputs: Iterable[Any] = (),
        functions: Functions | None = None,
    ) -> None:  # fmt: skip
        self.scope = scope
        self.time = symbol("t", "time", scope)
        self._names = Names()
        self._values = dict(parameters or {})
        self._known: dict[Any, Expr] = {time_symbol(): self.time}
        self._parameters: dict[Symbol, float | None] = {}
        self._inputs: list[Symbol] = []
        self._rates: dict[Expr, Symbol] = {}
        self.signs: dict[Symbol, Sign] = {}
        self.wanted = list(inputs)
        self._functions = functions or {}

    def copied(self) -> SympyVocabulary:
        """Another one that knows the same, and learns for itself."""
        other = copy(self)
        vars(other).update({name: copy(value) for name, value in vars(self).items() if isinstance(value, dict | list)})
        other._names = deepcopy(self._names)
        return other

    # what is told ------------------------------------------------------------------------------------------------

    def coordinate(self, node: Any, *, with_speed: bool) -> Symbol:
        """The symbol of a coordinate; ``with_speed`` if its derivative is a speed."""
        return self._new(node, _name(node), "coordinate", ("", "_dot", "_ddot") if with_speed else ("",))

    def speed(self, node: Any) -> Symbol:
        """The symbol of a speed, which may be the derivative of a coordinate."""
        if not node.is_Derivative:
            own = self._new(node, _name(node), "speed", ("", "_dot"))
            if own.name.endswith("_dot"):
                self._names.helper(rate_name(own.name))  # the acceleration: q_ddot, not q_dot_dot
            return own
        base = self._known.get(node.expr)
        name = rate_name(base.name) if isinstance(base, Symbol) else rate_name(self._take(_name(node.expr), "speed"))
        made = self._known[node] = symbol(name, "speed", self.scope)
        return made

    def learn(self, node: Any, meaning: Expr) -> None:
        """What a SymPy object represents."""
        self._known[node] = meaning

    def stand_ins(self, nodes: Iterable[Any], called: str) -> list[Symbol]:
        """Symbols for SymPy objects whose meaning is yet to be found."""
        made = {node: symbol(f"{called}_{k}", "variable", self.scope) for k, node in enumerate(nodes)}
        self._known |= made
        return list(made.values())

    # what is found -----------------------------------------------------------------------------------------------

    def __getitem__(self, node: Any) -> Expr:
        if node not in self._known:
            self._known[node] = self._found(node)
        return self._known[node]

    def __contains__(self, node: object) -> bool:
        return not isinstance(node, str)  # everything but the name, which the reader asks for in second place

    def __iter__(self) -> Iterator[Any]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def _found(self, node: Any) -> Expr:
        if node.is_Derivative:
            return self._derivative(node)
        if node in self.wanted or (not node.is_Symbol and not self._has_value(node)):
            return self._input(node)
        made = self._new(node, _name(node), "parameter", ("",))
        value = self._values.get(node, self._values.get(_name(node)))
        self._parameters[made] = None if value is None else finite_value(value, f"parameter '{made.name}'")
        return made

    def _derivative(self, node: Any) -> Expr:
        import sympy

        below = node.expr if len(node.variables) == 1 else sympy.Derivative(node.expr, *node.variables[1:])
        if set(node.variables) != {time_symbol()} or not node.expr.args:
            raise ConversionError(
                f"{node} is not a time derivative.",
                remedy="Carry it out in SymPy, by doit().",
                code="derivative-not-by-time",
                name=str(node),
            )
        meaning = self[below]
        if isinstance(meaning, Symbol) and meaning.kind == "input":
            return self.rate(meaning)
        if isinstance(meaning, Symbol) and meaning.kind == "parameter":
            return ZERO
        raise ConversionError(
            f"{node} cannot appear here: only coordinates, speeds, inputs and parameters can.",
            cause="It is an acceleration, or a kinematic differential equation is missing.",
            remedy="Write loads, velocities and constraints with coordinates and speeds.",
            code="acceleration-not-allowed",
            name=str(node),
        )

    def _input(self, node: Any) -> Symbol:
        made = self._new(node, _name(node), "input", ("", "_dot", "_ddot"))
        self._inputs.append(made)
        return made

    def rate(self, one: Symbol) -> Symbol:
        """The input that is the rate of another one."""
        if one not in self._rates:
            made = symbol(rate_name(one.name), "input", self.scope)
            self._inputs.append(made)
            self._rates[one] = made
        return self._rates[one]

    def _has_value(self, node: Any) -> bool:
        return node in self._values or _name(node) in self._values

    def _new(self, node: Any, name: str, kind: Kind, endings: tuple[str, ...]) -> Symbol:
        made = self._known[node] = symbol(self._take(name, kind, endings), kind, self.scope)
        self._assume(node, made)
        return made

    def _assume(self, node: Any, made: Symbol) -> None:
        """Keep what SymPy assumes of the sign of a symbol: it has simplified expressions by it."""
        if node.is_real is False:
            raise ConversionError(
                f"{node} is not real.",
                where=f"model '{self.scope}'",
                cause="It was made with an assumption such as imaginary=True.",
                remedy="Make it without this assumption: all quantities of a mechanism are real.",
                code="symbol-not-real",
                name=str(node),
            )
        sign: Sign | None = next((possible for possible in POSSIBLE_SIGNS if getattr(node, f"is_{possible}")), None)
        if sign is not None:
            self.signs[made] = sign

    def _take(self, name: str, kind: str, endings: tuple[str, ...] = ("",)) -> str:
        return self._names.take(name, kind, endings)

    # what comes of it --------------------------------------------------------------------------------------------

    def reader(self, also: Mapping[Any, Expr] | None = None) -> SympyReader:
        """Reads expressions with what is known now, and with what else is said to be known."""
        return SympyReader(ChainMap(dict(also), cast(dict[Any, Expr], self)) if also else self, self._functions)

    def input_rates(self, things: Any) -> dict[Expr, Expr]:
        """The rates of all inputs in some expressions, which become inputs too."""
        return {symbol: self.rate(symbol) for symbol in free_symbols(things) if symbol.kind == "input"}

    def used_parameters(self, used: set[Symbol]) -> tuple[Parameter, ...]:
        """The parameters that are used, by name, with their values."""
        self._require_known()
        kept = sorted((parameter for parameter in self._parameters if parameter in used), key=lambda one: one.name)
        values = {symbol: self._parameters[symbol] for symbol in kept}
        defaults: dict[Symbol, Expr | None] = {s: None if v is None else constant(v) for s, v in values.items()}
        return tuple(Parameter(symbol.name, symbol, {symbol: defaults[symbol]}) for symbol in kept)

    def used_inputs(self, used: set[Symbol]) -> tuple[Input, ...]:
        """The inputs that are used, or were named, or are rates of such: those named first, the others by name."""
        first = [self[node] for node in self.wanted]
        kept: set[Expr] = {*used, *first}
        for variable, rate in self._rates.items():  # x before its rate, whose own rate comes later
            kept |= {rate} if variable in kept else set()
        others = sorted(
            (input_ for input_ in self._inputs if input_ in kept and input_ not in first), key=lambda one: one.name
        )
        return tuple(Input(symbol.name, symbol) for symbol in (*first, *others) if isinstance(symbol, Symbol))

    def named(self, given: Mapping[Any, Any] | None) -> dict[str, Any]:
        """Values by SymPy object, or by name, as values by our names."""
        return {_ours(self._known.get(key), key): value for key, value in (given or {}).items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be renamed."""
        return tuple(self._names.messages())

    def _require_known(self) -> None:
        """Names among the values that nothing is called by are slips of the pen."""
        known = {_name(node) for node in self._known if not node.is_Derivative}
        unknown = [name for name in self._values if isinstance(name, str) and name not in known]
        parameters = sorted(parameter.name for parameter in self._parameters)
        where = f"model '{self.scope}'"
        require_known_names(unknown, parameters, "parameter", code="name-unknown", where=where, error=MissingValueError)
        self._require_no_twins()

    def _require_no_twins(self) -> None:
        """A value for a symbol that only has the name of one in the model would be lost without a word."""
        open_ones = {variable for variable, value in self._parameters.items() if value is None}
        without = {_name(node) for node, made in self._known.items() if made in open_ones}
        twins = [value for value in self._values if not isinstance(value, str) and value not in self._known]
        names = sorted({_name(twin) for twin in twins if hasattr(twin, "is_Symbol")} & without)
        if names:
            raise MissingValueError(
                f"The value of {', '.join(names)} belongs to another symbol than that of the model.",
                where=f"model '{self.scope}'",
                cause="Symbols of one name differ in SymPy if their assumptions differ, such as positive=True.",
                remedy=f"Give the value by name: parameters={{{names[0]!r}: …}}.",
                code="symbol-of-other-assumptions",
                names=names,
            )


def _name(node: Any) -> str:
    return str(node.name if node.is_Symbol else node.func)


def _ours(known: Expr | None, key: Any) -> str:
    return known.name if isinstance(known, Symbol) else str(key)
