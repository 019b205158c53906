"""FMUs as importers use and misuse them: saved states, several instances, constraints, errors, strict compilers."""

from __future__ import annotations

import shutil
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import export
from multibody.codegen.targets.fmi import Fmi, write_fmu
from multibody.graph import sqrt

from .conftest import named_case
from .driving import run, tool
from .fmi_units import DISCARD, ERROR, OK, Unit

VERSIONS = [2, 3]
_units: dict[tuple[str, int], Unit] = {}


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> int:
    return request.param


def made(name: str, version: int, tmp_path_factory: pytest.TempPathFactory) -> Unit:
    if (name, version) not in _units:
        eom, folder = named_case(name).eom, tmp_path_factory.mktemp(f"{name}_{version}")
        _units[name, version] = Unit.of(eom, folder, Fmi(version), options=["-O1"])
    return _units[name, version]


@pytest.fixture
def crane(version: int, tmp_path_factory: pytest.TempPathFactory) -> Unit:
    return made("crane_crab", version, tmp_path_factory)


@pytest.fixture
def loop(version: int, tmp_path_factory: pytest.TempPathFactory) -> Unit:
    """A four-bar whose loop is closed by multipliers."""
    return made("four_bar_multipliers", version, tmp_path_factory)


def gaps(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """How far the coupler's end is from the rocker's, and how fast it leaves it: worked out by hand."""
    a, b, d = q
    crank, coupler, rocker = np.exp(1j * a), 3.5 * np.exp(1j * (a + b)), 2.5 * np.exp(1j * d)
    gap = crank + coupler - 3.0 - rocker
    rate = 1j * (u[0] * crank + (u[0] + u[1]) * coupler - u[2] * rocker)
    return np.array([gap.real, gap.imag, rate.real, rate.imag])


def open_by(unit: Unit, values: np.ndarray) -> float:
    by_name = dict(zip(unit.states, values, strict=True))
    q, u = (np.array([by_name[name + end] for name in "abd"]) for end in ("", "_dot"))
    return float(np.abs(gaps(q, u)).max())


# --- saved states, several instances ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ME", "CS"])
def test_saved_states(kind: str, crane: Unit) -> None:
    """What follows a saved state is the same to the last bit, in this instance and in another."""
    everything = [one.name for one in crane.description.modelVariables]
    one, two = (crane.instance(kind, name).initialized({"m2": 3.0, "F": 2.0}) for name in ("one", "two"))
    if kind == "CS":
        one.step(0.0, 0.5)
    kept = one.keep()
    content = one.packed(kept)
    before = one.get(everything)
    assert one.packed(kept) == content

    def go_on(instance) -> np.ndarray:
        if kind == "ME":
            instance.event()
            instance.put_state(0.3, np.array([1.0, 2.0, 3.0, 4.0]))
            return instance.get(everything)
        instance.set({"F": -7.0, "m1": 5.0})
        instance.step(0.5, 0.25)
        return instance.get(everything)

    after = go_on(one)
    assert np.abs(after - before).max() > 0.1
    one.put_back(kept)
    assert (one.get(everything) == before).all()
    assert (go_on(one) == after).all()
    other = two.unpacked(content)
    two.put_back(other)
    assert (two.get(everything) == before).all()
    assert (go_on(two) == after).all()
    one.forget(kept)
    two.forget(other)
    for instance in (one, two):
        instance.close()


def test_bytes_that_are_no_state(crane: Unit) -> None:
    one, two = crane.instance("CS").initialized(), crane.instance("ME").initialized()
    kept = one.keep()
    content = bytes(one.packed(kept))
    for wrong in (b"", content[:-1], content + b"\0", b"\0" * len(content), b"?" + content[1:]):
        assert one.status(one.unpacked, wrong) == ERROR
    assert two.status(two.unpacked, content) == ERROR  # co-simulation's modes are not those of model exchange
    assert two.status(two.put_back, kept) == ERROR
    assert one.said[-1][1].startswith("The bytes are not a state")
    one.forget(kept)
    one.close()
    two.close()


def test_instances_do_not_know_of_each_other(crane: Unit) -> None:
    masses = [0.5, 1.0, 2.0]
    instances = [crane.instance("CS", f"crane {m}").initialized({"m2": m}) for m in masses]
    for k in range(5):
        for one in instances:
            one.step(0.1 * k, 0.1)
    alone = []
    for m in masses:
        one = crane.instance("CS").initialized({"m2": m})
        for k in range(5):
            one.step(0.1 * k, 0.1)
        alone.append(one.get(crane.states))
        one.close()
    together = [one.get(crane.states) for one in instances]
    assert (np.array(together) == np.array(alone)).all()
    assert len({tuple(x) for x in together}) == len(masses)
    for one in instances:
        one.close()


def test_reset(crane: Unit) -> None:
    one = crane.instance("CS")
    start = one.initialized().get(crane.states)
    one.set({"F": 5.0, "m1": 3.0})
    one.step(0.0, 0.4)
    one.raw.reset()
    assert (one.initialized().get([*crane.states, "F", "m1"]) == [*start, 0.0, 10.0]).all()
    one.close()


# --- constraints, parameters, steps ----------------------------------------------------------------------------------


def test_start_values_are_brought_onto_the_constraints(loop: Unit) -> None:
    for kind in ("ME", "CS"):
        one = loop.instance(kind).initialized({"a": 1.1, "b": -0.3, "a_dot": 1.0})
        x = one.get(loop.states)
        assert open_by(loop, x) < 1e-10
        assert np.abs(x - [1.1, -0.3, 1.8, 1.0, 0.0, 0.0]).max() > 0.1
        again = loop.instance(kind, "two").initialized(dict(zip(loop.states, x, strict=True)))
        assert again.get(loop.states) == pytest.approx(x, abs=1e-10)  # what keeps the constraints stays
        one.close()
        again.close()


def test_start_values_that_cannot_be_closed(tmp_path: Path, version: int) -> None:
    """A rope between two short arms: it reaches from one to the other, unless it is made too short."""
    system = mb.System("arms", gravity=(0, -9.81, 0))
    rope = system.parameter("rope", 1.2)
    tips = []
    for name, place in (("one", 0.0), ("other", 2.0)):
        arm = system.body(name, 1.0, (0.5, 0, 0), (1, 1, 1))
        system.joint(f"q_{name}", system.frame(f"foot_{name}", (place, 0, 0)), arm, "Rz", q=0.3 if place == 0 else 2.8)
        tips.append(arm.frame(f"tip_{name}", (0.5, 0, 0)))
    system.constraint(mb.DistanceConstraint(*tips, rope))
    unit = Unit.of(mb.derive(system, constraints=mb.Multipliers()), tmp_path, Fmi(version), options=["-O0"])
    one = unit.instance("ME").begin({"rope": 0.9})
    assert one.status(one.raw.exitInitializationMode) == ERROR
    assert one.said[-1][1].startswith("The constraints cannot be kept at t = 0")
    one.close()


def test_drift_asks_for_an_event(loop: Unit) -> None:
    one = loop.instance("ME").initialized(tolerance=1e-8)
    one.event()
    x = one.state()
    one.put_state(0.0, x)
    assert one.raw.completedIntegratorStep() == (False, False)
    one.put_state(0.0, x + 1e-3)
    assert open_by(loop, one.state()) > 1e-4
    assert one.raw.completedIntegratorStep() == (True, False)
    one.raw.enterEventMode()
    assert one.event()  # states have changed
    assert open_by(loop, one.state()) < 1e-10
    assert np.abs(one.state() - x).max() < 1e-2
    one.close()


def test_co_simulation_keeps_constraints(loop: Unit) -> None:
    one = loop.instance("CS").initialized({"torque": 5.0}, tolerance=1e-4)
    for k in range(40):
        one.step(0.1 * k, 0.1)
        assert open_by(loop, one.get(loop.states)) < 1e-9
    one.close()


def test_parameters_can_be_tuned(crane: Unit) -> None:
    """As in our own runs, where one run goes on from another with new numbers."""
    case = named_case("crane_crab")
    exact = mb.DormandPrince8(rtol=1e-12, atol=1e-12)
    first = mb.simulate(case.eom, duration=0.5, integrator=exact)
    later = mb.simulate(case.eom, duration=0.5, start=first, parameters={"m2": 4.0}, integrator=exact)
    one = crane.instance("CS").initialized(tolerance=1e-10)
    one.step(0.0, 0.5)
    one.set({"m2": 4.0})
    one.step(0.5, 0.5)
    wanted = np.concatenate([later.q[-1], later.u[-1]])
    assert one.get(crane.states) == pytest.approx(wanted, rel=1e-8)
    one.close()


def test_steps_of_fixed_length_are_of_order_five(version: int, tmp_path: Path) -> None:
    case = named_case("four_bar_explicit")
    exact = mb.simulate(case.eom, duration=0.8, integrator=mb.DormandPrince8(rtol=1e-13, atol=1e-13))
    errors = []
    for k, step in enumerate((0.02, 0.01)):
        folder = tmp_path / str(k)
        unit = Unit.of(case.eom, folder, Fmi(version, step=step, derivatives=False), options=["-O0"])
        one = unit.instance("CS").initialized()
        one.step(0.0, 0.8)
        errors.append(np.abs(one.get(unit.states) - [*exact.q[-1], *exact.u[-1]]).max())
        one.close()
    assert 20 < errors[0] / errors[1] < 60  # 2⁵ = 32


def test_rates_of_outputs(crane: Unit) -> None:
    """By the rules of differentiation, against differences of the outputs themselves."""
    one = crane.instance("CS").initialized({"F": 2.0}, tolerance=1e-12)
    outputs = crane.names("output")
    references = [crane.references[name] for name in outputs]
    one.step(0.0, 0.3)
    ask = one.raw.getRealOutputDerivatives if crane.version == 2 else one.raw.getOutputDerivatives
    rates = np.array(ask(references, [1] * len(references)))
    values = []
    for k in range(4):
        values.append(one.get(outputs))
        one.step(0.3 + 1e-3 * k, 1e-3)
    slope = (-11 * values[0] + 18 * values[1] - 9 * values[2] + 2 * values[3]) / 6e-3
    assert rates == pytest.approx(slope, abs=1e-6 * np.abs(rates).max())
    assert one.status(ask, references, [2] * len(references)) == ERROR
    one.close()


# --- errors ----------------------------------------------------------------------------------------------------------


def test_wrong_calls(crane: Unit) -> None:
    """Each is answered by an error and a message, and nothing changes."""
    one = crane.instance("ME").initialized()
    before = one.get([*crane.states, "m1"])
    last = max(crane.references.values())
    wrong = {
        "There is no variable with value reference": [
            lambda: one.values([last + 1]), lambda: one.values([0, 2**32 - 1]),
            lambda: (one.raw.setReal if crane.version == 2 else one.raw.setFloat64)([last + 1], [1.0]),
        ],
        "m1 is set to what is not a finite number": [lambda: one.set({"m2": 5.0, "m1": float("nan")})],
        "F is set to what is not a finite number": [lambda: one.set({"F": float("inf")})],
        "d_1 cannot be set": [lambda: one.set({"d_1": 1.0})],
        "slide cannot be set in this mode": [lambda: one.set({"slide": 1.0})],
        "time cannot be set": [lambda: one.set({"time": 1.0})],
        "The time is not a finite number": [lambda: one.raw.setTime(float("nan"))],
        "There are 4 states": [
            lambda: one.raw.setContinuousStates(None, 4), lambda: one.raw.setContinuousStates(None, 5),
        ],
        "The variable with value reference": [lambda: one.slopes(["slide"], ["F"])],
        "There are no derivatives by": [lambda: one.slopes(["der(slide)"], ["d_1"])],
        "must not be called in this mode": [one.raw.completedIntegratorStep, one.raw.exitInitializationMode],
    }  # fmt: skip
    for text, calls in wrong.items():
        for call in calls:
            one.said.clear()
            assert one.status(call) == ERROR, text
            assert len(one.said) == 1
            assert text in one.said[0][1]
    assert (one.get([*crane.states, "m1"]) == before).all()
    assert one.get(["m2"]) == 1.0  # all values are set, or none
    one.event()
    assert one.status(one.put_state, 0.0, np.array([1.0, np.nan, 0.0, 0.0])) == DISCARD
    assert one.said[-1] == (DISCARD, "swing is set to what is not a finite number.")
    assert one.status(one.set, {"m1": 3.0}) == ERROR  # between events parameters stay
    one.set({"F": 3.0})
    one.close()


def test_wrong_steps(crane: Unit) -> None:
    one = crane.instance("CS").initialized()
    for time, length in ((0.5, 0.1), (0.0, -0.1), (0.0, float("nan")), (float("nan"), 0.1)):
        assert one.status(one.step, time, length) == ERROR
    assert "A step must begin at the current time 0" in one.said[0][1]
    one.step(0.0, 0.1)
    assert one.status(one.raw.terminate) == OK
    assert one.status(one.step, 0.1, 0.1) == ERROR
    one.close()
    two = crane.instance("CS").initialized(stop=0.15)
    two.step(0.0, 0.1)
    assert two.status(two.step, 0.1, 0.1) == ERROR
    assert two.said[-1][1].startswith("The step ends after the stop time 0.1")
    two.step(0.1, 0.05)
    two.close()


def test_wrong_token(crane: Unit) -> None:
    with pytest.raises(Exception, match=r"[Ff]ailed to instantiate"):
        crane.instance("ME", token="{00000000-0000-0000-0000-000000000000}")


def test_equations_that_end(version: int, tmp_path: Path) -> None:
    """Where a root becomes negative: numbers that do not exist are not given, and a step ends where they do."""
    system = mb.System("cliff")
    slide = system.joint("x", system.world, system.body("mass", 1.0), "Tx", u=1.0)
    system.load(mb.JointLoad(slide, -0.1 * sqrt(1 - slide.coordinate)))
    system.sensor("root", mb.Expression(sqrt(0.5 - slide.coordinate)))
    unit = Unit.of(mb.derive(system), tmp_path, Fmi(version), options=["-O0"])
    one = unit.instance("ME").initialized()
    one.event()
    one.put_state(0.0, np.array([2.0, 1.0]))
    assert one.status(one.state_rates) == DISCARD
    assert one.said[-1][1] == "der(x_dot) is not a finite number at t = 0."
    one.put_state(0.0, np.array([0.75, 1.0]))
    assert one.state_rates() == pytest.approx([1.0, -0.05])
    assert one.status(one.get, ["root"]) == DISCARD
    one.close()
    two = unit.instance("CS").initialized()
    assert two.status(two.step, 0.0, 0.5) == OK
    assert two.status(two.step, 0.5, 3.0) == DISCARD
    (time,), (x,) = two.get(["time"]), two.get(["x"])
    assert two.said[-1][1].startswith("The solver gets no further than t = 1.0")
    assert 0.99 < x <= 1.0
    assert 1.0 < time < 1.1
    two.close()


def test_wrong_settings(tmp_path: Path) -> None:
    with refused("option-invalid"):
        Fmi(1)
    with refused("option-invalid"):
        Fmi(tolerance=-1.0)
    with refused("option-invalid"):
        Fmi(step=float("nan"))
    eom = named_case("four_bar_explicit").eom
    with refused("compiler-missing"):
        write_fmu(eom, tmp_path / "a.fmu", compiler="no-such-compiler")
    with refused("compiler-failed"):
        write_fmu(eom, tmp_path / "a.fmu", compiler=tool("gcc"), options=["-Dint=nonsense"])
    (tmp_path / "file").write_text("")
    with refused("file-not-writable"):
        write_fmu(eom, tmp_path / "file" / "a.fmu", compiler="")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_only_an_fmu_of_our_own_is_replaced(tmp_path: Path) -> None:
    eom = named_case("four_bar_explicit").eom
    path = write_fmu(eom, tmp_path / "a.fmu", compiler="")
    assert write_fmu(eom, path, compiler="") == path
    with ZipFile(tmp_path / "other.fmu", "w") as other:
        other.writestr("modelDescription.xml", '<fmiModelDescription generationTool="another"/>')
    (tmp_path / "damaged.fmu").write_bytes(path.read_bytes()[:-30])
    (tmp_path / "notes.txt").write_text("precious")
    (tmp_path / "folder").mkdir()
    (tmp_path / "nowhere").symlink_to("nothing")
    for name in ("other.fmu", "damaged.fmu", "notes.txt", "folder", "nowhere"):
        with refused("file-exists"):
            write_fmu(eom, tmp_path / name, compiler="")
    assert (tmp_path / "notes.txt").read_text() == "precious"
    write_fmu(eom, tmp_path / "notes.txt", compiler="", overwrite=True)
    assert (tmp_path / "notes.txt").read_bytes() == path.read_bytes()


def test_without_derivatives(version: int, tmp_path: Path) -> None:
    unit = Unit.of(named_case("crane_crab").eom, tmp_path, Fmi(version, derivatives=False), options=["-O0"])
    part = unit.description.modelExchange
    assert not part.providesDirectionalDerivative
    one = unit.instance("ME").initialized()
    assert one.status(one.slopes, ["der(slide)"], ["F"]) == ERROR
    one.close()


# --- the sources -----------------------------------------------------------------------------------------------------

DRIVERS = {
    2: """#include "all.c"

static void say(
    fmi2ComponentEnvironment e, fmi2String name, fmi2Status status, fmi2String category, fmi2String text, ...)
{
    (void)e;
    printf("%s %d %s %s\\n", name, (int)status, category, text);
}

int main(void)
{
    fmi2CallbackFunctions calls = {say, NULL, NULL, NULL, NULL};
    unsigned all[END + 1];
    double values[END + 1], x[N_X + 1], slope[1], one = 1.0;
    int order = 1, kind;
    unsigned k;
    for (k = 0; k <= END; ++k)
        all[k] = k;
    for (kind = 0; kind < 2; ++kind) {
        fmi2Component c = fmi2Instantiate("one", (fmi2Type)kind, TOKEN, NULL, &calls, 0, 0), none = NULL;
        fmi2FMUstate kept = NULL, again = NULL;
        fmi2EventInfo info;
        fmi2Boolean event, end;
        char bytes[sizeof(Snapshot)];
        size_t size = 0;
        if (!c || fmi2Instantiate("two", fmi2ModelExchange, "wrong", NULL, &calls, 0, 0)
            || fmi2Instantiate(NULL, fmi2ModelExchange, TOKEN, NULL, NULL, 0, 0))
            return 1;
        if (fmi2GetReal(none, all, 1, values) != fmi2Error || fmi2GetReal(c, NULL, 1, NULL) != fmi2Error)
            return 2;
        if (fmi2SetupExperiment(c, 0, 0.0, 0.0, 0, 0.0) || fmi2EnterInitializationMode(c)
            || fmi2ExitInitializationMode(c))
            return 3;
        if (fmi2GetReal(c, all, END, values) || fmi2GetReal(c, all, END + 1, values) != fmi2Error)
            return 4;
        if (fmi2GetFMUstate(c, &kept) || fmi2SerializedFMUstateSize(c, kept, &size) || size != sizeof bytes)
            return 5;
        if (fmi2SerializeFMUstate(c, kept, bytes, size) || fmi2DeSerializeFMUstate(c, bytes, size, &again)
            || fmi2SetFMUstate(c, again))
            return 6;
        if (N_X && fmi2GetDirectionalDerivative(c, all + FIRST_RATE, 1, all + FIRST_STATE, 1, &one, slope))
            return 7;
        if (kind == 0) {
            if (fmi2NewDiscreteStates(c, &info) || fmi2EnterContinuousTimeMode(c) || fmi2GetContinuousStates(c, x, N_X))
                return 8;
            if (fmi2SetTime(c, 0.1) || fmi2SetContinuousStates(c, x, N_X) || fmi2GetDerivatives(c, x, N_X))
                return 9;
            if (fmi2CompletedIntegratorStep(c, 1, &event, &end) || fmi2DoStep(c, 0.1, 0.1, 1) != fmi2Error)
                return 10;
        } else {
            if (N_R && fmi2SetRealInputDerivatives(c, all + FIRST_INPUT, 1, &order, &one))
                return 11;
            for (k = 0; k < 10; ++k)
                if (fmi2DoStep(c, 0.1 * k, 0.1, 1))
                    return 12;
            if (N_Y && fmi2GetRealOutputDerivatives(c, all + FIRST_OUTPUT, 1, &order, slope))
                return 13;
            if (fmi2SetTime(c, 0.0) != fmi2Error)
                return 14;
        }
        if (fmi2Terminate(c) || fmi2SetReal(c, all, 0, values) != fmi2Error || fmi2Reset(c))
            return 15;
        fmi2FreeFMUstate(c, &kept);
        fmi2FreeFMUstate(c, &again);
        fmi2FreeInstance(c);
        fmi2FreeInstance(NULL);
    }
    return 0;
}
""",
    3: """#include "all.c"

static void say(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category, fmi3String text)
{
    (void)e;
    printf("%d %s %s\\n", (int)status, category, text);
}

int main(void)
{
    unsigned all[END + 1];
    double values[END + 1], x[N_X + 1], slope[1], one = 1.0, time;
    bool a, b, d, e, f;
    int order = 1, kind;
    unsigned k;
    for (k = 0; k <= END; ++k)
        all[k] = k;
    for (kind = 0; kind < 2; ++kind) {
        fmi3Instance c = kind ? fmi3InstantiateCoSimulation("one", TOKEN, NULL, 0, 0, 0, 0, NULL, 0, NULL, say, NULL)
                              : fmi3InstantiateModelExchange("one", TOKEN, NULL, 0, 0, NULL, say);
        fmi3FMUState kept = NULL, again = NULL;
        uint8_t bytes[sizeof(Snapshot)];
        size_t size = 0;
        if (!c || fmi3InstantiateModelExchange("two", "wrong", NULL, 0, 0, NULL, say)
            || fmi3InstantiateModelExchange(NULL, TOKEN, NULL, 0, 0, NULL, NULL))
            return 1;
        if (fmi3GetFloat64(NULL, all, 1, values, 1) != fmi3Error || fmi3GetFloat64(c, NULL, 1, NULL, 1) != fmi3Error)
            return 2;
        if (fmi3EnterInitializationMode(c, 0, 0.0, 0.0, 0, 0.0) || fmi3ExitInitializationMode(c))
            return 3;
        if (fmi3GetFloat64(c, all, END, values, END) || fmi3GetFloat64(c, all, END, values, 1) != fmi3Error)
            return 4;
        if (fmi3GetFMUState(c, &kept) || fmi3SerializedFMUStateSize(c, kept, &size) || size != sizeof bytes)
            return 5;
        if (fmi3SerializeFMUState(c, kept, bytes, size) || fmi3DeserializeFMUState(c, bytes, size, &again)
            || fmi3SetFMUState(c, again))
            return 6;
        if (N_X && (fmi3GetDirectionalDerivative(c, all + FIRST_RATE, 1, all + FIRST_STATE, 1, &one, 1, slope, 1)
                    || fmi3GetAdjointDerivative(c, all + FIRST_RATE, 1, all + FIRST_STATE, 1, &one, 1, slope, 1)))
            return 7;
        if (kind == 0) {
            if (fmi3UpdateDiscreteStates(c, &a, &b, &d, &e, &f, &time) || fmi3EnterContinuousTimeMode(c))
                return 8;
            if (fmi3GetContinuousStates(c, x, N_X) || fmi3SetTime(c, 0.1) || fmi3SetContinuousStates(c, x, N_X))
                return 9;
            if (fmi3GetContinuousStateDerivatives(c, x, N_X) || fmi3CompletedIntegratorStep(c, 1, &a, &b))
                return 10;
        } else {
            for (k = 0; k < 10; ++k)
                if (fmi3DoStep(c, 0.1 * k, 0.1, 1, &a, &b, &d, &time) || fabs(time - 0.1 * (k + 1)) > 1e-12)
                    return 12;
            if (N_Y && fmi3GetOutputDerivatives(c, all + FIRST_OUTPUT, 1, &order, slope, 1))
                return 13;
        }
        if (fmi3EnterStepMode(c) != fmi3Error || fmi3GetInt32(c, all, 1, NULL, 1) != fmi3Error
            || fmi3GetInt32(c, NULL, 0, NULL, 0))
            return 14;
        if (fmi3Terminate(c) || fmi3Reset(c))
            return 15;
        fmi3FreeFMUState(c, &kept);
        fmi3FreeFMUState(c, &again);
        fmi3FreeInstance(c);
        fmi3FreeInstance(NULL);
    }
    return 0;
}
""",
}
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wshadow"]
WATCHED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.mark.parametrize("name", ["four_bar_multipliers", "every_operation"])
def test_strict_compiler_and_sanitizers(name: str, version: int, tmp_path: Path) -> None:
    gcc = tool("gcc")
    export(named_case(name).eom, Fmi(version), tmp_path)
    sources = tmp_path / "sources"
    if name == "four_bar_multipliers":
        run(gcc, *STRICT, "-O2", "-c", "all.c", "-o", "all.o", folder=sources)
    (sources / "driver.c").write_text(DRIVERS[version])
    run(gcc, *STRICT, "-O1", *WATCHED, "driver.c", "-lm", "-o", "driver", folder=sources)
    run(sources / "driver", folder=sources)


def test_no_states_no_inputs_no_parameters(version: int, tmp_path: Path) -> None:
    """A body that a drive moves: nothing is left to integrate."""
    gcc = tool("gcc")
    system = mb.System("driven")
    system.joint("drive", system.world, system.body("arm", 1.0, (1, 0, 0), (1, 1, 1)), "Rz", prescribed=2 * system.time)
    system.sensor("tip", mb.Position(next(iter(system.all(mb.Body)))))
    eom = mb.derive(system)
    export(eom, Fmi(version), tmp_path)
    sources = tmp_path / "sources"
    (sources / "driver.c").write_text(DRIVERS[version])
    run(gcc, *STRICT, "-O1", *WATCHED, "driver.c", "-lm", "-o", "driver", folder=sources)
    run(sources / "driver", folder=sources)


def test_only_the_functions_of_the_standard_are_visible(crane: Unit) -> None:
    (binary,) = crane.folder.glob("binaries/*/*.so")
    names = run(tool("nm"), "-D", "--defined-only", binary, folder=crane.folder).decode().split()[2::3]
    assert len(names) > 40
    assert all(name.startswith(f"fmi{crane.version}") for name in names)


def test_cmake_builds_it_and_a_prefix_keeps_functions_apart(version: int, tmp_path: Path) -> None:
    cmake, gcc = tool("cmake"), tool("gcc")
    export(named_case("four_bar_explicit").eom, Fmi(version, derivatives=False), tmp_path)
    sources = tmp_path / "sources"
    run(cmake, "-S", sources, "-B", tmp_path / "build", folder=tmp_path)
    run(cmake, "--build", tmp_path / "build", folder=tmp_path)
    assert list((tmp_path / "build").glob("four_bar.*"))
    run(gcc, "-std=c99", f"-DFMI{version}_FUNCTION_PREFIX=mine_", "-c", "all.c", "-o", "all.o", folder=sources)
    assert f"mine_fmi{version}Reset" in run(tool("nm"), "all.o", folder=sources).decode()


def test_the_archive(crane: Unit) -> None:
    with ZipFile(crane.path) as archive:
        names = archive.namelist()
    assert names[0] == "modelDescription.xml"
    assert {"documentation/index.html", "sources/all.c", "sources/CMakeLists.txt"} <= set(names)
    folder = {2: "linux64", 3: "x86_64-linux"}[crane.version]
    if shutil.which("uname") and run("uname", "-sm", folder=crane.folder).split() == [b"Linux", b"x86_64"]:
        assert f"binaries/{folder}/crane_crab.so" in names
