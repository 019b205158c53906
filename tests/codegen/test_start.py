"""Start values with other parameters: loops are closed as in our own runs, or the user is told."""

from __future__ import annotations

import importlib.util
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.codegen import (
    C,
    Casadi,
    Fmi,
    JavaScript,
    Jax,
    Matlab,
    Modelica,
    Program,
    Python,
    Rust,
    SFunction,
    export,
)
from multibody.graph import sin

from .driving import run, tool
from .fmi_units import Unit


def rods() -> mb.EquationsOfMotion:
    """Two pendulums on ball joints, coupled by a rod whose length changes; the first one is given a speed."""
    system = mb.System("rods", gravity=(0, 0, -9.81))
    a = system.body("a", 1.0, (0, 0, -0.5), (0.1, 0.2, 0.3))
    b = system.body("b", 2.0, (0, 0, -0.4), (0.2, 0.2, 0.1))
    system.joint("ja", system.world, a, mb.Spherical(), u=(0.1, 0.2, 0.3))
    system.joint("jb", system.frame("B", (1, 0, 0)), b, mb.Spherical())
    length, rate = system.parameters(L=1.0, rate=0.1)
    ends = a.frame("end_a", (0, 0, -1)), b.frame("end_b", (0, 0, -1))
    system.constraint(mb.DistanceConstraint(*ends, length + rate * sin(system.time)), name="rod")
    return mb.derive(system, constraints=mb.Multipliers())


def four_bar() -> mb.EquationsOfMotion:
    """Two angles are given that do not fit; all three are moved."""
    system = mb.System("bars", gravity=(0, -9.81, 0))
    length = system.parameter("length", 3.5)
    crank, coupler, rocker = (
        system.body(name, 1.0, (size / 2, 0, 0), (0, 1, 1)) for name, size in (("A", 1.0), ("B", length), ("C", 2.5))
    )
    system.joint("a", system.world, crank, "Rz", q=1.0, u=0.5)
    system.joint("b", crank.frame("to_b", (1.0, 0, 0)), coupler, "Rz")
    system.joint("d", system.frame("D", (3.0, 0, 0)), rocker, "Rz", q=1.8)
    system.joint("cut", coupler.frame("end", (length, 0, 0)), rocker.frame("tip", (2.5, 0, 0)), "Rz", cut=True)
    return mb.derive(system, constraints=mb.Multipliers())


def legs() -> mb.EquationsOfMotion:
    """A plate on three parallel legs: one of them is not needed to hold it."""
    system = mb.System("legs", gravity=(0, -9.81, 0))
    last = system.parameter("last", 1.0)
    bodies = []
    for k, length in enumerate((1.0, 1.0, last)):
        bodies.append(
            system.body(f"leg{k}", 1.0, (0, -length / 2, 0), (0.1, 0.1, 0.1)).frame(f"end{k}", (0, -length, 0))
        )
        system.joint(f"a{k}", system.frame(f"base{k}", (k, 0, 0)), bodies[-1].body, "Rz", q=0.4)
    plate = system.body("plate", 2.0, (1, 0, 0), (1, 1, 1))
    system.joint("top", bodies[0], plate, "Rz", q=-0.4)
    for k in (1, 2):
        system.joint(f"c{k}", bodies[k], plate.frame(f"p{k}", (k, 0, 0)), "Rz", cut=True)
    return mb.derive(system, constraints=mb.Multipliers())


CASES = {
    "another length": (rods, {"L": 1.3}),
    "another speed": (rods, {"rate": 0.3}),
    "both": (rods, {"L": 1.2, "rate": -0.2}),
    "angles that do not fit": (four_bar, {"length": 3.3}),
}


def ours(name: str) -> np.ndarray:
    maker, parameters = CASES[name]
    run = mb.simulate(maker(), duration=0.1, samples=2, parameters=parameters)
    return np.concatenate([run.q[0], run.u[0]])


