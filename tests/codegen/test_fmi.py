"""FMUs of both versions, by FMPy: valid, equal to our functions and derivatives, equal to our trajectories."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.codegen.targets.fmi import Fmi, write_fmu
from multibody.graph import jacobian, substitute
from multibody.graph.traverse import flat

from .conftest import named_case
from .fmi_units import Unit, fmpy
from .models import MAKERS, STATES, Case

VERSIONS = [2, 3]
SMALL = ["crane_crab", "four_bar_explicit", "four_bar_multipliers", "every_operation"]
ONCE = [("panda", 3), ("tree", 3), ("bicycle", 3)]  # long equations, the same in both versions: compiled once
PAIRS = [(name, version) for name in SMALL for version in VERSIONS]

_units: dict[tuple[str, int], Unit] = {}


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def unit_of(tmp_path_factory: pytest.TempPathFactory):
    """FMUs of the models, each made once."""

    def made(case: Case, version: int) -> Unit:
        if (case.name, version) not in _units:
            large = case.name == "tree"  # long code, which compiles in time only if it is not optimized
            target = Fmi(version, derivatives=not large)
            folder = tmp_path_factory.mktemp(f"{case.name}_{version}")
            _units[case.name, version] = Unit.of(case.eom, folder, target, options=["-O0"] if large else ["-O1"])
        return _units[case.name, version]

    return made


# --- the description -------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_valid(case: Case, version: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from fmpy.model_description import read_build_description
    from fmpy.validation import validate_fmu

    target = Fmi(version, derivatives=case.name != "tree")
    path = write_fmu(case.eom, tmp_path / "unit.fmu", target, compiler="")
    assert "no C compiler" in caplog.text
    assert validate_fmu(str(path)) == []
    if version == 3:
        (build,) = read_build_description(str(path))
        assert build.sourceFileSets[0].sourceFiles == ["all.c"]


def test_what_the_description_says(version: int, tmp_path: Path) -> None:
    case = named_case("crane_crab")
    path = write_fmu(case.eom, tmp_path / "unit.fmu", Fmi(version), compiler="", parameters={"m1": 12.0})
    read = fmpy.read_model_description(str(path))
    by_name = {one.name: one for one in read.modelVariables}
    states = ["slide", "swing", "slide_dot", "swing_dot"]
    assert [one.variable.name for one in read.derivatives] == [f"der({name})" for name in states]
    assert [one.variable.name for one in read.outputs] == [one.name for one in case.program.outputs]
    assert (by_name["m1"].start, by_name["m1"].variability, by_name["m1"].causality) == ("12.0", "tunable", "parameter")
    assert (by_name["F"].unit, by_name["F"].causality) == ("N", "input")
    assert by_name["F"].description == "driving force of the crab"
    assert (by_name["swing"].start, by_name["swing"].unit, by_name["swing"].initial) == ("-1.0", "rad", "exact")
    assert by_name["der(swing_dot)"].unit == "rad/s^2"
    assert by_name["g"].description == "gravity */ \" ''' \\"
    base = {one.name: one.baseUnit for one in read.unitDefinitions}
    assert (base["N"].kg, base["N"].m, base["N"].s) == (1, 1, -2)
    below = {one.variable.name: ([v.name for v in one.dependencies], one.dependenciesKind) for one in read.derivatives}
    assert below["der(slide)"] == (["slide_dot"], ["constant"])
    assert set(below["der(swing_dot)"][0]) == {"slide", "swing", "swing_dot", "F"}  # the crab's speed does not matter
    initial = {one.variable.name: {v.name for v in one.dependencies} for one in read.initialUnknowns}
    assert initial["der(swing_dot)"] == {"slide", "swing", "swing_dot", "F", "g", "m1", "m2", "l2"}


def test_dependencies_are_those_of_the_derivatives(version: int, tmp_path: Path) -> None:
    """Where an entry of the matrix A is not zero, the state is listed; and not all states are."""
    case = named_case("panda")
    path = write_fmu(case.eom, tmp_path / "unit.fmu", Fmi(version, derivatives=False), compiler="")
    read = fmpy.read_model_description(str(path))
    names = [one.variable.derivative.name for one in read.derivatives]
    eom = case.eom
    A = jacobian([*eom.rates, *eom.acceleration], [*eom.coordinates, *eom.speeds])
    for row, one in zip(A, read.derivatives, strict=True):
        listed = {v.name for v in one.dependencies}
        assert {name for name, entry in zip(names, row, strict=True) if entry.fp != 0} <= listed
    assert names == [one.name for one in case.program.states]
    assert sum(len(one.dependencies) for one in read.derivatives) < 0.9 * len(names) ** 2


def test_any_text_and_any_name(version: int, tmp_path: Path) -> None:
    """XML, C and HTML take what they are given; names that clash or mean something to FMI stay apart."""
    from fmpy.validation import validate_fmu

    nasty = "a < b & \"c\" > 'd' ]]> <!-- %s \\ ?>\n\t\x01 */ é"
    system = mb.System("namespace", gravity=(0, 0, -9.81))
    m = system.parameter("time_", 2.0, unit='k"g<', description=nasty)
    φ = system.parameter("φ", 0.5, unit="m²", description="größer")
    GAP = system.parameter("GAP", 1.5)
    HUGE_VAL = system.parameter("HUGE_VAL", 0.25)
    seed = system.parameter("seed_0", 1.0)
    body = system.body("int", m, (0, 0, -1))
    joint = system.joint("double", system.world, body, "Ry", q=0.3)
    system.load(mb.JointLoad(joint, system.input("r", description=nasty) * φ * GAP * HUGE_VAL * seed))
    system.sensor("x", mb.Position(body))
    unit = Unit.of(mb.derive(system), tmp_path, Fmi(version), options=["-Wall", "-Wextra", "-Werror"])
    assert validate_fmu(str(unit.path)) == []
    by_name = {one.name: one for one in unit.description.modelVariables}
    plain = nasty.replace("\n", " ").replace("\t", " ").replace("\x01", " ")
    assert by_name["time_"].description == by_name["r"].description == plain
    assert by_name["time_"].unit == 'k"g<'
    one = unit.instance("ME").initialized({"r": 1.0})
    torque = 0.5 * 1.5 * 0.25
    assert one.get(["der(double_dot)"])[0] == pytest.approx(torque / 2 - 9.81 * np.sin(0.3), rel=1e-14)
    one.close()


def test_the_same_text_for_the_same_model(version: int, tmp_path: Path) -> None:
    first = write_fmu(MAKERS["four_bar_multipliers"](), tmp_path / "a.fmu", Fmi(version), compiler="").read_bytes()
    MAKERS["crane_crab"]()
    again = write_fmu(MAKERS["four_bar_multipliers"](), tmp_path / "b.fmu", Fmi(version), compiler="").read_bytes()
    other = write_fmu(MAKERS["four_bar_explicit"](), tmp_path / "c.fmu", Fmi(version), compiler="").read_bytes()
    assert first == again != other


# --- the functions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "version"), [*PAIRS, *ONCE])
def test_rates_and_outputs(name: str, version: int, unit_of) -> None:
    """At random states and parameters, as an integrator asks for them."""
    case = named_case(name)
    unit = unit_of(case, version)
    one = unit.instance("ME").initialized()
    one.event()
    start = one.state()
    inputs, parameters, outputs = unit.names("input"), unit.names("parameter"), unit.names("output")
    forces = [quantity.name for quantity in case.program.multipliers]
    rows: dict[str, list[np.ndarray]] = {name: [] for name in ("q_dot", "u_dot", "outputs", "multipliers")}
    for t, q, u, r, p in case.states:
        one.raw.enterEventMode()
        one.put_state(t, start)
        one.set(dict(zip(parameters, p, strict=True)))
        one.event()
        one.put_state(t, np.concatenate([q, u]))
        one.set(dict(zip(inputs, r, strict=True)))
        rates = one.state_rates()
        found = (rates[: len(q)], rates[len(q) :], one.get(outputs), one.get(forces))
        for name, value in zip(rows, found, strict=True):
            rows[name].append(value)
    one.close()
    assert len(rows["q_dot"]) == STATES
    wanted = {name: values for name, values in case.expected.items() if name in rows}
    case.agrees({name: np.array(values) for name, values in rows.items()}, expected=wanted)


@pytest.mark.parametrize(("name", "version"), [*PAIRS, ("panda", 3)])
def test_directional_derivatives(name: str, version: int, unit_of) -> None:
    """By states and inputs, parameters and time, of rates and outputs, against our own Jacobians."""
    case = named_case(name)
    unit, eom = unit_of(case, version), case.eom
    outputs = [x for value in eom.outputs.values() for x in flat(value)]
    values = [*eom.rates, *eom.acceleration, *flat(substitute(outputs, case.program.solved) if outputs else [])]
    symbols = [*eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters, eom.model.time]
    ours = eom.function("all_slopes", {"J": jacobian(values, symbols)})
    unknowns = [*unit.rates, *unit.names("output")]
    knowns = [*unit.states, *unit.names("input"), *unit.names("parameter"), "time"]
    one = unit.instance("ME").initialized()
    one.event()
    p = np.array([quantity.value for quantity in case.program.parameters])
    for t, q, u, r, _ in case.states[:10]:
        one.put_state(t, np.concatenate([q, u]))
        one.set(dict(zip(unit.names("input"), r, strict=True)))
        wanted = np.reshape(ours(t, q, u, r, p), (len(values), len(symbols)))
        found = one.slopes(unknowns, knowns)
        scale = np.abs(wanted).max(axis=1, keepdims=True) + 1e-300
        assert np.abs((found - wanted) / scale).max() < 1e-11
        if version == 3:
            row = np.linspace(-1, 1, len(unknowns))
            of, by = ([unit.references[x] for x in names] for names in (unknowns, knowns))
            found = np.array(one.raw.getAdjointDerivative(of, by, list(row), len(by)))
            assert found == pytest.approx(row @ wanted, rel=1e-9, abs=1e-9 * np.abs(wanted).max())
    one.close()


# --- runs ------------------------------------------------------------------------------------------------------------

DURATIONS = {"panda": 0.3, "tree": 0.1}  # they fall freely, and fast
START = {"tree": {"euler_a2": 0.7, "cardan_a2": 0.3}}  # not where angles are not defined


def simulated(unit: Unit, kind: str, given: dict[str, float], times: np.ndarray) -> np.ndarray:
    """States and outputs by FMPy."""
    result = fmpy.simulate_fmu(
        str(unit.folder), stop_time=times[-1], fmi_type=kind, relative_tolerance=1e-10, output_interval=times[1],
        start_values=given, output=[*unit.states, *unit.names("output")],
    )  # fmt: skip
    table = np.array([list(row) for row in result])
    places = [int(np.argmin(np.abs(table[:, 0] - t))) for t in times]  # events bring further rows
    assert np.abs(table[places, 0] - times).max() < 1e-9
    return table[places, 1:]


def ours(case: Case, inputs: dict, times: np.ndarray, q: dict | None = None) -> np.ndarray:
    """States and outputs by our own integrator."""
    exact = mb.DormandPrince8(rtol=1e-12, atol=1e-12)
    run = mb.simulate(case.eom, times=times, inputs=inputs, integrator=exact, q=q)
    assert run.status.name == "DONE"
    sensors = [np.reshape(run[name], (len(times), -1)) for name in case.eom.outputs]
    return np.hstack([run.q, run.u, *sensors])


@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
@pytest.mark.parametrize(("name", "version"), [*PAIRS, *ONCE])
def test_runs(name: str, kind: str, version: int, unit_of) -> None:
    """With constant inputs, the FMU moves as the model does in our own runs."""
    case, times = named_case(name), np.linspace(0.0, DURATIONS.get(name, 1.0), 11)
    wanted = ours(case, {quantity.name: 0.3 for quantity in case.program.inputs}, times, q=START.get(name))
    unit = unit_of(case, version)
    found = simulated(unit, kind, dict.fromkeys(unit.names("input"), 0.3) | START.get(name, {}), times)
    assert found.shape == wanted.shape
    scale = np.maximum(np.abs(wanted).max(axis=0), 1.0)
    assert np.abs((found - wanted) / scale).max() < (2e-7 if kind == "ModelExchange" else 1e-9)


@pytest.mark.parametrize("scale", [1e-9, 1e6])
def test_loops_of_any_size_close(scale: float, tmp_path: Path) -> None:
    """A four-bar, and gravity, of another size: the angles move as those of the first size."""

    def four_bar(scale: float) -> mb.EquationsOfMotion:
        lengths = [scale * length for length in (2.0, 0.9, 1.8, 1.3)]
        return mb.derive(mb.library.four_bar("q4", lengths=lengths, g=9.81 * scale), constraints=mb.Multipliers())

    wanted = mb.simulate(four_bar(1.0), 1.0, samples=11, integrator=mb.DormandPrince8(rtol=1e-12))
    names = [coordinate.name for coordinate in wanted.eom.coordinates]
    path = tmp_path / "linkage.fmu"
    write_fmu(four_bar(scale), path)
    found = fmpy.simulate_fmu(
        str(path), stop_time=1.0, output_interval=0.1, fmi_type="CoSimulation", relative_tolerance=1e-10, output=names
    )
    for name in names:
        np.testing.assert_allclose(found[name], wanted[name], rtol=0, atol=1e-8)


@pytest.mark.parametrize("told", [True, False])
def test_inputs_with_derivatives(told: bool, unit_of) -> None:
    """A ramp that is told by value and slope is followed exactly between communication points."""
    case = named_case("crane_crab")
    unit = unit_of(case, 2)
    wanted = ours(case, {"F": 20 * case.eom.model.time}, np.linspace(0, 1, 11))[-1]
    one = unit.instance("CS").initialized(tolerance=1e-10)
    for t in np.arange(10) / 10:
        one.set({"F": 20 * t})
        if told:
            one.raw.setRealInputDerivatives([unit.references["F"]], [1], [20.0])
        one.step(t, 0.1)
    error = np.abs(one.get([*unit.states, *unit.names("output")]) - wanted).max()
    one.close()
    assert error < 1e-8 if told else error > 1e-2


def test_input_polynomials_of_order_three(unit_of) -> None:
    case = named_case("crane_crab")
    unit = unit_of(case, 2)
    t = case.eom.model.time
    wanted = ours(case, {"F": 1 + 2 * t - 30 * t**2 + 40 * t**3}, np.linspace(0, 1, 11))
    one = unit.instance("CS").initialized({"F": 1.0}, tolerance=1e-10)
    one.raw.setRealInputDerivatives([unit.references["F"]] * 3, [1, 2, 3], [2.0, -60.0, 240.0])
    one.step(0.0, 1.0)
    assert one.get(unit.states) == pytest.approx(wanted[-1, :4], rel=1e-8)
    assert one.get(["F"])[0] == pytest.approx(13.0, rel=1e-14)
    one.close()


# --- units -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "factor", "exponents"),
    [
        ("N*m", 1.0, {"kg": 1, "m": 2, "s": -2}), ("N·m/rad", 1.0, {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("m/s^2", 1.0, {"m": 1, "s": -2}), ("m s**-2", 1.0, {"m": 1, "s": -2}), ("kg·m²", 1.0, {"kg": 1, "m": 2}),
        ("1/s", 1.0, {"s": -1}), ("1", 1.0, {}), ("km/h", 1 / 3.6, {"m": 1, "s": -1}), ("deg", np.pi / 180, {"rad": 1}),
    ],
)  # fmt: skip
def test_units(text: str, factor: float, exponents: dict[str, int]) -> None:
    from multibody.codegen.targets.fmi.si_units import parsed

    found = parsed(text)
    assert found.factor == pytest.approx(factor, rel=1e-15)
    assert found.exponents == exponents


@pytest.mark.parametrize("text", ["furlong", "N/(m*s)", "m^x", "*", "m^0.5", 'k"g<'])
def test_units_that_are_not_known(text: str) -> None:
    from multibody.codegen.targets.fmi.si_units import parsed

    assert parsed(text) is None
