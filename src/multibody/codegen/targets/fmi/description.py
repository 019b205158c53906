"""``modelDescription.xml`` of both versions of the standard."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from multibody.codegen.targets.fmi.interface import Array, Interface, Role, Variable
from multibody.codegen.targets.fmi.si_units import parsed
from multibody.codegen.targets.fmi.xml_tree import Element, element

_STRUCTURED = re.compile(r"(der\()?[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*\)?", re.ASCII)
"""Names in the structured convention of the standard, without quotes."""

CATEGORIES = {
    "logStatusWarning": "start values that are changed", "logStatusError": "errors",
    "logStatusDiscard": "numbers that are not finite, steps that fail",
}  # fmt: skip


@dataclass(frozen=True)
class ModelDescription:
    """What the description says.

    Attributes:
        name: of the model.
        identifier: likewise, as C spells it.
        token: by which an importer can tell that description and binary belong together.
        interface: the variables.
        derivatives: whether there are directional derivatives.
        tolerance: of the solver.
        step: of the solver, where it is fixed; else 0.
    """

    name: str
    identifier: str
    token: str
    interface: Interface
    derivatives: bool
    tolerance: float
    step: float

    def of_version(self, version: int) -> Element:
        """The document for FMI 2.0 or 3.0."""
        return self._fmi2() if version == 2 else self._fmi3()

    # FMI 2.0 -----------------------------------------------------------------------------------------------------

    def _fmi2(self) -> Element:
        common = {
            "modelIdentifier": self.identifier, "canNotUseMemoryManagementFunctions": True,
            "canGetAndSetFMUstate": True, "canSerializeFMUstate": True,
            "providesDirectionalDerivative": self.derivatives,
        }  # fmt: skip
        unknowns = self.interface.initial_unknowns
        return element(
            "fmiModelDescription",
            element(
                "ModelExchange", _sources(), completedIntegratorStepNotNeeded=not self.interface.watches_steps, **common
            ),
            element(
                "CoSimulation", _sources(), canHandleVariableCommunicationStepSize=True, canInterpolateInputs=True,
                maxOutputDerivativeOrder=int(self.derivatives), **common,
            ),
            *self._shared(),
            element("ModelVariables", *(self._scalar(one) for one in self.interface.variables)),
            element(
                "ModelStructure",
                _group("Outputs", self._unknowns(self.interface.all("output"), self._unknown2)),
                _group("Derivatives", self._unknowns(self.interface.all("rate"), self._unknown2)),
                _group("InitialUnknowns", self._unknowns(unknowns, self._unknown2, initial=True)),
            ),
            fmiVersion="2.0", modelName=self.name, guid=self.token, generationTool="multibody",
            variableNamingConvention=self._convention, numberOfEventIndicators=0,
        )  # fmt: skip

    def _scalar(self, one: Variable) -> Element:
        real = {name: value for name, value in self._number(one).items() if value is not None}
        if one.state is not None:
            real["derivative"] = one.state + 1
        return element(
            "ScalarVariable", element("Real", **real), name=one.name, valueReference=one.reference,
            description=one.description or None, **self._kind(one),
        )  # fmt: skip

    def _unknown2(self, one: Variable, known: list[int] | None) -> Element:
        listed = None if known is None else " ".join(str(k + 1) for k in known)
        return element("Unknown", index=one.reference + 1, dependencies=listed, dependenciesKind=_kinds(one, known))

    # FMI 3.0 -----------------------------------------------------------------------------------------------------

    def _fmi3(self) -> Element:
        common = {
            "modelIdentifier": self.identifier, "canGetAndSetFMUState": True, "canSerializeFMUState": True,
            "providesDirectionalDerivatives": self.derivatives, "providesAdjointDerivatives": self.derivatives,
        }  # fmt: skip
        unknowns = self.interface.initial_unknowns
        return element(
            "fmiModelDescription",
            element("ModelExchange", needsCompletedIntegratorStep=self.interface.watches_steps, **common),
            element(
                "CoSimulation", canHandleVariableCommunicationStepSize=True,
                maxOutputDerivativeOrder=int(self.derivatives), fixedInternalStepSize=self.step or None, **common,
            ),
            *self._shared(),
            element("ModelVariables", *(self._float(one) for one in self._wholes)),
            element(
                "ModelStructure",
                *self._unknowns(self.interface.all("output"), self._unknown3("Output")),
                *self._unknowns(self.interface.all("rate"), self._unknown3("ContinuousStateDerivative")),
                *self._unknowns(unknowns, self._unknown3("InitialUnknown"), initial=True),
            ),
            fmiVersion="3.0", modelName=self.name, instantiationToken=self.token, generationTool="multibody",
            variableNamingConvention=self._convention,
        )  # fmt: skip

    @property
    def _wholes(self) -> list[Variable]:
        """The variables; those that are elements of an array follow from it and are left out, but for the first."""
        inner = {k for array in self.interface.arrays for k in array.references[1:]}
        return [one for one in self.interface.variables if one.reference not in inner]

    def _float(self, one: Variable) -> Element:
        array = next((array for array in self.interface.arrays if array.first == one.reference), None)
        if array is not None:
            return self._array(array)
        return element(
            "Float64", name=one.name, valueReference=one.reference, description=one.description or None,
            **self._kind(one), **self._number(one), derivative=one.state,
        )  # fmt: skip

    def _array(self, array: Array) -> Element:
        """All elements in one variable, row by row."""
        parts = [self.interface.variables[k] for k in array.references]
        said = "; ".join(dict.fromkeys(part.description for part in parts if part.description))
        numbers = self._number(parts[0]) | {"start": " ".join(repr(part.start) for part in parts)}
        return element(
            "Float64", *(element("Dimension", start=size) for size in array.shape), name=array.name,
            valueReference=array.first, description=said or None, **self._kind(parts[0]), **numbers,
        )  # fmt: skip

    def _unknown3(self, tag: str) -> Callable[[Variable, list[int] | None], Element]:
        whole = {k: array.first for array in self.interface.arrays for k in array.references}

        def made(one: Variable, known: list[int] | None) -> Element:
            known = None if known is None else list(dict.fromkeys(whole.get(k, k) for k in known))
            listed = None if known is None else " ".join(map(str, known))
            return element(tag, valueReference=one.reference, dependencies=listed, dependenciesKind=_kinds(one, known))

        return made

    # both --------------------------------------------------------------------------------------------------------

    @property
    def _convention(self) -> str:
        """Whether brackets in names are indices, for an importer that shows arrays as such."""
        names = [one.name for one in self.interface.variables]
        plain = all(_STRUCTURED.fullmatch(name) for name in names)
        return "structured" if plain and any("[" in name for name in names) else "flat"

    def _shared(self) -> list[Element | None]:
        units = dict.fromkeys(one.unit for one in self.interface.variables if one.unit)
        return [
            _group("UnitDefinitions", [_unit(name) for name in units]),
            element("LogCategories", *(element("Category", name=n, description=d) for n, d in CATEGORIES.items())),
            element("DefaultExperiment", startTime=0.0, tolerance=self.tolerance),
        ]

    def _kind(self, one: Variable) -> dict[str, str | None]:
        causality = {"time": "independent", "input": "input", "output": "output", "parameter": "parameter"}
        initial = {"state": "approx" if self.interface.constrained else "exact", "parameter": "exact"}
        initial |= dict.fromkeys(("rate", "output", "force"), "calculated")
        return {
            "causality": causality.get(one.role, "local"),
            "variability": "tunable" if one.role == "parameter" else "continuous",
            "initial": initial.get(one.role),
        }

    def _number(self, one: Variable) -> dict[str, Any]:
        moved = True if one.role == "state" and self.interface.constrained else None
        low, high = (end if math.isfinite(end) else None for end in one.limits or (-math.inf, math.inf))
        return {"unit": one.unit or None, "min": low, "max": high, "start": one.start, "reinit": moved}

    def _unknowns(
        self, variables: Iterable[Variable], written: Callable[[Variable, list[int] | None], Element],
        *, initial: bool = False,
    ) -> list[Element]:  # fmt: skip
        """Unknowns with the knowns they depend on; if states follow from constraints, they depend on everything."""
        roles: tuple[Role, ...] = ("time", "state", "input", *(("parameter",) if initial else ()))
        if initial and self.interface.constrained:
            return [written(one, None) for one in variables]
        return [written(one, self.interface.of_roles(one.dependencies, *roles)) for one in variables]


def _sources() -> Element:
    return element("SourceFiles", element("File", name="all.c"))


def _kinds(one: Variable, known: list[int] | None) -> str | None:
    if known is None:
        return None
    return " ".join(["constant" if one.copies else "dependent"] * len(known))


def _group(tag: str, children: list[Element]) -> Element | None:
    return element(tag, *children) if children else None


def _unit(name: str) -> Element:
    known = parsed(name)
    if known is None:
        return element("Unit", name=name)
    factor = known.factor if known.factor != 1.0 else None
    return element("Unit", element("BaseUnit", **known.exponents, factor=factor), name=name)
