"""What is given wrongly is told by name; operating points come in many forms."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.linearization import (
    along,
    critical_values,
    equilibria,
    equilibrium,
    jax_function,
    kalman,
    linearize,
    linearize_symbolic,
    lqr,
    output_feedback,
    pole_sensitivities,
    root_locus,
)

NAN = float("nan")


@pytest.fixture(scope="module")
def crane():
    """A crab of 10 kg with a load of 1 kg, 2 m below it."""
    system = mb.System("crane", gravity=(0, 0, -10))
    m, l = system.parameters(m=1.0, l=2.0)
    crab, load = system.body("crab", 10.0), system.body("load", m, (0, 0, -l))
    slide = system.joint("slide", system.world, crab, "Tx")
    system.joint("swing", crab, load, "Ry")
    system.load(mb.JointLoad(slide, system.input("F")))
    system.sensor("place", mb.Position(crab))
    return mb.derive(system)


def test_an_equilibrium_is_an_operating_point_and_a_guess(crane):
    up = equilibrium(crane, at={"swing": 3.0}, parameters={"l": 0.5})
    assert pytest.approx(up.linear.A, abs=1e-12) == linearize(crane, up).A
    again = equilibrium(crane, at=up)
    assert (again["swing"], again["l"]) == (pytest.approx(np.pi), 0.5)
    assert equilibrium(crane, at=up, parameters={"l": 0.7})["l"] == 0.7
    locus = root_locus(along(crane, "slide", at=up), [0.0, 1.0])
    assert locus.poles[1].real.max() == pytest.approx(np.sqrt(10 / 0.5 * 1.1))


def test_an_instant_brings_its_inputs_and_parameters_to_an_equilibrium():
    system = mb.System("spring", gravity=(0, 0, 0))
    (k,) = system.parameters(k=1.0)
    joint = system.joint("x", system.world, system.body("block", 1.0), "Tx")
    system.load(mb.JointSpring(joint, k))
    system.load(mb.JointLoad(joint, system.input("F")))
    eom = mb.derive(system)
    run = mb.simulate(eom, 1.0, inputs={"F": 6.0}, parameters={"k": 3.0})
    assert equilibrium(eom, at=run.at(0.5))["x"] == pytest.approx(2.0)


def test_the_stiffness_of_a_swing_is_that_of_gravity(crane):
    """m·g·l, also where the crab is left out; the mass is what resists a torque while the crab follows freely."""
    M, _, K = linearize(crane).second_order("swing")
    assert [K.item(), M.item()] == pytest.approx([1 * 10 * 2, 1 * 2**2 * (1 - 1 / 11)])


@pytest.mark.parametrize(
    ("call", "code", "named"),
    [
        (lambda eom: linearize(eom, outputs=["place", "place_2"]), "name-taken", "'place_2'"),
        (lambda eom: linearize_symbolic(eom, outputs=["F", "F"]).at(), "name-taken", "'F'"),
        (lambda eom: linearize(eom, inputs=["F", "F"]), "name-taken", "'F'"),
        (lambda eom: equilibrium(eom, t=NAN), "number-not-finite", "time of the equilibrium"),
        (lambda eom: equilibrium(eom, at=3), "not-an-operating-point", "3"),
        (lambda eom: equilibria(eom, tries=0), "count-too-small", "0"),
        (lambda eom: critical_values(along(eom, "l"), 2.0, 1.0), "range-empty", "2"),
        (lambda eom: critical_values(along(eom, "l"), 1.0, 2.0, points=1), "range-empty", "1 points"),
        (lambda eom: critical_values(eom, 1.0, 2.0), "not-a-linear-system", "EquationsOfMotion"),
        (lambda eom: root_locus(lambda l: equilibrium(eom), [1.0]), "not-a-linear-system", "Equilibrium"),
        (lambda eom: pole_sensitivities(linearize(eom)), "equilibrium-expected", "LinearizedSystem"),
        (lambda eom: lqr(linearize(eom), np.full((4, 4), NAN), {"F": 1}), "weights-invalid", "finite"),
        (lambda eom: lqr(linearize(eom), "slide", {"F": 1}), "weights-invalid", "(4, 4)"),
        (lambda eom: lqr(linearize(eom, inputs=[]), {"swing": 1}, {}), "nothing-to-design", "crane"),
        (lambda eom: kalman(linearize(eom, outputs=[]), {"F": 1}, {}), "nothing-to-design", "crane"),
        (lambda eom: lqr(linearize(eom), {"swing": 1}, {"F": 1}, states="swing"), "part-not-closed", "'swing_dot'"),
        (lambda eom: linearize(eom).response(0.0), "response-infinite", ""),
        (lambda eom: linearize(eom).response(NAN), "number-not-finite", "frequency"),
        (lambda eom: linearize(eom).motion(linearize(eom).modes[0], samples=1), "count-too-small", "1"),
        (lambda eom: linearize(eom).motion(linearize(eom).modes[0], duration=NAN), "number-not-finite", "modal motion"),
    ],
)
def test_misuse_is_told(crane, call, code, named):
    with refused(code, named):
        call(crane)


def test_jax_is_given_as_many_values_as_there_are_names(crane):
    pytest.importorskip("jax")
    dynamics = jax_function(crane)
    with refused("array-wrong-shape"):
        dynamics(0.0, [0.0, 0.0, 0.0], [0.0], [1.0, 2.0])
    assert dynamics(0.0, [0.0] * 4, 22.0, [1.0, 2.0]).tolist() == pytest.approx([0, 0, 2.2, 1.1])


def accelerometers(count):
    """Blocks in a row on springs, each with a drive and an accelerometer."""
    system = mb.System("row", gravity=(0, 0, -10))
    last = system.world
    for k in range(count):
        block = system.body(f"block{k}", 1.0)
        joint = system.joint(f"z{k}", last, block, "Tz")
        system.load(mb.JointSpring(joint, 4.0))
        system.load(mb.JointLoad(joint, system.input(f"F{k}")))
        system.sensor(f"a{k}", mb.Acceleration(block))
        last = block
    eom = mb.derive(system)
    names = [f"F{k}" for k in range(count)]
    held = equilibrium(eom, fixed={f"z{k}": 0.0 for k in range(count)}, free=names)
    outputs = [f"a{k}_3" for k in range(count)]
    lin = linearize(eom, held, outputs=outputs)
    regulator = lqr(lin, {"z0": 100.0, "z0_dot": 1.0}, dict.fromkeys(names, 0.01))
    return eom, regulator, kalman(lin, {f"z{k}_dot": 1.0 for k in range(count)}, dict.fromkeys(outputs, 1e-2))


@pytest.mark.parametrize("period", [0.01, 0.1])
def test_an_accelerometer_shows_the_force_of_the_last_period(period):
    eom, regulator, observer = accelerometers(1)
    run = mb.simulate(eom, 10.0, q={"z0": 0.2}, inputs=output_feedback(regulator, observer, period))
    assert np.abs(run["z0"][-50:]).max() < 1e-5
    held = mb.simulate(eom, 0.5, start=regulator.system.point, inputs=output_feedback(regulator, observer, period))
    assert np.abs(held["z0"]).max() < 1e-12


def test_several_inputs_and_accelerometers_are_refused():
    _, regulator, observer = accelerometers(2)
    with refused("inputs-reach-accelerometer"):
        output_feedback(regulator, observer, 0.01)
