"""Geometry and inertia that change while a system moves: refused, with the joint that moves them in the right way."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.refusal import refused

import multibody as mb
from multibody.errors import ModelError
from multibody.graph import cos, sin
from multibody.model import Kinematics


def refusal(system):
    """What derive says; check says the same."""
    with pytest.raises(ModelError) as caught:
        mb.derive(system)
    found = [(one.what, one.where) for one in system.check().errors]
    assert (caught.value.what, caught.value.where) in found
    return caught.value


def pendulum(frame=lambda s: s.world, **body):
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    bob = system.body("bob", **({"mass": 1.0, "com": (0, 0, -1)} | body))
    system.joint("angle", frame(system), bob, "Ry", q=0.3)
    return system


def ended(system, name="angle", duration=2.0, **options):
    return mb.simulate(mb.derive(system), duration, **options)[name][-1]


def code_of(error):
    """The lines of Python that an error shows."""
    return "\n".join(line[4:] for line in error.remedy.splitlines() if line.startswith("    "))


def test_a_pivot_that_moves_is_refused_and_the_code_of_the_error_does_it_right():
    """x_P = sin 3t:  φ̈ = (9·sin(3t)·cos φ - g·sin φ)/l with the sign of a turn about y, by SciPy."""
    error = refusal(pendulum(lambda s: s.frame("pivot", (sin(3 * s.time), 0, 0))))
    assert error.where == "frame 'pivot'"
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    names = {"system": system, "sin": sin}
    exec(code_of(error), names)
    system.joint("angle", names["pivot_carrier"], system.body("bob", 1.0, (0, 0, -1)), "Ry", q=0.3)

    def rates(t, y):
        return y[1], -9.81 * np.sin(y[0]) - 9 * np.sin(3 * t) * np.cos(y[0])

    expected = solve_ivp(rates, (0, 2), (0.3, 0.0), rtol=1e-11, atol=1e-12).y[0, -1]
    assert ended(system) == pytest.approx(expected, abs=1e-5)


def test_a_frame_that_turns_is_refused_and_the_code_of_the_error_does_it_right():
    """A frame that turns about z by ω·t with a hinge about its y axis: φ̈ = ω²·sin φ·cos φ - g·sin φ."""
    error = refusal(pendulum(lambda s: s.frame("turning", (0, 0, 1), mb.Rotation.about_z(4 * s.time))))
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    names = {"system": system, "sin": sin}
    exec(code_of(error), names)
    system.joint("angle", names["turning_carrier"], system.body("bob", 1.0, (0, 0, -1)), "Ry", q=0.3)

    def rates(_, y):
        return y[1], 16 * np.sin(y[0]) * np.cos(y[0]) - 9.81 * np.sin(y[0])

    expected = solve_ivp(rates, (0, 2), (0.3, 0.0), rtol=1e-11, atol=1e-12).y[0, -1]
    assert ended(system) == pytest.approx(expected, abs=1e-5)


def test_a_center_of_mass_that_moves_is_refused_and_the_code_of_the_error_does_it_right():
    """A mass at l(t) = 1 - 0.1·sin t on a rod without mass:  d/dt(l²·φ̇) = -g·l·sin φ."""
    error = refusal(_pumped())
    assert error.where == "body 'bob'"
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    system.joint("angle", system.world, system.body("bob"), "Ry", q=0.3)
    exec(code_of(error), {"system": system, "sin": sin})

    def rates(t, y):
        length, change = 1 - 0.1 * np.sin(t), -0.1 * np.cos(t)
        return y[1], -(2 * change * y[1] + 9.81 * np.sin(y[0])) / length

    expected = solve_ivp(rates, (0, 2), (0.3, 0.0), rtol=1e-11, atol=1e-12).y[0, -1]
    assert ended(system) == pytest.approx(expected, abs=1e-5)


def _pumped():
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    bob = system.body("bob", 2.0, (0, 0, 0.1 * sin(system.time) - 1))
    system.joint("angle", system.world, bob, "Ry", q=0.3)
    return system


def test_a_pitch_of_time_is_refused_and_a_constraint_does_it_right():
    """s = p(t)·φ with p = 0.2 + 0.1·sin t: m·(s̈ + g)·p + I·φ̈ = 0."""
    system = mb.System("nut", gravity=(0, 0, -9.81))
    pitch = 0.2 + 0.1 * sin(system.time)
    system.joint("turn", system.world, system.body("nut", 2.0, inertia=(1, 1, 0.1)), mb.Screw("z", pitch))
    error = refusal(system)
    assert "Cylindrical" in error.remedy
    assert "pitch" in error.what
    right = mb.System("nut", gravity=(0, 0, -9.81))
    child = right.body("nut", 2.0, inertia=(1, 1, 0.1))
    exec(code_of(error), {"system": right, "parent": right.world, "child": child, "Cylindrical": mb.Cylindrical,
                          "sin": sin, "t": right.time})  # fmt: skip

    def rates(t, y):
        p, p1, p2 = 0.2 + 0.1 * np.sin(t), 0.1 * np.cos(t), -0.1 * np.sin(t)
        return y[1], -2 * p * (p2 * y[0] + 2 * p1 * y[1] + 9.81) / (2 * p * p + 0.1)

    expected = solve_ivp(rates, (0, 1), (0.0, 0.0), rtol=1e-11, atol=1e-12).y[0, -1]
    assert ended(right, "turn_r", 1.0) == pytest.approx(expected, rel=1e-5)


def test_a_mass_that_depends_on_a_coordinate_is_refused():
    system = mb.System("carts")
    first = system.joint("x", system.world, system.body("a", 1.0), "Tx")
    system.joint("y", system["a"], system.body("b", 1 + first.coordinate**2), "Ty")
    error = refusal(system)
    assert (error.where, "depends on x" in error.what) == ("body 'b'", True)


def test_all_parts_that_change_are_reported_at_once():
    system = pendulum(lambda s: s.frame("pivot", (sin(s.time), 0, 0)), mass=1.0)
    system["bob"].frame("tip", (0, 0, system["angle"].speed))
    system.gravity = (0, 0, -9.81 * (1 + system["angle"].coordinate))
    assert {one.where for one in system.check().errors} == {"frame 'pivot'", "frame 'tip'", "system 'pendulum'"}


def test_gravity_may_follow_time_but_not_the_place():
    """g(t) = 9.81·cos t on a free particle: z = -9.81·(1 - cos t)."""
    system = mb.System("fall")
    system.joint("z", system.world, system.body("stone", 1.0), "Tz")
    system.gravity = (0, 0, -9.81 * cos(system.time))
    assert ended(system, "z") == pytest.approx(-9.81 * (1 - np.cos(2)), abs=1e-5)
    system.gravity = (0, 0, -9.81 * (1 + system["z"].coordinate))
    assert "GravityField" in refusal(system).remedy


def test_a_screw_pitch_that_follows_its_own_coordinate_is_refused():
    system = mb.System("nut")
    angle = mb.graph.symbol("turn", "coordinate", "nut")
    system.joint("turn", system.world, system.body("nut", 2.0, inertia=(1, 1, 1)), mb.Screw("z", angle))
    assert refusal(system).where == "joint 'turn'"


def test_freezing_and_analysing_are_refused_as_well():
    for use in (mb.System.freeze, mb.System.analyse, mb.System.to_sympy, mb.modular.from_system, mb.compare):
        with refused("frame-moving"):
            use(pendulum(lambda s: s.frame("pivot", (sin(s.time), 0, 0))))


def test_a_model_file_and_the_command_refuse_it(tmp_path):
    from multibody.cli import main

    text = """