@pytest.mark.parametrize("name", CASES)
def test_an_fmu_begins_as_our_own_runs(name: str, tmp_path: Path) -> None:
    pytest.importorskip("fmpy")
    maker, parameters = CASES[name]
    unit = Unit.of(maker(), tmp_path, Fmi(2, derivatives=False), options=["-O0"])
    one = unit.instance("ME").initialized(parameters)
    np.testing.assert_allclose(one.get(unit.states), ours(name), atol=1e-9)
    one.close()


@pytest.mark.parametrize("name", CASES)
def test_octave_begins_as_our_own_runs(name: str, tmp_path: Path) -> None:
    octave = tool("octave-cli")
    maker, parameters = CASES[name]
    eom = maker()
    export(eom, Matlab(), tmp_path)
    given = ", ".join(f"'{key}', {value!r}" for key, value in parameters.items())
    script = f"[T, Y] = {eom.model.name}_sim([0, 1e-3, 2e-3], [], struct({given})); printf('%.17g ', Y(1, :));"
    found = run(octave, "--norc", "--quiet", "--eval", script, folder=tmp_path).decode()
    np.testing.assert_allclose(np.array(found.split(), dtype=float), ours(name), atol=1e-9)


def test_the_step_of_start_values_keeps_what_was_given() -> None:
    """Newton's method with coordinates alone, then with speeds alone, comes to where our own runs begin."""
    program = Program.of(rods())
    assembly = program.routine("assembly")
    eom = program.eom
    step = eom.function("assembly", {result.name: list(result.values) for result in assembly.results})
    n = len(eom.coordinates)
    x, p = np.array(program.guess), [1.2, -0.2]
    for k in range(30):
        new = np.concatenate([*step(0.0, x[:n], x[n:], np.zeros(0), p)])
        moving = slice(0, n) if k < 20 else slice(n, None)
        x[moving] = new[moving]
    np.testing.assert_allclose(x, ours("both"), atol=1e-10)
    names = [one.name for one in program.states]
    assert [x[names.index(one.name)] for one in eom.speeds if one.name in eom.model.written] == [0.1, 0.2, 0.3]


