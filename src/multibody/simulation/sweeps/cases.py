"""What a sweep runs: cases of numbers by name, from lists, grids and random draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan, prod
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError, NumberError
from multibody.graph.number import is_whole
from multibody.simulation.contract import Vector
from multibody.simulation.results.recording import unknown
from multibody.simulation.sweeps.distributions import Distribution


@dataclass(frozen=True)
class Case:
    """One run: its number, and the values by name that are not those of the model."""

    number: int
    parameters: Mapping[str, float]
    q: Mapping[str, float]
    u: Mapping[str, float]

    @property
    def values(self) -> dict[str, float]:
        """All of them."""
        return {**self.parameters, **self.q, **self.u}


@dataclass(frozen=True, eq=False)
class SweepPlan:
    """All runs of a sweep: every case of the list at every point of the grid, as often as values are drawn.

    Attributes:
        kinds: for each name that is given "parameter", "coordinate" or "speed".
        common: values that are the same in all runs.
        names: of the values that vary.
        table: these, a row for each run; NaN where a case leaves a value to the model.
        dimensions: what the runs are counted by, the last one fastest: "case", the axes of the grid, "draw".
        shape: how many of each.
    """

    kinds: Mapping[str, str]
    common: Mapping[str, float]
    names: tuple[str, ...]
    table: Vector
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.table)

    def case(self, number: int) -> Case:
        """A run by its number, counted from 0."""
        row = zip(self.names, self.table[number].tolist(), strict=True)
        values = {**self.common, **{name: value for name, value in row if not isnan(value)}}
        sorted_by_kind: dict[str, dict[str, float]] = {"parameter": {}, "coordinate": {}, "speed": {}}
        for name, value in values.items():
            sorted_by_kind[self.kinds[name]][name] = value
        return Case(number, *sorted_by_kind.values())

    def varied(self, eom: EquationsOfMotion) -> dict[str, Vector]:
        """The values that vary, an array over all runs for each; those of the model where a case gives none."""
        table = self.table.copy()
        start = {symbol.name: value for symbol, value in eom.model.start.items()}
        for number in np.flatnonzero(np.isnan(table).any(axis=1)):
            parameters = eom.model.parameter_values(self.case(int(number)).parameters)
            known = start | {symbol.name: value for symbol, value in parameters.items()}
            missing = np.isnan(table[number])
            table[number, missing] = [known[name] for name, gap in zip(self.names, missing, strict=True) if gap]
        return dict(zip(self.names, table.T, strict=True))


def planned(
    eom: EquationsOfMotion, parameters: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
    cases: Iterable[Mapping[str, float]] | None = None, draws: int = 1, seed: int = 0,
) -> SweepPlan:  # fmt: skip
    """The runs that follow from what a user gave; see ``sweep``.

    Example:
        >>> import multibody as mb
        >>> from multibody.simulation.sweeps.distributions import Uniform
        >>> cart = mb.System("cart")
        >>> (mass,) = cart.parameters(mass=1.0)
        >>> slide = cart.joint("slide", cart.world, cart.body("box", mass), "Tx")
        >>> plan = planned(mb.derive(cart), {"mass": [1, 2]}, {"slide": [0, 1, 2], "slide_dot": Uniform(0, 1)}, draws=5)
        >>> len(plan), plan.dimensions, plan.shape
        (30, ('mass', 'slide', 'draw'), (2, 3, 5))
        >>> plan.case(29).parameters, plan.case(29).q
        ({'mass': 2.0}, {'slide': 2.0})
    """
    listed: Any = cases if cases is None or isinstance(cases, Mapping) else list(cases)
    return _Planning(eom, parameters or {}, initial or {}, listed, draws, seed).plan


def _by_element(eom: EquationsOfMotion, given: Any) -> Any:
    """Values by name, with arrays of parameters that were given by their own names taken apart."""
    return eom.model.parameters_by_element(given) if isinstance(given, Mapping) else given


def _rows_as_cases(eom: EquationsOfMotion, parameters: Any, cases: Any) -> tuple[Any, Any]:
    """Several values of one array, ``{"cp": [[1, 2, 3], [3, 2, 1]]}``, as cases: its entries change together."""
    if cases is not None or not isinstance(parameters, Mapping):
        return parameters, cases
    shapes = {
        parameter.name: np.shape(parameter.symbols) for parameter in eom.model.parameters if np.ndim(parameter.symbols)
    }
    rows = [name for name, value in parameters.items() if name in shapes and _is_stack(value, shapes[name])]
    if len(rows) != 1:  # several of them would be a grid of arrays; the error says what shape is needed
        return parameters, cases
    (name,) = rows
    others = {other: value for other, value in parameters.items() if other != name}
    return others, [{name: value} for value in parameters[name]]


def _is_stack(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether a value is a sequence of arrays of this shape."""
    if not isinstance(value, list | tuple | np.ndarray) or not len(value):
        return False
    return all(isinstance(item, list | tuple | np.ndarray) and np.shape(item) == shape for item in value)


