"""Parameters of generated code: formulas of others, parameters without values, arrays by their own names."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import (
    C,
    Casadi,
    Cpp,
    Fmi,
    JavaScript,
    Jax,
    Julia,
    Matlab,
    Modelica,
    Program,
    Python,
    Rust,
    SFunction,
    export,
)
from multibody.report import Latex, Markdown

from .driving import run, tool
from .fmi_units import Unit

TARGETS = (Python, C, Cpp, Rust, JavaScript, Julia, Jax, Casadi, Matlab, SFunction, Modelica, Latex, Markdown)


def rod(m: float | None = 2.0, l: float | None = 1.0) -> mb.EquationsOfMotion:
    """A rod on a hinge, whose moment of inertia is m*l**2/12."""
    system = mb.System("rod", gravity=(0, 0, -9.81))
    mass, length = system.parameter("m", m, unit="kg"), system.parameter("l", l, unit="m")
    inertia = system.parameter("J", mass * length**2 / 12, unit="kg*m^2", description="about the center")
    body = system.body("bar", mass, (0, 0, -length / 2), (inertia, inertia, inertia))
    system.joint("angle", system.world, body, "Ry", q=1.0)
    return mb.derive(system)


def acceleration(m: float, l: float, J: float) -> float:
    """Of a compound pendulum that is let go at 1 rad: -m*g*s*sin(1)/(J + m*s**2) with s = l/2."""
    return -m * 9.81 * l / 2 * np.sin(1.0) / (J + m * l**2 / 4)


def module(eom: mb.EquationsOfMotion, folder: Path, target: Any = None) -> Any:
    (path,) = export(eom, target or Python(), folder).written
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


CHANGES = {
    "the length": ({"l": 2.0}, (2.0, 2.0, 2.0 * 4 / 12)),
    "the inertia": ({"J": 0.5}, (2.0, 1.0, 0.5)),
    "both": ({"l": 2.0, "J": 0.5}, (2.0, 2.0, 0.5)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_formula_follows_in_python_until_it_is_given(name: str, tmp_path: Path) -> None:
    changes, physics = CHANGES[name]
    made = module(rod(), tmp_path)
    rate = made.state_rate(0.0, [1.0], [0.0], [], made.parameters(**changes))
    assert rate[1][0] == pytest.approx(acceleration(*physics), rel=1e-13)


def test_c_follows_a_value_that_was_changed_and_one_that_is_set_free_again(tmp_path: Path) -> None:
    gcc = tool("gcc")
    export(rod(), C(jacobians=False), tmp_path)
    lines = ["rod_defaults(&p);"]
    for change in ("p.l = 2.0;", "p.l = 3.0;", "p.J = 0.5;", "p.l = 1.0;", "p.J = NAN;"):
        lines.append(f'{change} rod_prepare(&p); rod_state_rate(0.0, q, u, 0, &p, dq, du); printf("%.17g ", du[0]);')
    text = "\n".join(lines)
    (tmp_path / "main.c").write_text(
        f'#include <math.h>\n#include <stdio.h>\n#include "rod.h"\nint main(void) {{ rod_parameters p; '
        f"double q[1] = {{1.0}}, u[1] = {{0.0}}, dq[1], du[1];\n{text}\nreturn 0; }}\n"
    )
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    run(gcc, *strict, "main.c", "rod.c", "-lm", "-o", "main", folder=tmp_path)
    found = [float(one) for one in run(tmp_path / "main", folder=tmp_path).split()]
    cases = [(2, 2, 8 / 12), (2, 3, 18 / 12), (2, 3, 0.5), (2, 1, 0.5), (2, 1, 2 / 12)]
    assert found == pytest.approx([acceleration(*one) for one in cases], rel=1e-13)


def test_derivatives_of_an_fmu_by_a_parameter_go_through_the_formulas(tmp_path: Path) -> None:
    unit = Unit.of(rod(), tmp_path, Fmi(2), options="-O0")
    for given, held in (({}, None), ({"J": 0.7}, 0.7)):
        one = unit.instance("ME").initialized(given)
        (slope,) = one.slopes(["der(angle_dot)"], ["l"])[0]
        step = 1e-6
        ends = [acceleration(2, x, 2 * x**2 / 12 if held is None else held) for x in (1 - step, 1 + step)]
        assert slope == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-7)
        one.close()


def test_an_importer_that_sets_all_parameters_to_their_start_values_may_change_one(tmp_path: Path) -> None:
    """Some importers set all of them, one after the other, in any order."""
    unit = Unit.of(rod(), tmp_path, Fmi(3, derivatives=False), options="-O0")
    starts = {one.name: float(one.start) for one in unit.description.modelVariables if one.causality == "parameter"}
    for order in (["l", "m", "J"], ["J", "m", "l"]):
        one = unit.instance("ME")
        for name in order:
            one.set({name: 2.0 if name == "l" else starts[name]})
        one.initialized()
        assert one.get(["J"])[0] == pytest.approx(8 / 12, rel=1e-15)
        one.close()


def test_modelica_declares_the_formula() -> None:
    text = Modelica().files(Program.of(rod()))["rod.mo"]
    (line,) = [line for line in text.splitlines() if "parameter Real J" in line]
    assert "l*l*m" in line
    assert "0.1666" not in line


def test_a_report_shows_the_formula() -> None:
    text = Markdown(seconds=0).files(Program.of(rod()))["rod.md"]
    (line,) = [line for line in text.splitlines() if "`J`" in line]
    assert r"\frac{l^{2} m}{12}" in line


def test_a_number_that_is_given_at_export_takes_the_place_of_the_formula(tmp_path: Path) -> None:
    (path,) = export(rod(), Python(), tmp_path, parameters={"J": 0.5}).written
    assert '"J": 0.5,' in path.read_text()
    assert "follows from l" not in path.read_text()


# without values -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", TARGETS)
def test_code_that_takes_parameters_and_reports_need_no_values(target: Any, tmp_path: Path) -> None:
    assert export(rod(None, None), target(), tmp_path).written


def test_an_fmu_needs_values() -> None:
    with refused("value-missing"):
        Fmi().files(Program.of(rod(None, None)))


def test_parameters_without_values_must_be_given(tmp_path: Path) -> None:
    made = module(rod(None, None), tmp_path)
    with pytest.raises(TypeError, match="No value for the parameters: m"):
        made.parameters(l=1.0)
    rate = made.state_rate(0.0, [1.0], [0.0], [], made.parameters(m=2.0, l=2.0))
    assert rate[1][0] == pytest.approx(acceleration(2, 2, 8 / 12), rel=1e-13)


def test_javascript_demands_and_follows(tmp_path: Path) -> None:
    node = tool("node")
    export(rod(None, 1.0), JavaScript(), tmp_path)
    (tmp_path / "main.mjs").write_text(
        'import * as model from "./rod.mjs"; let said = "";\n'
        "try { model.parameters({}); } catch (error) { said = error.message; }\n"
        "const rate = model.state_rate(0, [1], [0], [], model.parameters({m: 2, l: 2}));\n"
        "console.log(JSON.stringify([said, rate.u_dot[0]]));\n"
    )
    said, value = json.loads(run(node, "main.mjs", folder=tmp_path))
    assert said == "No value for the parameters: m."
    assert value == pytest.approx(acceleration(2, 2, 8 / 12), rel=1e-13)


# arrays -------------------------------------------------------------------------------------------------------------


def pushed() -> mb.EquationsOfMotion:
    """A body whose center of mass is an array parameter, and which an array of inputs pushes."""
    system = mb.System("pushed", gravity=(0, 0, -9.81))
    body = system.body("box", 1.0, tuple(system.parameter("cp", [0.1, 0.2, 0.3])), (1, 1, 1))
    system.joint("way", system.world, body, ["Tx", "Ry"], q=(0.0, 0.3))
    system.load(mb.Force(body, tuple(system.input("F", 3, unit="N"))))
    return mb.derive(system)


ELEMENTS = {"cp_1": 0.3, "cp_2": 0.1, "cp_3": 0.2}
WHOLE = {"cp": [0.3, 0.1, 0.2]}


def test_an_array_is_set_by_its_own_name_in_runs_sweeps_and_linear_systems() -> None:
    eom = pushed()
    pair = [
        mb.simulate(eom, duration=0.2, samples=3, parameters=parameters, inputs=inputs)
        for parameters, inputs in ((WHOLE, {"F": [1, 2, 3]}), (ELEMENTS, {"F_1": 1, "F_2": 2, "F_3": 3}))
    ]
    assert (pair[0].q == pair[1].q).all()
    again = mb.simulate(eom, duration=0.1, samples=3, start=pair[1], parameters=WHOLE)
    assert again.status.ok
    sweep = mb.sweep(eom, 0.2, samples=3, cases=[WHOLE, ELEMENTS])
    assert (sweep[0].q == sweep[1].q).all()
    A = [mb.linearize(eom, at, parameters=p).A for at, p in (({"F": [0, 0, 9]}, WHOLE), ({"F_3": 9}, ELEMENTS))]
    assert (A[0] == A[1]).all()


def test_an_array_is_set_by_its_own_name_at_export_and_in_generated_modules(tmp_path: Path) -> None:
    eom = pushed()
    made = module(eom, tmp_path)
    assert made.parameters(**WHOLE)[0] == made.parameters(**ELEMENTS)[0]
    assert [one.value for one in Program.of(eom, WHOLE).parameters] == [*ELEMENTS.values()]
    with pytest.raises(ValueError, match="zip"):
        made.parameters(cp=[1.0, 2.0])


def plate() -> mb.EquationsOfMotion:
    """A point that a matrix of stiffness pulls back; another array is a formula of it."""
    system = mb.System("plate")
    K = system.parameter("K", [[4.0, 1.0], [2.0, 3.0]])
    mass = system.parameter("mass", [K[0, 0] / 2, K[1, 0]])
    body = system.body("point", mass[0])
    x, y = system.joint("at", system.world, body, ["Tx", "Ty"], q=(0.5, -0.25)).coordinates
    system.load(mb.Force(body, (-K[0, 0] * x - K[0, 1] * y, -K[1, 0] * x - K[1, 1] * y, mass[1])))
    return mb.derive(system)


STIFFNESS = [[10.0, 20.0], [30.0, 50.0]]
PLATES = {
    "a matrix": ({"K": STIFFNESS}, 5.0),
    "a matrix and an array that follows from it": ({"K": STIFFNESS, "mass": [4.0, 1.0]}, 4.0),
}


def plate_acceleration(mass: float) -> np.ndarray:
    return -np.array(STIFFNESS) @ [0.5, -0.25] / mass


@pytest.mark.parametrize("case", PLATES)
def test_an_array_is_set_by_its_own_name_in_javascript(case: str, tmp_path: Path) -> None:
    given, mass = PLATES[case]
    node = tool("node")
    export(plate(), JavaScript(), tmp_path)
    typed = json.dumps(given).replace("[4.0, 1.0]", "Float64Array.of(4, 1)")
    (tmp_path / "main.mjs").write_text(
        'import * as model from "./plate.mjs"; let said = "";\n'
        "try { model.parameters({K: [1, 2, 3]}); } catch (error) { said = error.message; }\n"
        f"const rate = model.state_rate(0, [0.5, -0.25], [0, 0], [], model.parameters({typed}));\n"
        "console.log(JSON.stringify([said, [...rate.u_dot]]));\n"
    )
    said, rate = json.loads(run(node, "main.mjs", folder=tmp_path))
    assert said == "The parameter K has 4 elements, not 3."
    assert rate == pytest.approx(plate_acceleration(mass), rel=1e-14)


@pytest.mark.parametrize("case", PLATES)
def test_an_array_is_set_by_its_own_name_in_octave(case: str, tmp_path: Path) -> None:
    given, mass = PLATES[case]
    octave = tool("octave-cli")
    export(plate(), Matlab(), tmp_path)
    pairs = ", ".join(f"'{name}', {str(value).replace('], [', ']; [')}" for name, value in given.items())
    state = "[0.5; -0.25; 0; 0]"
    (tmp_path / "asked.m").write_text(
        f"p = plate_parameters({pairs}); printf('%.17g ', plate_der_state(0, {state}, p));\n"
        f"p = plate_parameters(struct({pairs})); printf('%.17g ', plate_der_state(0, {state}, p));\n"
        "try, plate_parameters('K', [1 2 3]); catch problem, printf('%s', problem.message); end\n"
    )
    told = run(octave, "--norc", "--quiet", "asked.m", folder=tmp_path).decode()
    numbers = np.array(told.split()[:8], dtype=float).reshape(2, 4)
    assert numbers[0, 2:] == pytest.approx(plate_acceleration(mass), rel=1e-14)
    assert (numbers[0] == numbers[1]).all()
    assert told.endswith("The parameter K has 4 elements, not 3.")


@pytest.mark.parametrize("given", [{"cp": [1, 2]}, {"cp": 1.0}, {"cp": [[1, 2, 3]]}])
def test_arrays_of_another_shape_are_refused(given: dict[str, Any]) -> None:
    with refused("array-wrong-shape", "cp"):
        mb.simulate(pushed(), duration=0.1, parameters=given)


def test_an_element_is_not_set_beside_its_array() -> None:
    with refused("value-twice", "cp_1"):
        mb.simulate(pushed(), duration=0.1, parameters={"cp": [1, 2, 3], "cp_1": 2})


def test_rates_of_a_prescribed_motion_carry_units() -> None:
    for unit, kind, expected in (("rad", "Rz", "rad"), ("", "Tz", "m")):
        system = mb.System("driven")
        system.joint("j", system.world, system.body("b", 1, (1, 0, 0), (1, 1, 1)), kind,
                     prescribed=system.input("ref", unit=unit))  # fmt: skip
        units = {one.name: one.unit for one in mb.derive(system).model.inputs}
        assert units == {"ref": unit, "ref_dot": f"{expected}/s", "ref_ddot": f"{expected}/s^2"}
