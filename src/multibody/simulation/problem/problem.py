"""Equations as numbers in memory: what integrators move."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from multibody.compiler import Function
from multibody.compiler.calls import BoundCall, MovablePorts
from multibody.equations import EquationsOfMotion
from multibody.graph import Expr
from multibody.simulation.checks.cubic_pieces import CubicPieces
from multibody.simulation.checks.step_rows import StepRows
from multibody.simulation.contract import Vector
from multibody.simulation.kernel.run_record import PAUSE, REGULAR
from multibody.simulation.problem.difference_quotients import fill_by_differences
from multibody.simulation.problem.run_functions import WORKS, RunFunctions

__all__ = ["WORKS", "Native", "Problem"]

EQUATIONS = ("_rhs", "rhs", "movable", "_slopes", "jacobian")
"""Calls that depend on how constraint forces are found."""

EVALUATIONS_IN_HASTE = 100_000
"""Evaluations in which code that was made in haste loses the time that was won."""


class Native(NamedTuple):
    """A compiled function with all its memory in place: ``void f(void *ports, void *more)`` at an address."""

    address: int
    ports: int
    more: int


Made = TypeVar("Made")


class Problem:
    """The right-hand side, its derivative, the constraints and the events of a run, compiled and bound to memory.

    Calls read ``t``, ``y`` and ``r`` and write ``rate``, ``projected`` with ``gaps``, ``signals`` and ``slopes``.

    Args:
        eom: equations of motion.
        parameters: a value for each parameter, in order.
        signals: expressions of (t, q, u, r, p) whose zero crossings are events.
        inputs: for some inputs the expression of (t, q, u, p) that they follow.
        functions: all these compiled already, by another problem that differs in numbers alone.

    Attributes:
        n: number of coordinates.
        m: number of speeds.
        functions: what is compiled, to be shared with other problems.
        law: what is called before each evaluation, see ``follow``.
        observer: what is called with times and states at the ends of steps, many at a time, and says whether the run
            goes on; it copies what it keeps. None to go without.
        corners: times at which steps must end, increasing; see ``Integrator.ends_at_corners``.
        size: number of entries of the state y = (q, u, works).
        weights: which entries take part in the control of errors.
        unchecked_steps: steps of fixed length since their stability was last looked at.
        r: the inputs.
        modes: the discrete inputs of branches, which follow them in memory; see ``switching_functions``.
        regularized: whether constraints give way where they are not independent; see ``regularize``.
        stays_regularized: whether it is so for the rest of the run.
    """

    def __init__(
        self, eom: EquationsOfMotion, parameters: Sequence[float], signals: Sequence[Expr] = (),
        inputs: Mapping[Expr, Expr] | None = None, functions: RunFunctions | None = None,
    ) -> None:  # fmt: skip
        self.eom = eom
        self.functions = functions or RunFunctions(eom, signals, inputs)
        self.n, self.m = len(eom.coordinates), len(eom.speeds)
        self.size = self.functions.size
        self.t = np.zeros(())
        self.y, self.rate = np.zeros(self.size), np.zeros(self.size)
        self.all_r = np.zeros(len(eom.inputs) + len(self.functions.switching.inputs))
        self.r, self.modes = self.all_r[: len(eom.inputs)], self.all_r[len(eom.inputs) :]
        self.p = np.array(parameters, dtype=float)
        self.projected, self.gaps = np.zeros(self.n + self.m), np.zeros(3)
        self.signals = np.zeros(len(self.functions.events))
        self.slopes = np.zeros((self.size, self.size))
        self.weights = np.arange(self.size) < self.n + self.m + self.functions.counted_works
        self.failure: BaseException | None = None
        self.native_fields: dict[Any, Any] = {}  # kept by compiled loops
        self.law: Callable[[], None] | None = None
        self.observer: Callable[[Vector, Vector], bool] | None = None
        self._callbacks: list[Any] = []
        self.corners: Vector = np.empty(0)
        self.unchecked_steps = PAUSE
        self._evaluations, self._watched = 0, False
        self.regularized = self.stays_regularized = False
        self._relative_gaps = True
        self._other_calls: dict[str, Any] = {}
        self._solver_parts: dict[Callable[[Problem], Any], Any] = {}

    def once(self, kind: Callable[[Problem], Made]) -> Made:
        """What a solver needs of this problem, made when it is first asked for; it lives as long as the problem."""
        if kind not in self._solver_parts:
            self._solver_parts[kind] = kind(self)
        return cast("Made", self._solver_parts[kind])

    def with_parameters(self, parameters: Sequence[float]) -> Problem:
        """The same problem with other numbers and memory of its own; what is compiled is shared, also by threads."""
        return Problem(self.eom, parameters, functions=self.functions)

    def renew(self) -> bool:
        """Make the problem of a finished run ready for another one with the same parameters; False if it cannot be.

        Code that was made in haste for the first run is not used again.
        """
        if self._in_haste or self.law is not None or self.failure is not None or self.stays_regularized:
            return False
        self.regularize(False)
        self.observer, self.unchecked_steps = None, PAUSE
        self.modes[:] = 0.0
        return True

    def follow(self, law: Callable[[], None], *, signals: bool = False) -> None:
        """Call a function before each evaluation of the right-hand side; it reads ``t`` and ``y`` and writes ``r``.

        Args:
            law: the function.
            signals: whether events depend on what it writes: then it is called before these are evaluated, too.

        If it raises an error, this is kept in ``failure``, and no rate is finite any more, so that the run ends.
        """
        self.law, self._watched = law, signals
        for name in ("rhs", "events"):
            self.__dict__.pop(name, None)
            self._other_calls.pop(name, None)
        self.native_fields.clear()

    def _followed(self) -> None:
        if self._obeyed():
            self._rhs()
        else:
            self.rate[:] = np.nan

    def _watched_signals(self) -> None:
        if self._obeyed():
            self._signals()

    def _obeyed(self) -> bool:
        """Call the law; False if it has failed."""
        try:
            assert self.law is not None
            if self.failure is None:  # what has failed once is not asked again: a shorter step must not hide it
                self.law()
        except Exception as error:  # noqa: BLE001 - it must not pass through compiled code
            self.failure = error
        return self.failure is None

    def _for_compiled(self, call: Callable[[], None]) -> Native:
        """A method for compiled callers, through which nothing at all may pass."""

        def called_back(*_: Any) -> None:
            try:
                call()
            except BaseException as error:  # noqa: BLE001 - an interruption, too
                self.failure = error
                self.rate[:] = np.nan

        callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(called_back)
        self._callbacks.append(callback)  # it must live as long as its address
        return Native(ctypes.cast(callback, ctypes.c_void_p).value or 0, 0, 0)

    # native calls ------------------------------------------------------------------------------------------------

    @cached_property
    def rhs(self) -> Native:
        """(t, y, r) → rate."""
        return Native(*self._rhs.native) if self.law is None else self._for_compiled(self._followed)

    @cached_property
    def movable(self) -> MovablePorts:
        """The ports of ``rhs`` for loops with states and rates of their own; not for one that follows a law."""
        return self._rhs.movable()

    @cached_property
    def projection(self) -> Native | None:
        """(t, y, r) → projected and gaps; None if there are no constraints and no quaternions."""
        return None if self._projection is None else Native(*self._projection.native)

    @cached_property
    def events(self) -> Native | None:
        """(t, y, r) → signals; None if there are no events."""
        if not self.functions.events:
            return None
        return self._for_compiled(self._watched_signals) if self._watched else Native(*self._signals.native)

    @cached_property
    def jacobian(self) -> Native:
        """(t, y, r) → slopes = ∂rate/∂y, exact."""
        return Native(*self._slopes.native)

    # Python calls ------------------------------------------------------------------------------------------------

    def evaluate(self, t: float, y: Vector) -> Vector:
        """The rate of the state."""
        self.t[()], self.y[:] = t, y
        (self._rhs if self.law is None else self._followed)()
        return self.rate.copy()

    def evaluate_jacobian(self, t: float, y: Vector) -> Vector:
        """∂rate/∂y."""
        self.t[()], self.y[:] = t, y
        self._slopes()
        return fill_by_differences(self.slopes.copy(), partial(self.evaluate, t), y)

    def evaluate_signals(self, t: float, y: Vector) -> Vector:
        """The values whose zero crossings are events."""
        self.t[()], self.y[:] = t, y
        if self.functions.events:
            (self._watched_signals if self._watched else self._signals)()
        return self.signals.copy()

    def evaluate_switching(self, t: float, y: Vector) -> tuple[Vector, Vector]:
        """The switching functions, and their derivatives by the state."""
        self.t[()], self.y[:] = t, y
        if self.law is None or self._obeyed():
            self._switching()
        return self.switching_values.copy(), self.switching_slopes

    def call(self, function: Function, t: float, y: Vector) -> dict[str, Vector]:
        """The outputs of a function of (t, q, u, r, p) with several outputs at a state, by name."""
        self.t[()], self.y[:] = t, y
        if self.law is not None:
            self._obeyed()
        found = function(t, y[: self.n], y[self.n : self.n + self.m], self.all_r, self.p)
        return {port.name: np.asarray(found[port.name], dtype=float) for port in function.outputs}

    def project(self, t: float, y: Vector, tolerance: float, steps: int = 8) -> tuple[Vector, Vector]:
        """The state brought back onto the constraints, and the gaps of positions and velocities that are left.

        Where the constraints are not clearly independent, velocities follow when positions are kept.
        """
        self.t[()], self.y[:] = t, y
        if self._projection is None:
            return y.copy(), np.zeros(2)
        for _ in range(steps):
            self._projection()
            if self.gaps[:2].max() <= tolerance:
                break
            self.y[: self.n] = self.projected[: self.n]
            if self.gaps[0] <= tolerance or self.gaps[2] > REGULAR:
                self.y[self.n : self.n + self.m] = self.projected[self.n :]
        return self.y.copy(), self.gaps[:2].copy()

    @cached_property
    def step_rows(self) -> StepRows:
        """Memory for states at the ends of steps, for checks of a run."""
        return StepRows(self.n, self.m, self.size, self.p, len(self.r))

    @cached_property
    def pieces(self) -> CubicPieces:
        """Memory for coordinates between two states, for checks of limits."""
        return CubicPieces()

    # compiled ----------------------------------------------------------------------------------------------------

    def settled(self, evaluations: int) -> bool:
        """Whether there is faster code from now on, because so many more evaluations were done with what was there."""
        self._evaluations += evaluations
        if not self._in_haste or self._evaluations < EVALUATIONS_IN_HASTE or not self.functions.improved():
            return False
        self._in_haste = False
        for name in ("_rhs", "rhs", "movable", "_slopes", "jacobian", "_projection", "projection"):
            self.__dict__.pop(name, None)
            self._other_calls.pop(name, None)
        self.native_fields.clear()
        return True

    def regularize(self, wanted: bool = True, *, for_good: bool = False) -> bool:
        """Go on with ``EquationsOfMotion.regularized``, or with the original equations; False if nothing changes.

        Args:
            wanted: whether equations shall be regularized.
            for_good: they stay so.
        """
        if for_good and not self.stays_regularized and self.functions.has_regularized:
            self.stays_regularized = True
            self.regularize()
            self.native_fields.clear()
            return True
        if wanted == self.regularized or not self.functions.has_regularized:
            return False
        self.regularized = wanted
        before = {name: self.__dict__.pop(name) for name in EQUATIONS if name in self.__dict__}
        self.__dict__.update(self._other_calls)
        self._other_calls = before
        self.native_fields.clear()
        return True

    def measure_gaps(self, relative: bool) -> None:
        """Measure gaps of constraints relative to the sizes of their equations, or in their units."""
        if relative == self._relative_gaps:
            return
        self._relative_gaps = relative
        for name in ("_projection", "projection"):
            self.__dict__.pop(name, None)
        self.native_fields.clear()

    @property
    def other_rhs(self) -> tuple[Native, MovablePorts | None]:
        """The right-hand side that was used before the last call of ``regularize``; an address 0 if there was none."""
        return self._other_calls.get("rhs", Native(0, 0, 0)), self._other_calls.get("movable")

    @property
    def _equations(self) -> RunFunctions:
        return self.functions.regularized if self.regularized else self.functions

    @cached_property
    def _in_haste(self) -> bool:
        """Whether code that was made in haste serves: in the first run, and in others until there is better code."""
        return self.functions.is_first_run() or not self.functions.improved()

    def _made(self, function: Function) -> Function:
        return function.hasty if self._in_haste else function

    @cached_property
    def _rhs(self) -> BoundCall:
        return self.bound(self._made(self._equations.rhs), rate=self.rate)

    @cached_property
    def _slopes(self) -> BoundCall:
        return self.bound(self._made(self._equations.slopes), slopes=self.slopes)

    @cached_property
    def _signals(self) -> BoundCall:
        return self.bound(self.functions.signals, signals=self.signals)

    @cached_property
    def _switching(self) -> BoundCall:
        function, count = self.functions.switching_values, len(self.functions.switching.switches)
        self.switching_values, self.switching_slopes = np.zeros(count), np.zeros((count, self.n + self.m))
        return self.bound(function, values=self.switching_values, slopes=self.switching_slopes)

    @cached_property
    def _projection(self) -> BoundCall | None:
        found = self.functions.projection if self._relative_gaps else self.functions.plain_projection
        return None if found is None else self.bound(self._made(found), projected=self.projected, gaps=self.gaps)

    def bound(self, function: Function, **arrays: Vector) -> BoundCall:
        """A function of (t, q, u, r, p) that reads this problem's memory; the arrays are for its outputs."""
        inputs = next(self.all_r[: port.size] for port in function.inputs if port.name == "r")
        memory = {"t": self.t, "q": self.y[: self.n], "u": self.y[self.n : self.n + self.m], "r": inputs}
        fixed = {port.name: self.p for port in function.inputs if port.fixed}
        if fixed:
            return function.fix(**fixed).bind(**memory, **arrays)
        return function.bind(**memory, p=self.p, **arrays)
