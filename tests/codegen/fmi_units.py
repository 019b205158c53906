"""Functional mock-up units in the hands of FMPy: one face for both versions and both kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ctypes import POINTER, c_double
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.codegen.targets.fmi import Fmi, write_fmu

from .driving import tool

fmpy = pytest.importorskip("fmpy")

from fmpy import fmi2, fmi3  # noqa: E402
from fmpy.fmi1 import FMICallException  # noqa: E402

OK, DISCARD, ERROR = 0, 2, 3
_DOUBLES = POINTER(c_double)


@dataclass(frozen=True)
class Unit:
    """An FMU, unpacked."""

    path: Path
    folder: Path
    version: int

    @staticmethod
    def of(eom: mb.EquationsOfMotion, folder: Path, target: Fmi, **named: Any) -> Unit:
        """Written, compiled and unpacked."""
        tool("gcc")
        path = write_fmu(eom, folder / f"unit{target.version}.fmu", target, compiler="gcc", **named)
        return Unit(path, Path(fmpy.extract(str(path), str(folder / f"unit{target.version}"))), target.version)

    @cached_property
    def description(self) -> Any:
        """As FMPy reads it."""
        return fmpy.read_model_description(str(self.path))

    @cached_property
    def references(self) -> dict[str, int]:
        """Value references by name."""
        return {one.name: one.valueReference for one in self.description.modelVariables}

    def names(self, causality: str) -> list[str]:
        """Names of variables with this causality."""
        return [one.name for one in self.description.modelVariables if one.causality == causality]

    @cached_property
    def states(self) -> list[str]:
        """Names of the states, in order."""
        return [one.variable.derivative.name for one in self.description.derivatives]

    @property
    def rates(self) -> list[str]:
        """Names of their derivatives."""
        return [one.variable.name for one in self.description.derivatives]

    def instance(self, kind: str, name: str = "one", token: str | None = None) -> Instance:
        """A new instance; ``kind`` is "ME" or "CS"."""
        makers = {
            (2, "ME"): fmi2.FMU2Model, (2, "CS"): fmi2.FMU2Slave,
            (3, "ME"): fmi3.FMU3Model, (3, "CS"): fmi3.FMU3Slave,
        }  # fmt: skip
        part = self.description.modelExchange if kind == "ME" else self.description.coSimulation
        raw = makers[self.version, kind](
            guid=self.description.guid if token is None else token, unzipDirectory=str(self.folder),
            modelIdentifier=part.modelIdentifier, instanceName=name,
        )  # fmt: skip
        return Instance(self, raw)


@dataclass(eq=False)
class Instance:
    """An instance and what it has said."""

    unit: Unit
    raw: Any
    said: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.unit.version == 2:
            calls = fmi2.fmi2CallbackFunctions()
            calls.logger = fmi2.fmi2CallbackLoggerTYPE(
                lambda _, name, status, category, message: self.said.append((status, message.decode()))
            )
            self._kept = calls
            self.raw.instantiate(callbacks=calls)
        else:
            self.raw.instantiate(
                logMessage=lambda _, status, category, message: self.said.append((status, message.decode()))
            )

    def status(self, call: Any, *args: Any) -> int:
        """The status that a call returns."""
        try:
            call(*args)
        except FMICallException as error:
            return error.status
        return OK

    # life --------------------------------------------------------------------------------------------------------

    def initialized(
        self, given: Mapping[str, float] | None = None, tolerance: float | None = None, stop: float | None = None
    ) -> Instance:
        """After initialization with these values."""
        self.begin(given, tolerance, stop)
        self.raw.exitInitializationMode()
        return self

    def begin(
        self, given: Mapping[str, float] | None = None, tolerance: float | None = None, stop: float | None = None
    ) -> Instance:
        """In initialization mode."""
        self.set(given or {})
        if self.unit.version == 2:
            self.raw.setupExperiment(tolerance=tolerance, stopTime=stop)
            self.raw.enterInitializationMode()
        else:
            self.raw.enterInitializationMode(tolerance=tolerance, stopTime=stop)
        return self

    def event(self) -> bool:
        """An event, after which time goes on; whether states have changed."""
        changed = self.raw.newDiscreteStates()[3] if self.unit.version == 2 else self.raw.updateDiscreteStates()[3]
        self.raw.enterContinuousTimeMode()
        return bool(changed)

    def step(self, time: float, length: float) -> Any:
        """From one communication point to the next."""
        return self.raw.doStep(time, length)

    # variables ---------------------------------------------------------------------------------------------------

    def get(self, names: Sequence[str]) -> np.ndarray:
        """Values by name."""
        return np.array(self.values([self.unit.references[name] for name in names]))

    def values(self, references: Sequence[int]) -> list[float]:
        """Values by reference."""
        return self.raw.getReal(references) if self.unit.version == 2 else self.raw.getFloat64(references)

    def set(self, values: Mapping[str, float]) -> None:
        """Set values by name."""
        references = [self.unit.references[name] for name in values]
        put = self.raw.setReal if self.unit.version == 2 else self.raw.setFloat64
        put(references, [float(value) for value in values.values()])

    def put_state(self, time: float, x: np.ndarray) -> None:
        """As an integrator does."""
        self.raw.setTime(time)
        self.raw.setContinuousStates(x.ctypes.data_as(_DOUBLES), len(x))

    def state_rates(self) -> np.ndarray:
        """As an integrator asks for them."""
        rates = np.empty(len(self.unit.states))
        ask = self.raw.getDerivatives if self.unit.version == 2 else self.raw.getContinuousStateDerivatives
        ask(rates.ctypes.data_as(_DOUBLES), len(rates))
        return rates

    def state(self) -> np.ndarray:
        """The continuous states."""
        x = np.empty(len(self.unit.states))
        self.raw.getContinuousStates(x.ctypes.data_as(_DOUBLES), len(x))
        return x

    def slopes(self, unknowns: Sequence[str], knowns: Sequence[str]) -> np.ndarray:
        """The matrix of derivatives, column by column."""
        of, by = ([self.unit.references[name] for name in names] for names in (unknowns, knowns))
        return np.array([self.raw.getDirectionalDerivative(of, [one], [1.0]) for one in by]).T

    # saved states ------------------------------------------------------------------------------------------------

    def keep(self) -> Any:
        """A state in memory."""
        return self.raw.getFMUstate() if self.unit.version == 2 else self.raw.getFMUState()

    def put_back(self, kept: Any) -> None:
        """As it was."""
        (self.raw.setFMUstate if self.unit.version == 2 else self.raw.setFMUState)(kept)

    def forget(self, kept: Any) -> None:
        """Free a state."""
        (self.raw.freeFMUstate if self.unit.version == 2 else self.raw.freeFMUState)(kept)

    def packed(self, kept: Any) -> bytes:
        """A state as bytes."""
        return (self.raw.serializeFMUstate if self.unit.version == 2 else self.raw.serializeFMUState)(kept)

    def unpacked(self, content: bytes) -> Any:
        """A state from bytes."""
        return (self.raw.deSerializeFMUstate if self.unit.version == 2 else self.raw.deserializeFMUState)(content)

    def close(self) -> None:
        """The end."""
        self.raw.freeInstance()
