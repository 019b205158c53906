"""Legs against the same chains built with ``System``, free and under a platform."""

from math import cos, pi, sin

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.subsystems import couple
from multibody.subsystems.library import legs, planar

from .library_states import of_system, rates, state

G = (0.6, -9.81)
CLOSE = 1e-10
LINKS = {"lengths": (0.5, 0.7), "masses": (1.2, 0.8), "centres": (0.2, 0.3), "inertias": (0.04, 0.05)}


def numbers(seed, count):
    return [float(one) for one in np.random.default_rng(seed).uniform(-1.2, 1.2, count)]


def two_links(system, start, prefix="", links=LINKS):
    """The chain of an RR leg on a frame, and the frame at its end."""
    frame = start
    for k, (l, m, c, I) in enumerate(zip(*links.values(), strict=True), 1):
        body = system.body(f"{prefix}link_{k}", m, (c, 0, 0), (0, 0, I))
        system.joint(f"{prefix}theta_{k}", frame, body, "Rz")
        frame = body.frame(f"{prefix}end_{k}", (l, 0, 0))
    return frame


@pytest.mark.parametrize("independent", ["joints", "end"])
@pytest.mark.parametrize("seed", range(3))
def test_rr_leg(independent, seed):
    leg = legs.rr_leg("L", **LINKS, base=(0.1, 0.2), gravity=G, drive="tau", independent=independent)
    a, b, da, db, tau = numbers(seed, 5)
    values = state(leg, {"theta_1_L": a, "theta_2_L": b, "theta_1_L_dot": da, "theta_2_L_dot": db, "tau_L": tau})
    found = rates(leg, values)
    system = mb.System("known", gravity=(*G, 0))
    two_links(system, system.world)
    system.load(mb.JointLoad(system["theta_1"], system.input("tau")))
    known = of_system(system, theta_1=a, theta_2=b, theta_1_dot=da, theta_2_dot=db, tau=tau)
    assert found["theta_1_L_dot"] == pytest.approx(known["theta_1_dot"], abs=CLOSE)
    assert found["theta_2_L_dot"] == pytest.approx(known["theta_2_dot"], abs=CLOSE)
    assert values["x_E_L"] == pytest.approx(0.1 + 0.5 * cos(a) + 0.7 * cos(a + b))
    assert values["y_E_L_dot"] == pytest.approx(0.5 * da * cos(a) + 0.7 * (da + db) * cos(a + b))


@pytest.mark.parametrize("independent", ["joints", ("s", "x_E", "y_E"), ("theta_1", "x_E", "y_E")])
@pytest.mark.parametrize("seed", range(2))
def test_prr_leg(independent, seed):
    leg = legs.prr_leg("L", **LINKS, slider=0.9, direction=0.3, gravity=G, drive="F", independent=independent)
    s, a, b, ds, da, db, F = numbers(seed, 7)
    known = {"s_L": s, "theta_1_L": a, "theta_2_L": b, "s_L_dot": ds, "theta_1_L_dot": da, "theta_2_L_dot": db}
    found = rates(leg, state(leg, known | {"F_L": F}))
    system = mb.System("known", gravity=(*G, 0))
    slider = system.body("slider", 0.9)
    turned = mb.Rotation.about_z(0.3)
    rail = system.world.frame("rail", (0, 0, 0), turned)
    push = system.joint("s", rail, slider, "Tx")
    two_links(system, slider.frame("back", (0, 0, 0), turned.inverse()))
    system.load(mb.JointLoad(push, system.input("F")))
    given = {"s": s, "theta_1": a, "theta_2": b, "s_dot": ds, "theta_1_dot": da, "theta_2_dot": db, "F": F}
    expected = of_system(system, **given)
    for name in ("s", "theta_1", "theta_2"):
        assert found[f"{name}_L_dot"] == pytest.approx(expected[f"{name}_dot"], abs=CLOSE)


@pytest.mark.parametrize("independent", ["joints", "end"])
@pytest.mark.parametrize("seed", range(3))
def test_ups_leg(independent, seed):
    data = {"masses": (1.2, 0.8), "centres": (0.2, 0.3), "inertias": (0.04, 0.05), "spins": (0.01, 0.02)}
    gravity = (0.5, -1.0, -9.5)
    leg = legs.ups_leg("L", **data, base=(0.1, 0.2, 0.3), heading=0.7, gravity=gravity, independent=independent)
    a, b, ds, da, db, f = numbers(seed, 6)
    s = 1.1
    given = {"alpha_L": a, "beta_L": b, "s_L": s, "alpha_L_dot": da, "beta_L_dot": db, "s_L_dot": ds, "f_L": f}
    values = state(leg, given)
    found = rates(leg, values)
    system = mb.System("known", gravity=gravity)
    tube = system.body("tube", 1.2, (0, 0, 0.2), (0.04, 0.04, 0.01))
    piston = system.body("piston", 0.8, (0, 0, -0.3), (0.05, 0.05, 0.02))
    base = system.world.frame("base", (0.1, 0.2, 0.3), mb.Rotation.about_z(0.7))
    system.joint("turn", base, tube, ["Rx", "Ry"])
    system.load(mb.JointLoad(system.joint("s", tube, piston, "Tz"), system.input("f")))
    eom = mb.derive(system)
    names = [one.name for one in eom.coordinates]
    turns, rates_ = [n for n in names if n != "s"], [one.name for one in eom.speeds if one.name != "s_dot"]
    known = of_system(
        system, **dict(zip(turns, (a, b), strict=True)), **dict(zip(rates_, (da, db), strict=True)), s=s, s_dot=ds, f=f
    )
    assert found["alpha_L_dot"] == pytest.approx(known[rates_[0]], abs=CLOSE)
    assert found["beta_L_dot"] == pytest.approx(known[rates_[1]], abs=CLOSE)
    assert found["s_L_dot"] == pytest.approx(known["s_dot"], abs=CLOSE)
    place = mb.Rotation.about_z(0.7) @ mb.Rotation.about_x(a) @ mb.Rotation.about_y(b) @ mb.Vec3(0, 0, s)
    end = [values[f"{axis}_E_L"] for axis in "xyz"]
    assert end == pytest.approx([0.1 + place[0], 0.2 + place[1], 0.3 + place[2]])