@pytest.mark.parametrize("name", CASES)
def test_python_and_c_begin_as_our_own_runs(name: str, tmp_path: Path) -> None:
    gcc = tool("gcc")
    maker, parameters = CASES[name]
    eom = maker()
    made = module(eom, tmp_path)
    np.testing.assert_allclose(made.start(made.parameters(**parameters)), ours(name), atol=1e-12)
    export(eom, C(jacobians=False), tmp_path)
    own, n, m = eom.model.name, len(eom.coordinates), len(eom.speeds)
    given = " ".join(f"p.{key} = {value!r};" for key, value in parameters.items())
    (tmp_path / "main.c").write_text(
        f'#include <stdio.h>\n#include "{own}.h"\nint main(void) {{ {own}_parameters p; double x[{n + m}]; int k;\n'
        f"{own}_defaults(&p); {given} {own}_prepare(&p); if (!{own}_start(0.0, x, x + {n}, NULL, &p)) return 1;\n"
        f'for (k = 0; k < {n + m}; ++k) printf("%.17g ", x[k]);\nreturn 0; }}\n'
    )
    run(gcc, "-std=c99", "-Wall", "-Wextra", "-Werror", "main.c", f"{own}.c", "-lm", "-o", "main", folder=tmp_path)
    found = np.array(run(tmp_path / "main", folder=tmp_path).split(), dtype=float)
    np.testing.assert_allclose(found, ours(name), atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_jax_and_casadi_begin_as_our_own_runs(name: str, tmp_path: Path) -> None:
    """In double precision, although JAX computes with single precision here."""
    maker, parameters = CASES[name]
    eom = maker()
    for library, target in (("jax", Jax()), ("casadi", Casadi())):
        pytest.importorskip(library)
        made = module(eom, tmp_path, target)
        rounded = made.parameters(**parameters)  # JAX rounds the parameters themselves
        tolerance = 1e-12 if library == "casadi" or np.asarray(rounded).dtype == float else 1e-6
        np.testing.assert_allclose(made.start(rounded), ours(name), atol=tolerance)
        np.testing.assert_allclose(made.start(), made.START, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_javascript_and_rust_begin_as_our_own_runs(name: str, tmp_path: Path) -> None:
    node, rustc = tool("node"), tool("rustc")
    maker, parameters = CASES[name]
    eom = maker()
    own, n, m = eom.model.name, len(eom.coordinates), len(eom.speeds)
    export(eom, JavaScript(), tmp_path)
    (tmp_path / "main.mjs").write_text(
        f'import * as model from "./{own}.mjs";\n'
        f"console.log([...model.startValues(model.parameters({parameters!r}))].join(' '));\n"
    )
    found = np.array(run(node, "main.mjs", folder=tmp_path).split(), dtype=float)
    np.testing.assert_allclose(found, ours(name), atol=1e-12)
    export(eom, Rust(), tmp_path)
    given = " ".join(f"p.{key} = {value!r};" for key, value in parameters.items())
    (tmp_path / "main.rs").write_text(
        f'#[path = "{own}.rs"]\n#[allow(dead_code)]\nmod model;\nfn main() {{\n'
        f"let mut p = model::Parameters::default(); {given} p.prepare();\n"
        f"let (mut q, mut u) = ([0.0; {n}], [0.0; {m}]);\n"
        "assert!(model::start(0.0, &mut q, &mut u, &[], &p));\n"
        'for x in q.iter().chain(&u) { print!("{:e} ", x); } }\n'
    )
    run(rustc, "--edition", "2021", "-D", "warnings", "main.rs", "-o", "main", folder=tmp_path)
    found = np.array(run(tmp_path / "main", folder=tmp_path).split(), dtype=float)
    np.testing.assert_allclose(found, ours(name), atol=1e-12)


def test_other_languages_hold_what_is_given_and_refuse_what_cannot_be(tmp_path: Path) -> None:
    node = tool("node")
    eom = four_bar()
    export(eom, JavaScript(), tmp_path)
    (tmp_path / "main.mjs").write_text(
        'import * as model from "./bars.mjs"; const p = model.parameters();\n'
        "const attempt = (make) => { try { return [...make()]; } catch (error) { return [error.message]; } };\n"
        "const found = [{ b: -0.5 }, { a: 2.0, b_dot: -0.2 }]\n"
        ".map((given) => [...model.startValues(p, 0, [], given)]);\n"
        "const far = attempt(() => model.startValues(model.parameters({ length: 30 })));\n"
        "const unknown = attempt(() => model.startValues(p, 0, [], { x: 1 }));\n"
        "console.log(JSON.stringify([found, far, unknown]));\n"
    )
    found, far, unknown = json.loads(run(node, "main.mjs", folder=tmp_path))
    expected = [consistent(name) for name in ("one that the model left open", "a coordinate and a speed")]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert far == ["No state near the start values keeps all constraints."]
    assert unknown[0].startswith("There is no coordinate or speed x. There are: a, ")
    pytest.importorskip("casadi")
    made = module(eom, tmp_path, Casadi())
    np.testing.assert_allclose(made.start(None, b=-0.5), expected[0], atol=1e-9)
    with pytest.raises(ValueError, match="No state near"):
        made.start(made.parameters(length=30.0))


def module(eom: mb.EquationsOfMotion, folder: Path, target: Any = None) -> Any:
    (path,) = export(eom, target or Python(), folder).written
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


SET = {
    "a coordinate": {"a": 2.0},
    "one that the model left open": {"b": -0.5},
    "a speed that the model left open": {"d_dot": 0.3},
    "a coordinate and a speed": {"a": 2.0, "b_dot": -0.2},
    "what the constraints do not allow": {"a": 2.0, "d": 2.5},
}


def consistent(name: str) -> np.ndarray:
    q, u = ({k: x for k, x in SET[name].items() if k.endswith("_dot") == speed} for speed in (False, True))
    state = four_bar().consistent(q, u)
    return np.concatenate([state.q, state.u])


def test_an_fmu_holds_what_the_importer_sets_and_warns_where_that_is_impossible(tmp_path: Path) -> None:
    pytest.importorskip("fmpy")
    eom = four_bar()
    for version in (2, 3):
        unit = Unit.of(eom, tmp_path, Fmi(version, derivatives=False), options=["-O0"])
        for name, given in SET.items():
            one = unit.instance("CS").initialized(given)
            np.testing.assert_allclose(one.get(unit.states), consistent(name), atol=1e-9, err_msg=name)
            possible = name != "what the constraints do not allow"
            if possible:
                np.testing.assert_allclose(one.get(list(given)), list(given.values()), atol=1e-12)
                assert one.said == []
            else:
                assert [status for status, _ in one.said] == [1, 1]
                assert any("a was set to 2, and begins at" in text for _, text in one.said)
            one.close()


def test_octave_and_python_hold_what_is_given(tmp_path: Path) -> None:
    octave = tool("octave-cli")
    eom = four_bar()
    made = module(eom, tmp_path)
    export(eom, Matlab(), tmp_path)
    names = [*made.COORDINATES, *made.SPEEDS]
    lines = []
    for name, given in SET.items():
        if name == "what the constraints do not allow":
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                found = made.start(made.parameters(), **given)
            assert [str(one.message).split()[:3] for one in said] == [["a", "begins", "at"], ["d", "begins", "at"]]
        else:
            found = made.start(made.parameters(), **given)
        np.testing.assert_allclose(found, consistent(name), atol=1e-9, err_msg=name)
        y0 = [repr(given.get(one, value)) for one, value in zip(names, made.START, strict=True)]
        lines.append(f"[T, Y] = bars_sim([0, 1e-3, 2e-3], [{'; '.join(y0)}]); printf('%.17g ', Y(1, :));")
    lines.append("printf('%s', lastwarn());")
    *numbers, _ = (
        run(octave, "--norc", "--quiet", "--eval", "\n".join(lines), folder=tmp_path).decode().partition("d b")
    )
    table = np.array(numbers[0].split(), dtype=float).reshape(len(SET), -1)
    np.testing.assert_allclose(table, [consistent(name) for name in SET], atol=1e-9)
    assert numbers[1] == "d b"  # "d begins at …"


def test_quaternions_are_normalized(tmp_path: Path) -> None:
    system = mb.System("top", gravity=(0, 0, -9.81))
    system.joint("ball", system.world, system.body("b", 1.0, (0, 0, -1), (1, 1, 1)), mb.Spherical(), q=(2, 0, 0, 2))
    eom = mb.derive(system)
    assert np.linalg.norm([one.value for one in Program.of(eom).coordinates]) == pytest.approx(1.0, abs=1e-15)
    made = module(eom, tmp_path)
    np.testing.assert_allclose(
        made.start(made.parameters(), ball_qx=2.0)[:4], np.array([1, 1, 0, 1]) / 3**0.5, atol=1e-9
    )


def test_an_fmu_names_a_singular_position(tmp_path: Path) -> None:
    """The middle angle of three hinges is a quarter turn: the axes of the others are the same line."""
    pytest.importorskip("fmpy")
    system = mb.System("gimbal")
    body = system.body("b", 1.0, (0, 0, 0), (1, 2, 3))
    system.joint("a", system.world, body, ["Rx", "Ry", "Rz"], q=(0, np.pi / 2, 0), u=(0.3, 0.4, 0.1))
    unit = Unit.of(mb.derive(system), tmp_path, Fmi(2, derivatives=False), options=["-O0"])
    one = unit.instance("CS").initialized()
    assert one.status(one.step, 0.0, 0.1) == 3  # fmi2Error: a step that gets nowhere
    (said,) = {text for _, text in one.said}
    assert "The position is singular" in said
    assert "a_ry = 1.57079633" in said
    one.close()


STAND_IN = Path(__file__).with_name("simulink")


def test_simulink_is_given_the_same_start(tmp_path: Path) -> None:
    """The block of a model whose default start is not what the user gave; it is compiled with all warnings."""
    gcc = tool("gcc")
    export(four_bar(), SFunction(), tmp_path)
    text = (tmp_path / "bars_sfun.c").read_text()
    assert "guess[6] = {1.0, 0.0, 1.8, 0.5, 0.0, 0.0}" in text
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsanitize=address,undefined"]
    include = [f"-I{STAND_IN}", "-DMATLAB_MEX_FILE"]
    run(gcc, *strict, *include, "bars_sfun.c", "bars.c", "-lm", "-o", "block", folder=tmp_path)


# Modelica ----------------------------------------------------------------------------------------------------------


def moved(eom: mb.EquationsOfMotion, **parameters: float):
    rumoca = pytest.importorskip("rumoca")
    ((path, text),) = Modelica().files(Program.of(eom)).items()
    config = rumoca.SimConfig(solver="rk-like", rtol=1e-9, atol=1e-10)
    session = rumoca.Session().loads(text, model=path.removesuffix(".mo"))
    return session.simulate(t=(0, 0.5), dt=0.1, config=config, params=parameters)


@pytest.mark.parametrize("parameters", [{"L": 1.3}, {"rate": 0.3}, {"L": 0.8, "rate": -0.2}])
def test_loops_with_quaternions_are_closed_in_modelica(parameters: dict[str, float]) -> None:
    run = moved(rods(), **parameters)
    gaps = [one for one in run.names if one.startswith("gap_")]
    assert sorted(gaps) == ["gap_rate_rod", "gap_rod"]
    assert max(np.abs(run[one]).max() for one in gaps) < 1e-6
    for joint in ("ja", "jb"):
        assert sum(run[f"{joint}_q{axis}"] ** 2 for axis in "wxyz") == pytest.approx(1.0, abs=1e-6)


def test_speeds_follow_where_no_coordinates_do() -> None:
    """Only the rod's rate is changed: coordinates stay where they are, and so do the speeds that were given."""
    run = moved(rods(), rate=0.3)
    ours = mb.simulate(rods(), duration=0.5, samples=6, parameters={"rate": 0.3})
    for one in ("ja_qw", "ja_wx", "ja_wy", "ja_wz", "jb_qw"):
        np.testing.assert_allclose(run[one][0], ours[one][0], atol=1e-8, err_msg=one)


def test_what_cannot_be_closed_is_told_in_modelica() -> None:
    """Constraints that are redundant determine no states: a leg of another length is refused, not started open."""
    assert np.abs(moved(legs(), last=1.0)["gap_c2_fy"]).max() < 1e-8
    with pytest.raises(Exception, match="start values do not keep the constraints: gap_c2"):
        moved(legs(), last=1.2)


def ball(q: tuple[float, ...] | None = (2, 0, 0, 2)) -> mb.EquationsOfMotion:
    """A body on a ball joint, whose start is not of unit length."""
    system = mb.System("top", gravity=(0, 0, -9.81))
    body = system.body("b", 1.0, (0, 0, -1), (1, 1, 1))
    system.joint("ball", system.world, body, mb.Spherical(), **({} if q is None else {"q": q}))
    return mb.derive(system)


ENTRIES = {
    "one that can be held": ({"ball_qx": 0.5}, [0.375**0.5, 0.5, 0, 0.375**0.5]),
    "two that can be held": ({"ball_qw": 0.5, "ball_qx": 0.5}, [0.5, 0.5, 0, 0.5**0.5]),
    "one that is too long": ({"ball_qx": 2.0}, [3**-0.5, 3**-0.5, 0, 3**-0.5]),
    "all, of another length": (
        {"ball_qw": 3.0, "ball_qx": 0.0, "ball_qy": 4.0, "ball_qz": 0.0},
        [0.6, 0.0, 0.8, 0.0],
    ),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_entries_of_a_quaternion_are_held_or_made_unit_without_a_warning(name: str, tmp_path: Path) -> None:
    pytest.importorskip("fmpy")
    gcc, octave = tool("gcc"), tool("octave-cli")
    given, expected = ENTRIES[name]
    eom = ball()
    np.testing.assert_allclose(eom.consistent(given).q, expected, atol=1e-9)
    made = module(eom, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(made.start(made.parameters(), **given)[:4], expected, atol=1e-9)
    for version in (2, 3):
        unit = Unit.of(eom, tmp_path, Fmi(version, derivatives=False), options=["-O0"])
        one = unit.instance("CS").initialized(given)
        np.testing.assert_allclose(one.get(unit.states)[:4], expected, atol=1e-9)
        assert one.said == []
        one.close()
    wanted = [given.get(one.name, value) for one, value in zip(eom.coordinates, (2, 0, 0, 2), strict=True)]
    levels = ", ".join("2" if one.name in given else "0" for one in (*eom.coordinates, *eom.speeds))
    export(eom, C(), tmp_path)
    (tmp_path / "main.c").write_text(
        f'#include <stdio.h>\n#include "top.h"\nint main(void) {{ top_parameters p; int k;\n'
        f"double q[] = {{{', '.join(map(repr, map(float, wanted)))}}}, u[] = {{0, 0, 0}};\n"
        f"const int level[] = {{{levels}}}; top_defaults(&p); if (!top_close(0.0, q, u, NULL, &p, level)) return 1;\n"
        'for (k = 0; k < 4; ++k) printf("%.17g ", q[k]);\nreturn 0; }\n'
    )
    run(gcc, "-std=c99", "-Wall", "-Wextra", "-Werror", "main.c", "top.c", "-lm", "-o", "main", folder=tmp_path)
    np.testing.assert_allclose(
        np.array(run(tmp_path / "main", folder=tmp_path).split(), dtype=float), expected, atol=1e-9
    )
    export(eom, Matlab(), tmp_path)
    y0 = "; ".join(repr(given.get(one, value)) for one, value in zip(made.COORDINATES, made.START, strict=False))
    script = (
        f"[T, Y] = top_sim([0, 1e-3, 2e-3], [{y0}; 0; 0; 0]); printf('%.17g ', Y(1, 1:4)); printf('%s', lastwarn());"
    )
    found = run(octave, "--norc", "--quiet", "--eval", script, folder=tmp_path).decode().split()
    np.testing.assert_allclose(np.array(found, dtype=float), expected, atol=1e-9)


def test_an_importer_that_sets_all_start_values_and_changes_one_is_followed(tmp_path: Path) -> None:
    """What it has set to the values of the description does not count, if it cannot be held."""
    pytest.importorskip("fmpy")
    eom = four_bar()
    for version in (2, 3):
        unit = Unit.of(eom, tmp_path, Fmi(version, derivatives=False), options=["-O0"])
        starts = {one.name: float(one.start) for one in unit.description.modelVariables if one.name in unit.states}
        one = unit.instance("CS").initialized(starts | {"a": 2.0})
        np.testing.assert_allclose(one.get(unit.states), consistent("a coordinate"), atol=1e-9)
        assert one.said == []
        one.close()
        one = unit.instance("CS").initialized({"b": starts["b"], "length": 3.4})  # set on purpose, and held
        assert one.get(["b"])[0] == pytest.approx(starts["b"], abs=1e-12)
        one.close()
