"""The report of a check: counts, text, errors; and models that are fine."""

import pytest
from tests.refusal import refused

from multibody.algebra import Symmetric3
from multibody.errors import ModelError
from multibody.graph import is_zero
from multibody.model import (
    CentralGravity,
    Distance,
    Finding,
    Force,
    Free,
    Planar,
    PointToPointForce,
    Report,
    Revolute,
    Screw,
    Spherical,
    Spring,
    System,
    Velocity,
    contact,
    hydraulic_cylinder,
    motion_platform,
    tyre,
)

from ..model.samples import KINDS, frozen, proved, random_tree  # noqa: TID252


def crane():
    """The example of the design: a planar model, whose inertia no real body has."""
    system = System("crane_crab", gravity=(0, 0, -9.81))
    m1, m2, l = system.parameters(m1=10.0, m2=1.0, l=1.0)
    F = system.input("F")
    crab = system.body("crab", mass=m1)
    load = system.body("load", mass=m2, inertia=(0, m2 * l**2 / 12, 0))
    hook = load.frame("hook", (0, 0, l))
    system.joint("slide", system.world, crab, "Tx", q=1.0)
    system.joint("swing", crab, hook, "Ry", q=-1.0)
    system.load(PointToPointForce(system.world, crab, F))
    system.sensor("d", Distance(system.world, crab))
    return system


def test_the_crane_is_fine():
    report = crane().check()
    assert report.ok
    assert (report.bodies, report.joints, report.loops, report.degrees_of_freedom) == (2, 2, 0, 2)
    (warning,) = report.findings
    assert "sum of the other two" in warning.what
    report.raise_if_bad()


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_are_fine(seed):
    """But for three hinges that start with two of their axes in line."""
    report = random_tree(seed).check()
    assert [one.what for one in report.findings if "at the start" not in one.what] == []
    assert report.degrees_of_freedom == len(random_tree(seed).freeze().speeds)


def test_a_clean_report_reads_well():
    system = System("ball")
    system.joint("fly", system.world, system.body("ball", 1, inertia=(1, 1, 1)), Free())
    text = "system 'ball': 1 body, 1 joint, 0 loops, 6 degrees of freedom\nNo problems found."
    assert str(system.check()) == text


def test_a_bad_report_reads_well():
    system = System("arm")
    system.parameter("p", 1.0)
    system.joint("j", system.world, system.body("a", -1, com=(1, 0, 0)), "Rz")
    report = system.check()
    assert str(report).splitlines() == [
        "system 'arm': 1 body, 1 joint, 0 loops, 1 degree of freedom",
        "error: The mass is negative (-1). [mass-negative]",
        "  where: body 'a'",
        "  fix: Give a mass >= 0 and an inertia with principal moments >= 0.",
        "warning: Not used: p. [quantity-not-used]",
        "  where: parameters",
        "  fix: Use or remove them.",
    ]
    with refused("model-invalid") as caught:
        report.raise_if_bad()
    assert "The mass is negative" in str(caught.value)
    assert caught.value.where == "system 'arm'"


def test_an_unconnected_system_is_counted_as_far_as_possible():
    system = System("parts")
    system.body("a", 1)
    report = system.check()
    assert str(report).startswith("system 'parts': 1 body, 0 joints\nerror: No joint connects 'a'")
    assert report.loops is None
    assert report.degrees_of_freedom is None


def test_errors_come_first():
    findings = (Finding("error", "b"), Finding("warning", "a"))
    report = Report("s", 1, 1, 0, 1, findings)
    assert report.errors == findings[:1]
    assert report.warnings == findings[1:]
    assert not report.ok


# degrees of freedom of loops -----------------------------------------------------------------------------------------


def ring(kinds, name="ring"):
    """Bodies in a ring, each one metre long, closed by the last joint."""
    system = System(name)
    frame = system.world
    for k, kind in enumerate(kinds[:-1]):
        body = system.body(f"b{k}", 1, inertia=(1, 1, 1))
        system.joint(f"j{k}", frame, body, kind)
        frame = body.frame(f"end{k}", (1, 0.1 * k, 0))
    system.joint("last", frame, system.frame("far", (1, 2, 0)), kinds[-1])
    return system


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["Rz"] * 4, 1),
        (["Rz"] * 5, 2),
        (["Rz"] * 3, 0),
        (["Rz", "Rz", "Rz", "Tx"], 1),
        (["Rz", "Rz", Planar("z"), "Rz"], 3),
        ([Spherical(), Spherical(), Spherical()], 3),
        (["Rz", Spherical(), Spherical("xyz"), "Rz"], 2),
        ([Revolute((0, 0, 1)), "Rx", "Ry", "Rz", "Rx", "Ry", "Rz"], 1),
    ],
)
def test_degrees_of_freedom_of_a_loop(kinds, expected):
    report = ring(kinds).check()
    assert report.loops == 1
    assert report.degrees_of_freedom == expected