BASES = [(0.9 * cos(2 * pi * k / 3 + 0.2), 0.9 * sin(2 * pi * k / 3 + 0.2)) for k in range(3)]


def robot(independent, as_variables):
    """A 3-RRR robot, from three legs and a platform."""
    feet = [
        legs.rr_leg(f"L{k}", **LINKS, base=base, gravity=G, drive="tau", independent=independent)
        for k, base in enumerate(BASES, 1)
    ]
    table = planar.platform("P", 3, 1.5, 0.2, radius=0.3, gravity=G, as_variables=as_variables)
    pins = [f"{axis}_E_L{k} = {axis}_{k}_P" for k in (1, 2, 3) for axis in "xy"]
    return couple("robot", [*feet, table], pins, independent="x_P_dot y_P_dot theta_P_dot")


def robot_as_system():
    """The same, with two loops that are cut."""
    system = mb.System("known", gravity=(*G, 0))
    table = system.body("table", 1.5, (0, 0, 0), (0, 0, 0.2))
    for k, base in enumerate(BASES, 1):
        end = two_links(system, system.world.frame(f"base_{k}", (*base, 0)), f"leg_{k}_")
        angle = 2 * pi * (k - 1) / 3
        pin = table.frame(f"pin_{k}", (0.3 * cos(angle), 0.3 * sin(angle), 0))
        system.joint(f"pin_{k}_joint", end, pin, "Rz", cut=k > 1)
        system.load(mb.JointLoad(system[f"leg_{k}_theta_1"], system.input(f"tau_{k}")))
    return system


@pytest.mark.parametrize(("independent", "as_variables"), [("joints", False), ("end", False), ("end", True)])
def test_three_legs_and_a_platform_are_a_3_rrr_robot(independent, as_variables):
    machine = robot(independent, as_variables)
    given = {"x_P": 0.05, "y_P": -0.04, "theta_P": 0.3, "x_P_dot": 0.4, "y_P_dot": -0.3, "theta_P_dot": 0.8}
    torques = {1: 0.7, 2: -0.4, 3: 1.1}
    guess = {f"theta_1_L{k}": 2 * pi * (k - 1) / 3 + 0.2 + pi - 0.9 for k in (1, 2, 3)}
    guess |= {f"theta_2_L{k}": 1.8 for k in (1, 2, 3)}
    values = state(machine, given | {f"tau_L{k}": tau for k, tau in torques.items()}, guess)
    found = rates(machine, values)

    known = {f"tau_{k}": tau for k, tau in torques.items()}
    for k in (1, 2, 3):
        for joint in (1, 2):
            known[f"leg_{k}_theta_{joint}"] = values[f"theta_{joint}_L{k}"]
            known[f"leg_{k}_theta_{joint}_dot"] = values[f"theta_{joint}_L{k}_dot"]
    known["pin_1_joint"] = 0.3 - values["theta_1_L1"] - values["theta_2_L1"]
    known["pin_1_joint_dot"] = 0.8 - values["theta_1_L1_dot"] - values["theta_2_L1_dot"]
    expected = of_system(robot_as_system(), **known)
    for k in (1, 2, 3):
        for joint in (1, 2):
            assert found[f"theta_{joint}_L{k}_dot"] == pytest.approx(expected[f"leg_{k}_theta_{joint}_dot"], abs=CLOSE)
    turned = sum(expected[f"{name}_dot"] for name in ("leg_1_theta_1", "leg_1_theta_2", "pin_1_joint"))
    assert found["theta_P_dot"] == pytest.approx(turned, abs=CLOSE)


@pytest.mark.parametrize(
    ("wrong", "code", "named"),
    [
        (lambda: legs.rr_leg("L", independent="ends"), "independent-variables-invalid", "'ends'"),
        (lambda: legs.prr_leg("L", independent="end"), "independent-variables-invalid", "'end'"),
        (lambda: legs.rr_leg("L", lengths=(1, -2)), "quantity-negative", "'l_2_L'"),
        (lambda: legs.prr_leg("L", independent=("s", "x_E", "z_E")), "variable-unknown", "'z_E_L_dot'"),
    ],
)
def test_what_cannot_be_is_told(wrong, code, named):
    with refused(code, named):
        wrong()
