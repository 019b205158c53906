"""The functions of a run, compiled once for all problems that differ in their numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from threading import RLock
from typing import Any, TypeVar, cast

import numpy as np

from multibody.compiler import Function
from multibody.compiler.block import StateBlock
from multibody.equations import EquationsOfMotion
from multibody.equations.dependent_angles import dependent_angles
from multibody.equations.power import explicit, powers
from multibody.equations.projection import correction
from multibody.graph import Expr, Symbol, free_symbols, is_zero, isolated, jacobian, product, substitute, topological
from multibody.graph.node import within
from multibody.graph.piecewise.table_uses import TableUse, table_uses
from multibody.simulation.checks.table_exits import NO_TABLES, TableWatch, outputs_with_tables
from multibody.simulation.events.events import Touch
from multibody.simulation.events.switching_functions import Switching
from multibody.simulation.lanes.lane_record import LANES

WORKS = ("work_of_inputs", "dissipated", "work_of_drives")
"""Integrals that are kept beside the state."""

MOST_EXACT = 60
"""Entries of a state up to which the exact Jacobian is compiled; that of larger ones takes too long."""

Made = TypeVar("Made")


def _made_once(make: Callable[[Any], Made]) -> cached_property[Made]:
    """A cached property that is made once, whichever thread asks first."""

    def locked(self: Any) -> Made:
        with self._lock, within(self.eom.table):
            if make.__name__ not in self.__dict__:
                self.__dict__[make.__name__] = make(self)
            return cast("Made", self.__dict__[make.__name__])

    locked.__doc__ = make.__doc__
    return cached_property(locked)


class RunFunctions:
    """The right-hand side, its derivative, the constraints and the events of a run, as compiled functions.

    Args:
        eom: equations of motion.
        signals: expressions of (t, q, u, r, p) whose zero crossings are events.
        inputs: for some inputs the expression of (t, q, u, p) that they follow.
        laws: inputs that follow functions of Python.
        touches: the contacts among the events.
        switching: where branches change, if that is known; found out without it.

    Attributes:
        eom: equations of motion.
        size: number of entries of the state y = (q, u, works).
        touches: the contacts among the events.
    """

    def __init__(
        self, eom: EquationsOfMotion, signals: Sequence[Expr] = (), inputs: Mapping[Expr, Expr] | None = None,
        laws: Sequence[Symbol] = (), touches: Sequence[Touch] = (), switching: Switching | None = None,
    ) -> None:  # fmt: skip
        self._given_switching = switching
        self.touches = tuple(touches)
        self.eom, self._events, self._laws = eom, tuple(signals), tuple(laws)
        self.size = len(eom.coordinates) + len(eom.speeds) + len(WORKS)
        self._inputs = dict(inputs or {})
        self._lock = RLock()
        self._runs = 0

    def is_first_run(self) -> bool:
        """Whether this is the first call: a single run shall begin soon, repeated runs shall be fast."""
        with self._lock:
            self._runs += 1
            return self._runs == 1

    def improved(self) -> bool:
        """Whether careful code of all functions of a step is there by now; see ``Function.improved``."""
        functions = [self.rhs, self.projection, self.__dict__.get("slopes")]
        others = self.__dict__.get("regularized")
        with self._lock:
            ready = [
                function.improved() for function in (*functions, others) if function is not None
            ]  # all of them begin
        return all(ready)

    @_made_once
    def switching(self) -> Switching:
        """Where branches of the right-hand side change."""
        if self._given_switching is not None:
            return self._given_switching
        moving = [*self.eom.coordinates, *self.eom.speeds, *self._laws]
        rates, events = self.with_inputs(self._rates), self.with_inputs(list(self._events))
        set_inputs = set(self.eom.inputs).difference(self._laws, self._inputs)
        angles = dependent_angles(self.eom.model)
        return Switching(rates, events, self.eom.model.time, moving, set_inputs, self.eom.model.name, angles)

    @_made_once
    def events(self) -> tuple[Expr, ...]:
        """The signals of events, followed by those of branches that depend on states."""
        return (*self._events, *self.switching.signals)

    @_made_once
    def rhs(self) -> Function:
        """rate = (q̇, u̇, powers)."""
        return self.function("rhs", {"rate": self._rates})

    @property
    def has_regularized(self) -> bool:
        """Whether there are other equations for where constraints are not independent."""
        return self.eom.may_become_singular

    @_made_once
    def regularized(self) -> RunFunctions:
        """The same functions with ``EquationsOfMotion.regularized``."""
        return RunFunctions(
            self.eom.regularized, self._events, self._inputs, self._laws, self.touches, switching=self.switching
        )

    @_made_once
    def counted_works(self) -> int:
        """How many of the works take part in the control of errors: all where motion is prescribed, otherwise none.

        Where nothing is prescribed, powers are as smooth as the motion, whose errors are controlled.
        """
        return 0 if is_zero(self._rates[-1]) else len(WORKS)

    @_made_once
    def slopes(self) -> Function:
        """∂rate/∂y, exact; nothing depends on the works."""
        states = [*self.eom.coordinates, *self.eom.speeds]
        works = np.zeros((self.size, len(WORKS)))
        rates = self.switching.frozen(self.with_inputs(self._rates))
        with isolated(*topological(rates)):
            matrix = np.hstack([jacobian(rates, states), works.astype(object)])
        return self.function("slopes", {"slopes": matrix})

    @property
    def derives_exactly(self) -> bool:
        """Whether implicit methods get the exact Jacobian, and not one by differences."""
        return self.size <= MOST_EXACT and not self._laws

    @property
    def laws(self) -> int:
        """How many inputs are functions of Python."""
        return len(self._laws)

    @_made_once
    def timed(self) -> bool:
        """Whether rates depend on time by themselves."""
        return self.eom.model.time in free_symbols(self.with_inputs(self._rates))

    @_made_once
    def signals(self) -> Function:
        """The values whose zero crossings are events."""
        return self.function("signals", {"signals": list(self.events)})

    @_made_once
    def followed(self) -> Function:
        """The inputs that follow expressions, in their order."""
        return self.eom.function("inputs", {"values": self.with_inputs(list(self._inputs.values()))})

    @_made_once
    def switching_values(self) -> Function:
        """The switching functions, and how they depend on the state; those of time alone are not frozen."""
        switches, states = self.switching.switches, [*self.eom.coordinates, *self.eom.speeds]
        values = [switch.plain if switch.of_time else switch.argument for switch in switches]
        slopes = jacobian(values, states).reshape(len(values), len(states))
        return self.eom.function("switching", {"values": values, "slopes": slopes}, more_inputs=self.switching.inputs)

    @_made_once
    def table_uses(self) -> tuple[TableUse, ...]:
        """The tables of the equations, inputs, events and sensors that must not be left without a word."""
        return table_uses(self.with_inputs([*self._rates, *self._events, *outputs_with_tables(self.eom)]))

    @_made_once
    def tables(self) -> TableWatch:
        """The same with their arguments as a compiled function."""
        uses = self.table_uses
        if not uses:
            return NO_TABLES
        ends_steps = {use.key for use in table_uses(self.with_inputs([*self._rates, *self._events]))}
        sharp = tuple(use.key in ends_steps and not use.table.smooth for use in uses)
        arguments = self.eom.function("table_arguments", {"arguments": [use.argument for use in uses]})
        return TableWatch(uses, sharp, arguments)

    @_made_once
    def projection(self) -> Function | None:
        """One Newton step onto the constraints, with gaps and smallest pivot before it; None if there are none.

        Gaps are relative to the sizes of the equations.
        """
        return self._projection("gaps")

    @_made_once
    def plain_projection(self) -> Function | None:
        """The same with gaps in the units of the equations."""
        return self._projection("plain_gaps")

    def _projection(self, gaps: str) -> Function | None:
        found = correction(self.eom)
        if found is None:
            return None
        outputs = {"projected": [*found.q, *found.u], "gaps": [*getattr(found, gaps), found.regularity]}
        return self.function("projection", outputs)

    @_made_once
    def contact_gaps(self) -> Function:
        """The gaps of all contacts, and their rates."""
        touches = self.touches
        return self.function(
            "contact_gaps", {"gaps": [touch.gap for touch in touches], "rates": [touch.rate for touch in touches]}
        )

    @_made_once
    def contact_forces(self) -> Function:
        """Accelerations of gaps without contact forces; what forces change in them and in the speeds."""
        touches = self.touches
        rows, effect = (np.array([getattr(touch, name) for touch in touches]) for name in ("row", "effect"))
        outputs = {"compliance": product(rows, effect.T), "effect": effect.T}
        outputs |= {name: [getattr(touch, name) for touch in touches] for name in ("free", "band")}
        return self.function("contact_forces", outputs)

    @_made_once
    def rhs_block(self) -> StateBlock:
        """The right-hand side for all lanes."""
        return self.rhs.block(LANES)

    @_made_once
    def slopes_block(self) -> StateBlock:
        """The Jacobian for all lanes."""
        return self.slopes.block(LANES)

    def projection_block(self, relative: bool) -> StateBlock | None:
        """The way back onto the constraints for all lanes."""
        return self._relative_block if relative else self._plain_block

    @_made_once
    def _relative_block(self) -> StateBlock | None:
        return None if self.projection is None else self.projection.block(LANES)

    @_made_once
    def _plain_block(self) -> StateBlock | None:
        return None if self.plain_projection is None else self.plain_projection.block(LANES)

    def with_inputs(self, expressions: Any) -> Any:
        """Expressions in which inputs are what they follow."""
        with within(self.eom.table):
            return substitute(expressions, self._inputs) if self._inputs else expressions

    def function(self, name: str, outputs: Mapping[str, Any]) -> Function:
        """A compiled function of (t, q, u, r, p), with inputs as they are here, and with frozen branches.

        The discrete inputs of the branches follow the others in r.
        """
        with within(self.eom.table):
            put_in = {key: self.switching.frozen(self.with_inputs(value)) for key, value in outputs.items()}
        return self.eom.function(name, put_in, more_inputs=self.switching.inputs)

    @_made_once
    def _rates(self) -> list[Expr]:
        works = powers(self.eom, self._inputs)
        works = works._replace(drives=sum((touch.power for touch in self.touches), works.drives))
        return [*self.eom.rates, *self.eom.acceleration, *explicit(self.eom, works)]


def functions_of(
    eom: EquationsOfMotion, signals: Sequence[Expr] = (), inputs: Mapping[Expr, Expr] | None = None,
    laws: Sequence[Symbol] = (), touches: Sequence[Touch] = (),
) -> RunFunctions:  # fmt: skip
    """The functions of a run, from an earlier one with the same events and inputs if there was any."""
    key = "functions of runs", tuple(signals), tuple((inputs or {}).items()), tuple(laws), tuple(touches)
    return eom.once(key, lambda: RunFunctions(eom, signals, inputs, laws, touches))