class _Planning:
    """From what a user gave to a plan, with all that can be wrong about it."""

    def __init__(
        self, eom: EquationsOfMotion, parameters: Mapping[str, Any], initial: Mapping[str, Any],
        cases: list[Mapping[str, float]] | None, draws: int, seed: int,
    ) -> None:  # fmt: skip
        parameters, cases = _rows_as_cases(eom, parameters, cases)
        parameters = _by_element(eom, parameters)
        cases = [_by_element(eom, case) for case in cases] if isinstance(cases, list) else cases
        self._eom, self._cases, self._draws, self._seed = eom, cases, draws, seed
        self._require_lists()
        self._kinds = {parameter.name: "parameter" for parameter in eom.parameters}
        self._require_known(parameters, [*self._kinds], "parameters")
        states = {coordinate.name: "coordinate" for coordinate in eom.coordinates} | {
            speed.name: "speed" for speed in eom.speeds
        }
        self._require_known(initial, [*states], "initial")
        self._kinds |= states
        self._given = {**parameters, **initial}
        self._listed = list(dict.fromkeys(name for case in cases or [] for name in case))
        self._require_known(self._listed, [*self._kinds], "cases")
        self._require_once([*parameters, *initial, *self._listed])
        self._values = {name: self._read(name, value) for name, value in self._given.items()}
        self._require_draws()

    @cached_property
    def plan(self) -> SweepPlan:
        """All runs."""
        random = [name for name, value in self._values.items() if isinstance(value, Distribution)]
        common = {name: value for name, value in self._values.items() if isinstance(value, float)}
        dimensions = [] if self._cases is None else [("case", len(self._cases))]
        dimensions += [(name, len(axis)) for name, axis in self._axes.items()]
        dimensions += [("draw", self._draws)] if random else []
        shape = tuple(count for _, count in dimensions)
        columns = [*self._case_columns(shape), *self._grid_columns(shape)]
        columns += [self._drawn(name, prod(shape)) for name in random]
        table = np.stack(columns, axis=1) if columns else np.empty((prod(shape), 0))
        names = (*self._listed, *self._axes, *random)
        kinds = {name: self._kinds[name] for name in (*common, *names)}
        return SweepPlan(kinds, common, names, table, tuple(name for name, _ in dimensions), shape)

    @cached_property
    def _axes(self) -> dict[str, Vector]:
        return {name: value for name, value in self._values.items() if isinstance(value, np.ndarray)}

    def _case_columns(self, shape: tuple[int, ...]) -> list[Vector]:
        if not self._listed:
            return []
        assert self._cases is not None
        rows = [[self._number(name, case[name]) if name in case else np.nan for name in self._listed]
                for case in self._cases]  # fmt: skip
        return [np.repeat(column, prod(shape[1:])) for column in np.array(rows).T]

    def _grid_columns(self, shape: tuple[int, ...]) -> list[Vector]:
        """Each axis along its own dimension, and the same along all others."""
        first = 0 if self._cases is None else 1
        columns = []
        for k, values in enumerate(self._axes.values(), first):
            lying = values.reshape([-1 if dimension == k else 1 for dimension in range(len(shape))])
            columns.append(np.broadcast_to(lying, shape).ravel())
        return columns

    def _drawn(self, name: str, count: int) -> Vector:
        """A stream for each name: what is drawn for one does not depend on what else is drawn."""
        distribution = self._values[name]
        assert isinstance(distribution, Distribution)
        values = np.asarray(distribution.drawn(np.random.default_rng([self._seed, *name.encode()]), count), dtype=float)
        if values.shape != (count,) or not np.isfinite(values).all():
            raise NumberError(
                f"{count} finite numbers are needed.",
                code="draws-not-finite",
                name=name,
                where=f"distribution of '{name}'",
                cause=repr(distribution),
            )
        return values

    # what can be wrong -------------------------------------------------------------------------------------------

    @property
    def _where(self) -> str:
        return f"sweep of system '{self._eom.model.name}'"

    def _read(self, name: str, value: Any) -> float | Vector | Distribution:
        """A number, an axis, or a distribution."""
        if isinstance(value, Distribution):
            return value
        numbers = np.asarray(value)
        if numbers.dtype.kind not in "iuf" or numbers.ndim > 1:
            raise NumberError(
                f"{value!r:.200} is not a value of '{name}'.",
                code="value-not-a-number",
                name=name,
                where=self._where,
                remedy="Give a number, a sequence of numbers, or Uniform(…), Normal(…) or Choice(…).",
            )
        if not numbers.size or not np.isfinite(numbers).all():
            what = "has no values" if not numbers.size else "has a value that is not finite"
            raise NumberError(
                f"'{name}' {what}.",
                code="sweep-values-invalid",
                name=name,
                where=self._where,
                remedy="Give finite numbers, one at least.",
            )
        return float(numbers) if numbers.ndim == 0 else numbers.astype(float)

    def _number(self, name: str, value: Any) -> float:
        number = self._read(name, value)
        if not isinstance(number, float):
            raise NumberError(
                f"A case has {value!r:.200} for '{name}'.",
                code="value-not-a-number",
                name=name,
                where=self._where,
                remedy="Give a number.",
            )
        return number

    def _require_lists(self) -> None:
        """Cases are mappings, and numbers are whole."""
        if any(not isinstance(case, Mapping) for case in self._cases or ()):
            raise ModelError(
                f"{self._cases!r:.200} is not a list of cases.",
                code="cases-not-a-list",
                where=self._where,
                remedy="Write cases=[{'name': 1.0}, {'name': 2.0}]; for a grid, parameters={'name': [1.0, 2.0]}.",
            )
        for what, value in (("draws", self._draws), ("seed", self._seed)):
            if not is_whole(value) or value < 0:
                raise NumberError(
                    f"{what} = {value!r} is not a whole number.",
                    code="value-not-a-whole-number",
                    name=what,
                    where=self._where,
                    remedy="Give one that is not negative.",
                )

    def _require_known(self, names: Iterable[str], known: list[str], where: str) -> None:
        for name in names:
            if name not in known:
                error = unknown(name, known, f"{where} of the {self._where}")
                error.cause = self._elsewhere(name) or error.cause
                raise error

    def _elsewhere(self, name: str) -> str:
        """Which argument a name belongs to."""
        homes = {"parameters": self._eom.parameters, "initial": (*self._eom.coordinates, *self._eom.speeds),
                 "inputs": self._eom.inputs}  # fmt: skip
        found = [home for home, symbols in homes.items() if name in [symbol.name for symbol in symbols]]
        return f"It belongs to {found[0]}={{…}}." if found else ""

    def _require_once(self, names: list[str]) -> None:
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            raise ModelError(
                f"{', '.join(map(repr, twice))} given twice.",
                code="value-twice",
                names=twice,
                where=self._where,
                remedy="Give each name once, in parameters, in initial, or in the cases.",
            )

    def _require_draws(self) -> None:
        if self._cases is not None and not self._cases:
            raise ModelError(
                "The list of cases is empty.",
                code="sweep-without-cases",
                where=self._where,
                remedy="Leave cases away, or add one.",
            )
        random = any(isinstance(value, Distribution) for value in self._values.values())
        if self._draws < 1 or (self._draws > 1 and not random):
            raise ModelError(
                f"draws={self._draws}{'' if random else ', and nothing to draw'}.",
                code="draws-invalid",
                draws=repr(self._draws),
                where=self._where,
                remedy="Give draws >= 1, and at least one distribution such as Uniform(low, high).",
            )