def test_a_loop_without_freedom_in_general_is_said_to_be_so():
    report = str(ring(["Rz"] * 3).check())
    assert "0 degrees of freedom in general (some loops move all the same: see analyse)" in report
    assert str(ring(["Rz"] * 4).check()).splitlines()[0].endswith("1 loop, 1 degree of freedom")


def test_a_machine_that_is_driven_has_no_freedom_beside_its_drive():
    system = System("press")
    system.joint("stroke", system.world, system.body("ram", 1), "Tz", prescribed=system.time)
    assert "0 degrees of freedom beside 1 given motion" in str(system.check())


def test_one_body_is_not_called_bodies():
    system = System("ball")
    system.joint("j", system.world, system.body("b", 1, inertia=(1, 1, 1)), "Rz")
    assert str(system.analyse()).startswith("system 'ball': 1 body\n")


@pytest.mark.parametrize("name", KINDS)
def test_what_a_joint_forbids_does_not_happen(name):
    """Where a joint belongs to the tree, its locks hold by themselves, and their wrenches do no work."""
    system = System("one")
    body = system.body("b", 1, inertia=(1, 1, 1))
    joint = system.joint("j", system.world, body, KINDS[name])
    kinematics = frozen(system)
    try:
        locks = joint.kind.locks(kinematics.pose(body))
    except ModelError:
        assert name == "stack"  # translations and rotations in turn: no equations are known for it
        return
    velocity = kinematics.velocity(body)
    assert len(locks) + len(joint.speeds) == 6
    assert all(is_zero(velocity.inner(lock.wrench)) for lock in locks)
    assert all(is_zero(lock.position) for lock in locks)
    gauges = joint.kind.gauges(kinematics.pose(body))
    assert all(is_zero(velocity.inner(g.wrench) - u) for g, u in zip(gauges, joint.speeds, strict=bool(gauges)))


def test_two_loops():
    """A four-bar linkage with a second one on its coupler."""
    system = ring(["Rz"] * 4, "double")
    arm = system.body("arm", 1, inertia=(1, 1, 1))
    rod = system.body("rod", 1, inertia=(1, 1, 1))
    system.joint("k1", system["b1"].frame("p", (0.5, 0.5, 0)), arm, "Rz")
    system.joint("k2", arm.frame("q", (1, 0, 0)), rod, "Rz")
    system.joint("k3", rod.frame("s", (1, 0, 0)), system.frame("pin", (3, 0, 0)), "Rz")
    report = system.check()
    assert (report.loops, report.degrees_of_freedom) == (2, 1)


def test_a_massless_rod_in_a_loop_is_held_by_the_others():
    """No motion of it leaves all the rest where it is; a second one, which hangs from it, is held by nothing."""
    system = System("loop")
    bodies = [system.body("a", 1, inertia=(1, 1, 1)), system.body("rod"), system.body("c", 1, inertia=(1, 1, 1))]
    frame = system.world
    for k, body in enumerate(bodies):
        system.joint(f"j{k}", frame, body, "Rz")
        frame = body.frame(f"end{k}", (1, 0, 0))
    system.joint("last", frame, system.frame("far", (1, 2, 0)), "Rz")
    assert system.check().findings == ()
    system.joint("loose", frame, system.body("tail"), "Rz")
    assert any("Nothing resists the speed loose_dot" in finding.what for finding in system.check().findings)


# what counts as used -------------------------------------------------------------------------------------------------


def test_every_place_where_a_parameter_can_be_used():
    system = System("used", gravity=(0, 0, -1))
    names = ["m", "c", "i", "g", "x", "e", "h", "k", "l", "a", "s", "y"]
    p = {name: system.parameter(name, 1.0 + n) for n, name in enumerate(names)}
    system.parameter("base", 2.0)
    system.parameter("derived", 3 * system["base"].symbols)
    system.gravity = (0, 0, -p["g"])
    one = system.body("one", p["m"], (p["c"], 0, 0), (p["i"], p["i"], p["i"]))
    two = system.body("two", system["derived"].symbols, inertia=(1, 1, 1))
    system.joint("j", system.frame("f", (p["x"], 0, 0)), one, Screw((p["e"], 1, 0), p["h"]))
    system.joint("k1", one, two, "Rz", prescribed=p["a"] * system.time)
    system.load(Spring(system.world, two.frame("tip", (1, p["y"], 0)), p["k"], p["l"]))
    system.expression("out", p["s"] + 1)
    assert system.check().warnings == ()


