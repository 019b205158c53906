"""``modelDescription.xml`` of both versions of the standard, and the page in an FMU's ``documentation``.

The page says what the variables are, and what the unit does between communication points.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
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
            element("ModelVariables", *(self._scalar(variable) for variable in self.interface.variables)),
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
            element("ModelVariables", *(self._float(whole) for whole in self._wholes)),
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
        return [variable for variable in self.interface.variables if variable.reference not in inner]

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
        names = [variable.name for variable in self.interface.variables]
        plain = all(_STRUCTURED.fullmatch(name) for name in names)
        return "structured" if plain and any("[" in name for name in names) else "flat"

    def _shared(self) -> list[Element | None]:
        units = dict.fromkeys(variable.unit for variable in self.interface.variables if variable.unit)
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
            return [written(variable, None) for variable in variables]
        return [written(variable, self.interface.of_roles(variable.dependencies, *roles)) for variable in variables]


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


def page(name: str, version: int, interface: Interface, tolerance: float, step: float | None) -> str:
    """HTML for people."""
    heads = ("name", "value reference", "role", "unit", "start", "meaning")
    rows = [
        (
            variable.name,
            variable.reference,
            variable.role,
            variable.unit,
            "" if variable.start is None else repr(variable.start),
            variable.description,
        )
        for variable in interface.variables
    ]
    table = [f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows]
    return _PAGE.format(
        name=escape(name),
        version=version,
        states=_CONSTRAINED if interface.constrained else _FREE,
        solver=_ADAPTIVE.format(tolerance=tolerance) if step is None else _FIXED.format(step=step),
        inputs=_POLYNOMIAL if version == 2 else _HELD,
        heads="".join(f"<th>{head}</th>" for head in heads),
        rows="\n".join(table),
    )


_FREE = "Start values of states are exact."
_CONSTRAINED = """Start values of states are guesses: when initialization ends, states are moved onto the constraints,
if that suffices only those whose start values were left open in the model, and quaternions to unit length. Later they
are kept there by the smallest correction in the sense of kinetic energy. In model exchange, states that drifted off by
more than ten times the tolerance ask for an event, in which they are brought back. Parameters that change the
constraints have the same effect, in event mode or at the next communication point."""
_ADAPTIVE = """steps as long as the tolerance allows: the importer's, or {tolerance} otherwise, relative to each state,
and a hundredth of it absolutely"""
_FIXED = "steps of equal length, at most {step} s, without looking at the error"
_POLYNOMIAL = """Between communication points an input is the polynomial that is given by its value and its derivatives
up to order 3 (fmi2SetRealInputDerivatives) at the last one; these hold for one step. Without derivatives inputs are
constant."""
_HELD = "Between communication points inputs are constant."

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{name}</title></head>
<body>
<h1>{name}</h1>
<p>Equations of motion as an FMU for model exchange and co-simulation, FMI {version}.0, written by multibody. SI units
and radians. {states}</p>
<h2>Co-simulation</h2>
<p>The FMU integrates with the method of Dormand and Prince of order 5, with {solver}. Steps end at communication
points; the step length is remembered from one to the next. {inputs} An input that has a smallest or largest value is
held there, with a warning. A step that cannot be finished is discarded, with the time that was reached.</p>
<h2>Events</h2>
<p>There are no event indicators: conditions, signs, limits and tables in the equations are evaluated as they stand, and
an integrator meets their kinks as ours does. Co-simulation has no event mode.</p>
<h2>Variables</h2>
<table>
<tr>{heads}</tr>
{rows}
</table>
</body>
</html>
"""