multibody: 1
name: arm
bodies:
  bob: {mass: 1, com: [0, 0, -1]}
frames:
  pivot: {on: world, position: [sin(3*t), 0, 0]}
joints:
  angle: {parent: pivot, child: bob, kind: Ry}
"""
    refusal(mb.read_model(text))
    file = tmp_path / "arm.yaml"
    file.write_text(text)
    for command in ("derive", "check", "simulate"):
        assert main([command, str(file)]) != 0


MOVING = {
    "a rod whose length follows time": lambda s, b: mb.DistanceConstraint(s.world, b, 1 + 0.2 * sin(3 * s.time)),
    "a surface that moves": lambda s, b: mb.PointOnSurface(s.world, b, lambda x, y, z: z - sin(s.time) * x - 1),
    "a blade that is steered": lambda s, b: mb.KnifeEdge(s.world, b, (cos(s.time), sin(s.time), 0)),
}


@pytest.mark.parametrize("name", MOVING)
def test_constraints_that_follow_time_keep_their_equations(name):
    """By finite differences along a run: φ stays zero, and so do the velocities that are forbidden."""
    system = mb.System("held", gravity=(0, 0, -9.81))
    body = system.body("b", 1.0, (0.1, 0, 0), (0.2, 0.3, 0.4))
    system.joint("p", system.world, body, ["Tx", "Ty", "Tz", "Rz"], q=(0.3, 0.2, 0.9, 0.1), u=(0.5, 0.1, 0.0, 0.2))
    held = system.constraint(MOVING[name](system, body), name="held")
    run = mb.simulate(mb.derive(system), 1.0, samples=2001)
    model = system.freeze()
    [equation] = held.equations(Kinematics(model))
    symbols = (model.time, *model.coordinates, *model.speeds)
    known = dict(zip(symbols, [run.t, *run.q.T, *run.u.T], strict=True))
    for value in (equation.velocity, equation.position):
        if value is not None:
            assert np.abs(mb.graph.evaluate(value, known)).max() < 1e-6
    rates = np.gradient(run.q, run.t, axis=0, edge_order=2)
    assert np.abs(rates - run.u)[1:-1].max() < 1e-4


def test_a_blade_may_follow_an_input():
    """The blade of a sledge in the direction that an input gives; the rates of the input become inputs."""
    system = mb.System("sledge", gravity=(0, 0, 0))
    body = system.body("b", 1.0, (0.2, 0, 0), (1, 1, 1))
    system.joint("p", system.world, body, ["Tx", "Ty", "Rz"], u=(1.0, 0, 0.3))
    angle = system.input("steer")
    system.constraint(mb.KnifeEdge(system.world, body, (cos(angle), sin(angle), 0)))
    run = mb.simulate(mb.derive(system), 2.0, inputs={"steer": 0.5 * sin(system.time)})
    heading = run["p_rz"] + 0.5 * np.sin(run.t)
    assert np.abs(np.cos(heading) * run["p_ty_dot"] - np.sin(heading) * run["p_tx_dot"]).max() < 1e-9


@pytest.mark.parametrize("make", [
    lambda s, b: mb.PointOnPlane(s.world, b, (sin(s.time), 0, 1)),
    lambda s, b: mb.RollingDisc(s.world, b, 0.5, axis=(sin(s.time), 1, 0)),
])  # fmt: skip
def test_directions_that_are_fixed_to_a_frame_must_not_turn_in_it(make):
    system = mb.System("held")
    body = system.body("b", 1.0, (0, 0, 0), (1, 1, 1))
    system.joint("p", system.world, body, mb.Free("xyz"))
    with refused("direction-changing"):
        make(system, body)


@pytest.mark.parametrize("follow", [lambda s, j: sin(s.time), lambda s, j: j.coordinate, lambda s, j: s.input("F")])
def test_what_is_drawn_is_fixed_to_its_frame(follow):
    """It is refused where it is written, not by a picture that has no number for t; a parameter is fine."""
    system = mb.System("seen")
    body = system.body("b", 1.0)
    joint = system.joint("x", system.world, body, "Tx")
    place = follow(system, joint)
    for where in ({"position": (place, 0, 0)}, {"rotation": mb.Rotation.about_x(place)}):
        with refused("shape-moving"):
            system.draw(body, mb.Box(1, 1, 1), **where)
    system.draw(body, mb.Box(1, 1, 1), position=(system.parameter("a", 0.2), 0, 0))
    assert len(mb.page_html(mb.simulate(mb.derive(system), 0.1, samples=3))) > 0