def test_gravity_fields_beside_no_gravity_are_fine():
    system = System("orbit", gravity=(0, 0, 0))
    system.joint("fly", system.world, system.body("moon", 1, inertia=(1, 1, 1)), Free())
    system.load(CentralGravity(4e14, system.world))
    assert system.check().findings == ()


# couplings -----------------------------------------------------------------------------------------------------------


def vehicle():
    system = System("vehicle")
    chassis = system.body("chassis", 100, inertia=(1, 2, 2))
    wheel = system.body("wheel", 10, inertia=(1, 1, 1))
    system.joint("drive", system.world, chassis, Free())
    hub = chassis.frame("hub", (1, 0, -0.3))
    system.joint("spin", hub, wheel, "Ry")
    return system, hub, wheel


def test_names_of_a_contact():
    system, _, wheel = vehicle()
    force, torque = contact(system, "c", wheel)
    assert list(system.sensors) == ["r_c", "T_c", "v_c", "om_c"]
    assert list(system.loads) == ["CmpForce_c", "CmpTorque_c"]
    assert [s.name for s in (*force, *torque)] == ["F_c_1", "F_c_2", "F_c_3", "M_c_1", "M_c_2", "M_c_3"]
    assert system.check().findings == ()
    kinematics = frozen(system)
    (applied,) = system.loads["CmpForce_c"].forces(kinematics)
    assert proved(kinematics.pose(wheel).vector_to_parent(applied.force.resultant), list(force))
    (applied,) = system.loads["CmpTorque_c"].forces(kinematics)
    assert proved(kinematics.pose(wheel).vector_to_parent(applied.force.moment), list(torque))


def test_names_of_a_tyre():
    """As PyMbs: seen from the carrier, acting on the rim; T leads from the world to the carrier."""
    system, hub, wheel = vehicle()
    force, _ = tyre(system, "front", hub, wheel)
    assert list(system.sensors) == ["r_front", "T_front", "v_front", "om_front"]
    kinematics = frozen(system)
    (applied,) = system.loads["CmpForce_front"].forces(kinematics)
    assert applied.frame is wheel
    assert proved(kinematics.pose(wheel, hub).vector_to_parent(applied.force.resultant), list(force))
    assert proved(system.sensors["T_front"].measure(kinematics), kinematics.pose(hub).rotation.to_matrix().to_array().T)
    assert proved(system.sensors["v_front"].measure(kinematics), kinematics.velocity(hub).moment)
    assert proved(system.sensors["om_front"].measure(kinematics), kinematics.velocity(hub).resultant)


def test_names_of_a_cylinder():
    system, _, wheel = vehicle()
    force = hydraulic_cylinder(system, "lift", system.world, wheel)
    assert force.name == "F_lift"
    assert list(system.sensors) == ["d_lift"]
    assert system.sensors["d_lift"].shape == (2,)
    assert list(system.loads) == ["PtPForce_lift"]
    assert system.check().findings == ()


def test_names_of_a_motion_platform():
    system, hub, _ = vehicle()
    motion_platform(system, hub)
    assert list(system.sensors) == ["r_BWS", "T_BWS", "v_BWS", "om_BWS", "a_BWS", "dom_BWS"]
    kinematics = frozen(system)
    angular, linear = kinematics.acceleration(hub)
    assert proved(system.sensors["a_BWS"].measure(kinematics), linear)
    assert proved(system.sensors["dom_BWS"].measure(kinematics), angular)
    assert system.check().findings == ()


def test_expressions_become_outputs():
    system, _, wheel = vehicle()
    system.sensor("v", Velocity(wheel))
    drag = system.expression("drag", [-3 * v for v in system.measured("v")], unit="N")
    system.load(Force(wheel, drag, expressed_in=system.world))
    assert system.check().findings == ()
    kinematics = frozen(system)
    v = system.sensors["v"].measure(kinematics)
    assert proved(kinematics.model.sensors["drag"].measure(kinematics), [-3 * part for part in v])


def test_all_kinds_of_joints_can_be_checked():
    for name, kind in KINDS.items():
        system = System("kind")
        system.joint("j", system.world, system.body("b", 1, inertia=Symmetric3.diagonal(1, 1, 1)), kind)
        found = [one.what for one in system.check().findings]
        assert found == (
            ["Nothing resists a motion of j_rx1_dot and j_rx2_dot at the start."] if name == "stack" else []
        )
