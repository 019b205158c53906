"""Arrays in FMUs: parameters are arrays in FMI 3, elements are called ``cp[1]`` elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.codegen import Fmi

from .fmi_units import ERROR, Unit, fmpy
from .test_formula_parameters import pushed

CP, F = [0.3, 0.1, 0.2], [1.0, 2.0, 3.0]
INPUTS = {f"F[{k + 1}]": value for k, value in enumerate(F)}
GIVEN = {2: {f"cp[{k + 1}]": value for k, value in enumerate(CP)}, 3: {"cp": CP}}


def planar() -> mb.EquationsOfMotion:
    """A point mass of 2 kg pulled back by a matrix of stiffness: a = -K·x/2."""
    system = mb.System("planar")
    K = system.parameter("K", [[4.0, 1.0], [2.0, 3.0]], unit="N/m", description="stiffness")
    body = system.body("point", 2.0)
    x, y = system.joint("at", system.world, body, ["Tx", "Ty"], q=(0.5, -0.25)).coordinates
    system.load(mb.Force(body, (-K[0, 0] * x - K[0, 1] * y, -K[1, 0] * x - K[1, 1] * y, 0)))
    return mb.derive(system)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_an_importer_sets_the_whole_array(version: int, kind: str, tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu

    unit = Unit.of(pushed(), tmp_path, Fmi(version), options=["-O0"])
    assert validate_fmu(str(unit.path)) == []
    assert unit.description.variableNamingConvention == "structured"
    found = fmpy.simulate_fmu(
        str(unit.folder), stop_time=0.5, fmi_type=kind, relative_tolerance=1e-10, output_interval=0.5,
        start_values=GIVEN[version] | INPUTS, output=unit.states,
    )  # fmt: skip
    run = mb.simulate(pushed(), 0.5, samples=2, parameters={"cp": CP}, inputs={"F": F})
    assert [*found[-1]][1:] == pytest.approx([*run.q[-1], *run.u[-1]], abs=1e-7)
    default = mb.simulate(pushed(), 0.5, samples=2, inputs={"F": F})
    assert abs(default.q[-1] - run.q[-1]).max() > 1e-2  # the parameter matters


def test_what_the_descriptions_say(tmp_path: Path) -> None:
    units = {version: Unit.of(planar(), tmp_path, Fmi(version), options=["-O0"]) for version in (2, 3)}
    (K,) = (one for one in units[3].description.modelVariables if one.causality == "parameter")
    assert (K.name, K.shape, K.start, K.unit, K.description) == ("K", (2, 2), "4.0 1.0 2.0 3.0", "N/m", "stiffness")
    assert units[2].names("parameter") == ["K[1,1]", "K[1,2]", "K[2,1]", "K[2,2]"]
    for unknown in units[3].description.initialUnknowns:
        if unknown.variable.name in ("der(at_tx_dot)", "der(at_ty_dot)"):
            assert [one.name for one in unknown.dependencies].count("K") == 1


def test_elements_are_row_by_row_and_there_is_one_number_for_each(tmp_path: Path) -> None:
    unit = Unit.of(planar(), tmp_path, Fmi(3), options=["-O0", "-Wall", "-Wextra", "-Werror"])
    one = unit.instance("ME")
    K = unit.references["K"]
    numbers = [10.0, 20.0, 30.0, 50.0]
    one.raw.setFloat64([K], numbers)
    one.begin()
    one.raw.exitInitializationMode()
    one.event()
    assert one.raw.getFloat64([K], 4) == numbers
    x = np.array([0.5, -0.25])
    expected = -np.reshape(numbers, (2, 2)) @ x / 2
    assert one.state_rates()[2:] == pytest.approx(expected, rel=1e-14)
    rates = [unit.references[name] for name in unit.rates[2:]]
    seed = [1.0, 2.0, 4.0, 8.0]
    slopes = one.raw.getDirectionalDerivative(rates, [K], seed)
    assert slopes == pytest.approx(-np.reshape(seed, (2, 2)) @ x / 2, rel=1e-14)
    row = [3.0, 5.0]
    assert one.raw.getAdjointDerivative(rates, [K], row, 4) == pytest.approx(-np.outer(row, x).ravel() / 2, rel=1e-14)
    one.raw.enterEventMode()
    for wrong in ([1.0], [1.0] * 3, [1.0] * 5):
        assert one.status(one.raw.setFloat64, [K], wrong) == ERROR
        assert "for each element of an array" in one.said[-1][1]
    assert one.raw.getFloat64([K], 4) == numbers
    one.close()


def test_names_that_the_structured_convention_does_not_know(tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu

    system = mb.System("greek")
    φ = system.parameter("φ", [1.0, 2.0])
    body = system.body("point", 2.0)
    system.joint("at", system.world, body, "Tx")
    system.load(mb.Force(body, (φ[0] + φ[1], 0, 0)))
    for version in (2, 3):
        unit = Unit.of(mb.derive(system), tmp_path, Fmi(version), options=["-O0"])
        assert unit.description.variableNamingConvention == "flat"
        assert validate_fmu(str(unit.path)) == []
