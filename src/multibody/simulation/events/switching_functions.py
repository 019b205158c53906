"""Switching functions of a run: where conditions, absolute values, extrema and tables change their branch.

In a segment of a run every branch is frozen, so that the right-hand side is smooth; the segment ends where a switching
function leaves its interval, and the next one begins with the new branch (Modelica and Simulink do the same). Branches
that depend on time and parameters alone switch at known times. All others are root functions: they are watched as
events are.

A comparison a < b has the switching function b - a with the level 0; a table has its argument, with its points as
levels. What a segment needs to know of a branch are discrete inputs: the sign of b - a, or the polynomial of a table
between two points.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from multibody.graph import (
    ONE,
    ZERO,
    Expr,
    Symbol,
    absolute,
    atan2,
    equal,
    free_symbols,
    less,
    less_equal,
    pi,
    sqrt,
    symbol,
    where,
)
from multibody.graph.expr import Constant
from multibody.graph.field import HALF, P
from multibody.graph.piecewise.conditions import is_smooth
from multibody.graph.piecewise.tables import Table
from multibody.graph.traverse import flat, rebuilt, shaped, topological
from multibody.simulation.contract import Vector
from multibody.simulation.events.narrow_pulses import may_be_narrow, narrow_times, parts_of_time
from multibody.simulation.events.switching_times import TimeFunction, passages, roots

STEADY, OF_TIME, MOVING, OF_INPUTS = 0, 1, 2, 4
"""What a node depends on: parameters alone; time; states or inputs that move; inputs that may be set."""

COMPARISONS = frozenset({"lt", "le"})
NEXT_TIMES = 6  # every such time within a pulse ends a step whose length adapts
KEPT_TIMES = 64  # sets of parameters for which times within pulses are kept
BEYOND = 1e300  # the end of the first and the last interval


@dataclass
class TablePiece:
    """A table in its present interval: Σ c_j·(x - start)^j."""

    table: Table
    start: Symbol
    coefficients: list[Symbol]

    @property
    def symbols(self) -> list[Symbol]:
        """The inputs."""
        return [self.start, *self.coefficients]

    def values(self, interval: int) -> list[float]:
        """Their numbers in an interval."""
        return [float(self.table.starts[interval]), *map(float, self.table.coefficients[:, interval])]

    def value(self, x: Expr) -> Expr:
        """The polynomial at x."""
        offset, result = x - self.start, self.coefficients[-1] * ONE
        for coefficient in self.coefficients[-2::-1]:
            result = result * offset + coefficient
        return result


@dataclass
class Switch:
    """A switching function with its levels, and the discrete inputs that say in which interval it is.

    Attributes:
        argument: the switching function, in terms of frozen branches.
        plain: the same with branches that are not frozen.
        levels: increasing; one interval lies before each of them, and one after the last.
        of_time: whether it depends on time and parameters alone.
        sign: the input that is -1 below the level, 1 above it, and 0 while the function rests on it; for one level.
        low: the input for the lower end of the interval, for several levels.
        high: the same for its upper end.
        band: the input by how much the function may go beyond its interval, which rounding must not exceed.
        text: the condition as the user knows it.
        pieces: the tables that depend on it.
    """

    argument: Expr
    plain: Expr
    levels: Vector
    of_time: bool
    sign: Symbol
    low: Symbol
    high: Symbol
    band: Symbol
    text: str
    pieces: list[TablePiece] = field(default_factory=list)

    @property
    def single(self) -> bool:
        """Whether there is one level."""
        return len(self.levels) == 1

    @property
    def symbols(self) -> list[Symbol]:
        """The inputs, in the order of ``values``."""
        ends = [] if self.single else [self.low, self.high]
        return [self.sign, *ends, self.band, *(variable for piece in self.pieces for variable in piece.symbols)]

    def values(self, interval: float, band: float) -> list[float]:
        """The numbers of the inputs in an interval; halfway between two for a function that rests on its level."""
        edges = np.concatenate([[-BEYOND], self.levels, [BEYOND]])
        whole = int(np.ceil(interval))
        ends = [] if self.single else [float(edges[whole]), float(edges[whole + 1])]
        return [2.0 * interval - 1.0, *ends, band, *(x for piece in self.pieces for x in piece.values(whole))]

    @property
    def signals(self) -> list[Expr]:
        """Positive within the interval and its band."""
        if self.single:
            # |x| < band without an absolute value, whose branch would be frozen, too
            resting = (self.band - self.argument) * (1 + self.argument / self.band)
            return [where(equal(self.sign, 0), resting, self.sign * self.argument + self.band)]
        return [self.argument - self.low + self.band, self.high - self.argument + self.band]

    def interval(self, x: float) -> int:
        """The interval that a value is in."""
        return int(np.searchsorted(self.levels, x, side="right"))


class KnownTimes(NamedTuple):
    """Times at which functions of time alone are not smooth, increasing.

    Attributes:
        jumps: a frozen branch of the right-hand side changes, or the expression of an event may jump.
        kinks: the rate changes, and no value does.
        knots: points of smooth tables.
        pulses: times within narrow pulses, as close together as steps of one length need them.
    """

    jumps: Vector
    kinks: Vector
    knots: Vector
    pulses: Vector

    @property
    def bends(self) -> Vector:
        """The points of smooth tables, and some of the times within pulses: enough to show a pulse to step control."""
        return np.union1d(self.knots, self.pulses[::NEXT_TIMES]) if len(self.pulses) else self.knots


NO_TIMES = KnownTimes(np.empty(0), np.empty(0), np.empty(0), np.empty(0))


class Switching:
    """All switching functions of a run.

    Args:
        expressions: the right-hand side, with inputs replaced by what they follow.
        watched: expressions of events; where these switch with time, or have narrow pulses, steps end as well.
        time: the symbol of time.
        moving: symbols that change during a segment: coordinates, speeds, inputs from functions of Python.
        inputs: symbols that keep their values during a segment, and may have others in the next one.
        scope: the name of the system.
        continuous: fingerprints of angles that are kept continuous over any number of turns.
    """

    def __init__(
        self, expressions: Iterable[Expr], watched: Iterable[Expr], time: Symbol, moving: Iterable[Symbol],
        inputs: Iterable[Symbol], scope: str, continuous: Collection[Hashable] = (),
    ) -> None:  # fmt: skip
        self._continuous = frozenset(continuous)
        self._time, self._moving, self._inputs, self._scope = time, set(moving), set(inputs), f"{scope} switching"
        self._switches: dict[Any, Switch] = {}
        self._jumps: dict[Any, tuple[Expr, Vector]] = {}  # functions of time where events jump, and their levels
        self._kinks: dict[Any, tuple[Expr, Vector]] = {}  # the same where no value jumps
        self._knots: dict[Any, tuple[Expr, Vector]] = {}  # the same for smooth tables
        self._pulses: list[TimeFunction] = []  # smooth functions of time that may be narrow
        self._narrow: dict[Any, Vector] = {}  # where they are, for some parameters and times
        self._complete = False
        self._walk([*expressions], freeze=True)
        self._walk([*watched], freeze=False)
        self._complete = True

    def __bool__(self) -> bool:
        """Whether anything switches."""
        return bool(self._switches or self._jumps or self._kinks or self._knots or self._pulses)

    @property
    def switches(self) -> list[Switch]:
        """The switching functions with frozen branches."""
        return list(self._switches.values())

    @property
    def watched(self) -> list[Switch]:
        """Those that are root functions."""
        return [switch for switch in self.switches if not switch.of_time]

    @property
    def inputs(self) -> list[Symbol]:
        """The discrete inputs of all."""
        return [variable for switch in self.switches for variable in switch.symbols]

    @property
    def signals(self) -> list[Expr]:
        """Expressions that fall to zero where a root function leaves its interval."""
        return [signal for switch in self.watched for signal in switch.signals]

    def frozen(self, thing: Any) -> Any:
        """Expressions in which all known branches are frozen.

        Trial values of a step lie beyond the end of a branch, where a root or a logarithm may have no value, as in
        ``maximum(x, 0)**1.5``: there the expression with its actual branches replaces it.
        """
        if not self._switches:
            return thing
        plain = flat(thing)
        frozen = self._walk(plain, freeze=True)
        if _may_lack_values(frozen, plain):
            frozen = [*map(_with_value, frozen, plain)]
        return shaped(frozen, thing)

    # known times -------------------------------------------------------------------------------------------------

    def known_times(self, parameters: Mapping[Any, float], first: float, last: float) -> KnownTimes:
        """The times at which branches change that depend on time alone; and the points of smooth tables.

        Args:
            parameters: their values.
            first: the start of the run.
            last: its end.
        """
        timed = [(switch.plain, switch.levels) for switch in self.switches if switch.of_time]
        abrupt = [(*function, True) for function in (*timed, *self._jumps.values())]
        gradual = [(*kink, False) for kink in self._kinks.values()]
        found: Vector = np.empty(0)
        jumps: Vector = np.empty(0)
        for expression, levels, jumping in sorted([*abrupt, *gradual], key=lambda one: one[0].serial):
            times = self._times(expression, levels, parameters, first, last, found)
            found, jumps = np.union1d(found, times), np.union1d(jumps, times) if jumping else jumps
        knots: Vector = np.empty(0)
        for expression, levels in self._knots.values():
            knots = np.union1d(knots, self._times(expression, levels, parameters, first, last, found))
        pulses: Vector = np.empty(0)
        for pulse in self._pulses if parameters or self.same_for_all else ():
            pulses = np.union1d(pulses, self._narrow_times(pulse, parameters, first, last))
        return KnownTimes(jumps, np.setdiff1d(found, jumps), knots, pulses)

    def _narrow_times(self, pulse: TimeFunction, parameters: Mapping[Any, float], first: float, last: float) -> Vector:
        """Times within narrow pulses; kept, because most runs of a system have the same."""
        numbers = tuple(
            parameters[variable] for variable in free_symbols([pulse.expression]) if variable is not self._time
        )
        key = pulse.expression, numbers, first, last
        if key not in self._narrow:
            if len(self._narrow) >= KEPT_TIMES:
                self._narrow.clear()
            self._narrow[key] = narrow_times(pulse.with_parameters(parameters), first, last)
        return self._narrow[key]

    @property
    def same_for_all(self) -> bool:
        """Whether nothing switches but functions of time itself, which do not depend on parameters."""
        followed = [*self._kinks.values(), *self._knots.values()]
        steady = all(signal is self._time for signal, _ in followed)
        steady = steady and all(set(free_symbols([pulse.expression])) == {self._time} for pulse in self._pulses)
        return steady and not (self._switches or self._jumps)

    def _times(
        self, expression: Expr, levels: Vector, parameters: Mapping[Any, float], first: float, last: float,
        corners: Vector,
    ) -> Vector:  # fmt: skip
        if expression is self._time:
            return levels[(levels > first) & (levels < last)]
        function = TimeFunction(expression, self._time, parameters)
        if len(levels) == 1 and levels[0] == 0:
            return roots(function, first, last, corners)
        return passages(function, levels, first, last, corners)

    # freezing ----------------------------------------------------------------------------------------------------

    def _walk(self, outputs: list[Expr], *, freeze: bool) -> list[Expr]:
        """The outputs with frozen branches."""
        kinds: dict[Any, int] = {}
        values: dict[Any, Any] = {}
        for node in topological(outputs):
            kinds[node] = self._kind(node, kinds)
            args = [values[arg] for arg in node.args]
            values[node] = self._replaced(node, args, kinds, freeze)
        if not self._complete:
            timed = parts_of_time(outputs, lambda node: kinds[node] == OF_TIME)
            self._pulses += [
                TimeFunction(expression, self._time, {})
                for expression in timed
                if may_be_narrow(expression, self._time)
            ]
        return [values[output] for output in outputs]

    def _kind(self, node: Any, kinds: dict[Any, int]) -> int:
        if isinstance(node, Symbol):
            if node in self._moving:
                return MOVING
            return OF_TIME if node is self._time else OF_INPUTS if node in self._inputs else STEADY
        return reduce(or_, (kinds[arg] for arg in node.args), STEADY)

    def _replaced(self, node: Any, args: list[Any], kinds: dict[Any, int], freeze: bool) -> Any:
        """A node with new operands, or the frozen branch in its place."""
        kind = reduce(or_, (kinds[arg] for arg in node.args), STEADY)
        if node.op == "atan2" and kind & (MOVING | OF_TIME) and node.fp not in self._continuous:
            angle = self._angle(node, args, kind, freeze)
            if angle is not None:
                return angle
        if kind & (MOVING | OF_TIME) and node.op in _BRANCHES and not is_smooth(node):
            branch = self._branch(node, args, kind, freeze)
            if branch is not None:
                return branch
        same = all(a is b for a, b in zip(args, node.args, strict=True))
        return node if same else rebuilt(node, args)

    def _branch(self, node: Any, args: list[Any], kind: int, freeze: bool) -> Any:
        if node.op == "table":
            return self._tabulated(node, args[0], kind, freeze)
        plain, argument = _difference(node.op, node.args), _difference(node.op, args)
        if isinstance(argument, Constant) or isinstance(plain, Constant):
            return None
        continuous = node.op in ("abs", "min", "max")  # a kink: the value needs no side
        if kind == OF_TIME and (continuous or not freeze):
            self._note(self._kinks if continuous else self._jumps, plain, _ZERO)
            return None
        found = self._switch(node, plain, argument, _ZERO, kind)
        if found is None:
            return None
        switch, turned = found
        sign = -switch.sign if turned else switch.sign
        return _BRANCHES[node.op](sign, *args)

    def _angle(self, node: Any, args: list[Any], kind: int, freeze: bool) -> Any:
        """An angle that is smooth across its branch cut, which ends the segment.

        With the sign s of y it is s·π/2 + atan2(-s·x, s·y), whose own cut is π/2 away from y = 0. The switching
        function s·y + (x + r)/2 with r² = x² + y² is zero at the cut, and where 3·s·y = -4·x on the other side.
        """
        y, x = args
        if isinstance(y, Constant) and y.value != 0:
            return None
        if kind == OF_TIME and not freeze:
            self._note(self._jumps, node.args[0], _ZERO)
            return None
        key = ("atan2", y.fp, x.fp)
        if key not in self._switches:
            if self._complete:
                return None
            name = f"mode_{len(self._switches) + 1}"
            sign, low, high, band = (self._input(f"{name}{suffix}") for suffix in ("", "_low", "_high", "_band"))
            argument = y + sign * (x + sqrt(x * x + y * y)) / 2
            self._switches[key] = Switch(
                argument, node.args[0], _ZERO, kind == OF_TIME, sign, low, high, band, f"{node!r:.200}"
            )
        s = self._switches[key].sign
        return where(equal(s, 0), atan2(y, x), s * pi / 2 + atan2(-s * x, s * y))

    def _tabulated(self, node: Any, argument: Expr, kind: int, freeze: bool) -> Any:
        table: Table = node.table
        if kind == OF_TIME and (not freeze or len(table.coefficients) > 1):
            place = (self._jumps, self._kinks, self._knots)[min(len(table.coefficients), 3) - 1]
            self._note(place, node.args[0], np.array(table.breaks))
            return None
        found = self._switch(node, node.args[0], argument, np.array(table.breaks), kind)
        if found is None:
            return None
        switch = found[0]
        for piece in switch.pieces:
            if piece.table.digest == table.digest:
                return piece.value(argument)
        if self._complete:
            return None
        name = f"{switch.sign.name}_{len(switch.pieces)}"
        names = [self._input(f"{name}_c{k}") for k in range(len(table.coefficients))]
        switch.pieces.append(TablePiece(table, self._input(f"{name}_start"), names))
        return switch.pieces[-1].value(argument)

    def _note(self, place: dict[Any, tuple[Expr, Vector]], plain: Expr, levels: Vector) -> None:
        if not self._complete:
            place.setdefault((plain, levels.tobytes()), (plain, levels))

    def _switch(
        self, node: Any, plain: Expr, argument: Expr, levels: Vector, kind: int
    ) -> tuple[Switch, bool] | None:  # fmt: skip
        """The switching function, and whether its sign is the other way round."""
        turned = len(levels) == 1 and not argument.fp < HALF
        key = (P - argument.fp if turned else argument.fp, levels.tobytes())
        if key not in self._switches:
            if self._complete:
                return None
            if turned:
                plain, argument = -plain, -argument
            name = f"mode_{len(self._switches) + 1}"
            sign, low, high, band = (self._input(f"{name}{suffix}") for suffix in ("", "_low", "_high", "_band"))
            made = Switch(argument, plain, levels, kind == OF_TIME, sign, low, high, band, f"{node!r:.200}")
            self._switches[key] = made
        return self._switches[key], turned

    def _input(self, name: str) -> Symbol:
        return symbol(name, "input", self._scope)


_ZERO = np.zeros(1)

_PARTIAL = frozenset({"sqrt", "pow", "log", "asin", "acos"})
"""Operations that have no value for some arguments."""


def _may_lack_values(frozen: list[Expr], plain: list[Expr]) -> bool:
    """Whether a frozen branch is the argument of a partial operation, or chooses one."""
    before, after = dict.fromkeys(topological(plain)), dict.fromkeys(topological(frozen))
    chosen = [arg for node in before if node.op == "where" and node not in after for arg in node.args[1:]]
    partial = (node for node in after if node not in before)
    return any(node.op in _PARTIAL for node in (*partial, *topological(chosen)))


def _with_value(frozen: Expr, plain: Expr) -> Expr:
    """The frozen expression where it has a value, and the plain one elsewhere."""
    return frozen if frozen is plain else where(less(absolute(frozen), BEYOND), frozen, plain)


def _difference(op: str, args: Sequence[Expr]) -> Expr:
    """The switching function of an operation."""
    if op in COMPARISONS:
        return args[1] - args[0]
    return args[0] if len(args) == 1 else args[0] - args[1]


_BRANCHES: dict[str, Any] = {
    "lt": lambda sign, a, b: less(ZERO, sign),
    "le": lambda sign, a, b: less_equal(ZERO, sign),
    "abs": lambda sign, x: sign * x,
    "sign": lambda sign, x: sign,
    "min": lambda sign, a, b: where(less(sign, ZERO), a, b),
    "max": lambda sign, a, b: where(less(ZERO, sign), a, b),
    "table": None,
}
"""Operations with branches, and what they are while the sign of their switching function is known."""
