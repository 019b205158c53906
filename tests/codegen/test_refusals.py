"""What runs refuse is refused at export; reports and names of files."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import C, Cpp, Fmi, Matlab, Modelica, Program, Python, export
from multibody.graph import acos, as_expr, asin, cos, sin, sqrt, where
from multibody.report import Latex, Markdown


def driven(motion: Any, mass: float = 1.0) -> mb.EquationsOfMotion:
    system = mb.System("driven", gravity=(0, 0, -9.81))
    end = system.parameter("end", 3.0)
    arm = system.body("arm", system.parameter("m", mass), (1, 0, 0), (1, 1, 1))
    system.joint("drive", system.world, arm, "Rz", prescribed=motion(system.time, end))
    system.joint("slide", arm, system.body("box", 1.0), "Tx")
    return mb.derive(system)


@pytest.mark.parametrize("target", [C(jacobians=False), Python(), Matlab(), Modelica(), Fmi(derivatives=False)])
def test_a_motion_that_jumps_is_refused(target: Any) -> None:
    with refused("prescribed-motion-not-smooth"):
        target.files(Program.of(driven(lambda t, end: where(t < end, 0, 1))))


@pytest.mark.parametrize(
    ("motion", "time"),
    [(lambda t, end: where(t < 40, 0, sin(t)), 40), (lambda t, end: where(t < end, 0, t - end), 3)],
)
def test_late_jumps_and_those_of_the_velocity_are_refused(motion: Any, time: float) -> None:
    with refused("prescribed-motion-not-smooth") as caught:
        Python().files(Program.of(driven(motion)))
    assert caught.value.fields["time"] == pytest.approx(time)


@pytest.mark.parametrize(
    "motion", [lambda t, end: end * sin(t), lambda t, end: sqrt(end + 2 - t), lambda t, end: 0 * t]
)
def test_smooth_motions_are_written_also_those_that_end(motion: Any) -> None:
    assert Python().files(Program.of(driven(motion)))


@pytest.mark.parametrize(
    "motion", [lambda t, end: sqrt(t), lambda t, end: acos(cos(7 * t)), lambda t, end: (t - 1) ** as_expr(2 / 3)]
)
def test_a_motion_without_finite_rates_at_the_start_is_refused(motion: Any) -> None:
    with refused("prescribed-motion-not-finite", "drive", "t = 0 s"):
        Python().files(Program.of(driven(motion)))


def test_a_kink_where_the_rate_has_no_value_is_found() -> None:
    """asin(sin(3t)) is a triangle; its rate is 0/0 at the corners."""
    with refused("prescribed-motion-not-smooth", "its velocity jumps", f"{math.pi / 6:.6g}"):
        Python().files(Program.of(driven(lambda t, end: asin(sin(3 * t)))))


def timed(case: str, value: Callable[[Any], Any]) -> mb.EquationsOfMotion:
    """A constraint or a loop that follows time."""
    system = mb.System("timed", gravity=(0, 0, 0))
    body = system.body("ball", 1, (0, 0, 0), (1, 1, 1))
    ways = system.joint("way", system.world, body, ["Tx", "Ty"], q=(1, 0), u=(0, 1))
    other = system.joint("other", system.world, system.body("wheel", 1, (0, 0, 0), (1, 1, 1)), "Rz")
    given = value(system.time)
    match case:
        case "distance":
            system.constraint(mb.DistanceConstraint(system.world, body, 1 + given), name="rod")
        case "expression":
            system.constraint(ways.coordinates[1] - given, name="rod")
        case "product":  # of a coordinate that is zero at the start
            system.constraint(ways.coordinates[0] - 1 - (1 + given) * other.coordinate, name="rod")
        case "velocity":
            system.constraint(ways.speeds[1] - given, name="rod")
        case "loop":
            system.loop(mb.ExpJoint(other, (1 + given) * ways.coordinates[0]))
    return mb.derive(system)


@pytest.mark.parametrize("case", ["distance", "expression", "product", "velocity", "loop"])
def test_constraints_and_loops_that_jump_over_time_are_refused(case: str) -> None:
    eom = timed(case, lambda t: where(t < 0.5, 0, 0.2))
    name = "other" if case == "loop" else "rod"
    with refused("prescribed-motion-not-smooth", name, "t = 0.5 s"):
        mb.simulate(eom, 1.0)
    with refused("prescribed-motion-not-smooth", name, "t = 0.5 s"):
        Python().files(Program.of(eom))
    with refused("prescribed-motion-not-smooth", name, "t = 0.5 s"):
        mb.sweep(eom, 1.0, initial={"way_tx": [1.0]})


@pytest.mark.parametrize("case", ["distance", "expression", "product", "velocity", "loop"])
def test_constraints_and_loops_that_follow_time_smoothly_are_written(case: str) -> None:
    assert Python().files(Program.of(timed(case, lambda t: 0.2 * sin(3 * t))))


def test_a_constraint_with_a_kink_over_time_is_written() -> None:
    assert Python().files(Program.of(timed("distance", lambda t: abs(t - 0.5))))


def test_a_negative_mass_is_refused() -> None:
    with refused("mass-negative"):
        Python().files(Program.of(driven(lambda t, end: sin(t)), {"m": -1.0}))


def pendulum(name: str) -> mb.EquationsOfMotion:
    system = mb.System(name, gravity=(0, 0, -9.81))
    bob = system.body("bob", 2, (0, 0, -1))
    system.joint("angle", system.world, bob, "Ry", q=0.3)
    system.sensor("d", mb.DistanceAndRate(system.frame("wall", (1, 0, 0)), bob.frame("tip", (0, 0, -1))))
    system.sensor("v", mb.Velocity(bob))
    return mb.derive(system)


def test_reports_and_header_guards_have_clean_names(tmp_path: Path) -> None:
    names = [path.name for target in (Latex(seconds=0), Markdown(seconds=0)) for path in
             export(pendulum("double"), target, tmp_path).written]  # fmt: skip
    assert names == ["double.tex", "double.md", "double_topology.svg"]
    text = C(jacobians=False).files(Program.of(pendulum("cartpole")))["cartpole.h"]
    assert "#ifndef CARTPOLE_H\n#define CARTPOLE_H\n" in text
    assert "#ifndef CARTPOLE_HPP\n" in Cpp(jacobians=False).files(Program.of(pendulum("cartpole")))["cartpole.hpp"]


def test_outputs_are_described_in_words() -> None:
    said = {one.name: (one.description, one.unit) for one in Program.of(pendulum("p")).outputs}
    assert said == {
        "d_1": ("distance from wall to tip", "m"),
        "d_2": ("rate of the distance from wall to tip", "m/s"),
        "v_1": ("x component of the velocity of bob", "m/s"),
        "v_2": ("y component of the velocity of bob", "m/s"),
        "v_3": ("z component of the velocity of bob", "m/s"),
    }


def test_the_page_of_a_modelica_model_names_its_own_inputs() -> None:
    text = Modelica().files(Program.of(pendulum("p")))["p.mo"]
    assert "flange" not in text
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointLoad(slide, system.input("push")))
    assert "<code>cart system(push = sin(time));</code>" in Modelica().files(Program.of(mb.derive(system)))["cart.mo"]


def chain() -> mb.EquationsOfMotion:
    system = mb.System("chain", gravity=(0, 0, -9.81))
    m, length = system.parameters(m=1.0, l=1.0)
    parent: Any = system.world
    for k in range(3):
        body = system.body(f"b{k}", m, (0, 0, -length / 2), (m * length**2 / 12,) * 3)
        system.joint(f"j{k}", parent, body, "Ry" if k % 2 else "Rx", q=0.3)
        parent = body.frame(f"end{k}", (0, 0, -length))
    return mb.derive(system)


def test_reports_do_not_depend_on_what_else_is_alive() -> None:
    def report() -> str:
        return Markdown(seconds=0).files(Program.of(chain()))["chain.md"]

    first, model = report(), chain()
    alive = [one * other for one in model.acceleration for other in model.acceleration]
    assert "v_{1}" in first
    assert report() == first
    assert len(alive) == 9
