"""Springs, motors and prescribed motions, coupled to bodies; and the energy of all parts."""

from math import cos, sin

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import evaluate, free_symbols, parse, same
from multibody.subsystems import couple
from multibody.subsystems.library import elements, legs, planar, spatial

from .library_states import of_system, rates, state

G = (0, -9.81)
CLOSE = 1e-10
BODY = ("x", "y", "theta")


def test_a_spring_damper_between_two_bodies():
    places = {"A": (0.3, 0.1), "B": (-0.2, 0.4)}
    bodies = [
        planar.rigid_body("P", 1.2, 0.3, points={"A": places["A"]}, gravity=G),
        planar.rigid_body("Q", 0.9, 0.2, points={"B": places["B"]}, gravity=G),
    ]
    spring = elements.spring_damper("S", 40.0, 1.5, 0.8, force="f")
    distance = "l_S**2 = (x_A_P - x_B_Q)**2 + (y_A_P - y_B_Q)**2"
    speeds = [f"{name}_{label}_dot" for label in "PQ" for name in BODY]
    machine = couple("M", [*bodies, spring], [distance], independent=speeds)
    rng = np.random.default_rng(4)
    given = {name: float(rng.uniform(-1, 1)) for name in [*(name.removesuffix("_dot") for name in speeds), *speeds]}
    given |= {"x_Q": given["x_Q"] + 2.5}
    values = state(machine, given | {"f_S": 2.0}, {"l_S": 2.0})
    assert values["l_S"] > 0
    found = rates(machine, values)

    system = mb.System("known", gravity=(*G, 0))
    P, Q = system.body("P", 1.2, inertia=(0, 0, 0.3)), system.body("Q", 0.9, inertia=(0, 0, 0.2))
    joints = [system.joint(f"{body.name}_joint", system.world, body, ["Tx", "Ty", "Rz"]) for body in (P, Q)]
    ends = P.frame("A", (*places["A"], 0)), Q.frame("B", (*places["B"], 0))
    system.load(mb.SpringDamper(*ends, 40.0, 1.5, 0.8))
    system.load(mb.PointToPointForce(*ends, 2.0))
    names = [[one.name for joint in joints for one in getattr(joint, kind)] for kind in ("coordinates", "speeds")]
    coordinates = [given[name.removesuffix("_dot")] for name in speeds]
    known = of_system(
        system, **dict(zip(names[0], coordinates, strict=True)),
        **dict(zip(names[1], [given[name] for name in speeds], strict=True)),
    )  # fmt: skip
    assert [found[name] for name in speeds] == pytest.approx([known[name] for name in names[1]], abs=CLOSE)


def test_a_torsion_spring_holds_a_pendulum():
    swing = planar.pendulum("P", 2.0, 0.9, gravity=G)
    spring = elements.torsion_spring_damper("S", 5.0, 0.3, 0.2, torque="tau")
    machine = couple("M", [swing, spring], ["phi_S = theta_P"])
    found = rates(machine, state(machine, {"theta_P": 0.7, "theta_P_dot": -0.4, "tau_S": 1.1}))
    torque = 1.1 - 5.0 * (0.7 - 0.2) + 0.3 * 0.4 - 2.0 * 9.81 * 0.45 * sin(0.7)
    assert found["theta_P_dot"] == pytest.approx(torque / (2.0 * 0.9**2 / 3), abs=CLOSE)


MOTOR = {"inertia": 0.01, "ratio": 8.0, "constant": 0.2, "resistance": 1.5, "friction": 0.004}


@pytest.mark.parametrize("electrics", ["dynamic", "quasi-static", "none"])
def test_a_motor_drives_a_pendulum_through_its_gear(electrics):
    motor = elements.motor_with_gear("M", **MOTOR, inductance=0.05, electrics=electrics)
    machine = couple("A", [motor, planar.pendulum("P", 2.0, 0.9, gravity=G)], ["phi_M = theta_P"])
    given = {"theta_P": 0.7, "theta_P_dot": -0.4} | {
        "dynamic": {"i_M": 1.3, "U_M": 6.0}, "quasi-static": {"U_M": 6.0}, "none": {"i_M": 1.3},
    }[electrics]  # fmt: skip
    values = state(machine, given)
    found = rates(machine, values)
    rotor = 8.0 * -0.4
    current = (6.0 - 0.2 * rotor) / 1.5 if electrics == "quasi-static" else 1.3
    torque = 8.0 * (0.2 * current - 0.004 * rotor) - 2.0 * 9.81 * 0.45 * sin(0.7)
    assert found["theta_P_dot"] == pytest.approx(torque / (2.0 * 0.9**2 / 3 + 8.0**2 * 0.01), abs=CLOSE)
    assert values["theta_M"] == pytest.approx(8.0 * 0.7)
    if electrics == "dynamic":
        assert found["i_M"] == pytest.approx((6.0 - 1.5 * 1.3 - 0.2 * rotor) / 0.05, abs=CLOSE)


def test_a_motor_turns_electric_power_into_motion_and_heat():
    motor = elements.motor_with_gear("M", friction=None)
    energy = motor.energy
    known = {one.name: one for one in free_symbols(energy.parts())}
    assert same(energy.inputs, parse("U_M*i_M", known))
    assert same(energy.dissipated, parse("R_M*i_M**2 + b_M*theta_M_dot**2", known))


def test_a_pendulum_on_a_shaken_pivot():
    shaker = elements.prescribed_motion("D", "0.1*sin(omega*t)")
    rod = planar.rod("R", 2.0, 0.9, gravity=G)
    machine = couple("M", [shaker, rod], ["x_A_R", "y_A_R = s_D"])
    omega, t, theta = 7.0, 0.3, 0.4
    values = state(machine, {"theta_R": theta, "theta_R_dot": 1.0}, parameters={"omega": omega}, t=t)
    found = rates(machine, values)
    fall = 9.81 - 0.1 * omega**2 * sin(omega * t)  # gravity and the pivot's acceleration
    assert found["theta_R_dot"] == pytest.approx(-1.5 / 0.9 * fall * cos(theta), abs=CLOSE)
    assert values["s_D_dot"] == pytest.approx(0.1 * omega * cos(omega * t))


def test_a_prescribed_motion_begins_where_its_function_does():
    shaker = elements.prescribed_motion("D", "a*cos(2*t)", variable="h")
    assert {one.name: str(value) for one, value in shaker.reference.items()} == {
        "h_D": "a*cos(2*t)", "h_D_dot": "-2*a*sin(2*t)",
    }  # fmt: skip
    assert [p.name for p in shaker.parameters] == ["a"]


CONSERVATIVE = [
    planar.point_mass("P"), planar.rigid_body("P", points={"A": (None, None)}, as_variables=True), planar.rod("P"),
    planar.cart("P"), planar.pendulum("P"), planar.platform("P", 3), planar.rolling_cylinder("P", slope=None),
    planar.rolling_cylinder("P", track="circle", as_variables=True), legs.rr_leg("P"),
    legs.prr_leg("P", direction=None), legs.ups_leg("P", drive=None, spins=(None, None)), spatial.point_mass("P"),
    spatial.rod("P"), spatial.platform("P", {"A": (None, None, None)}), elements.spring_damper("P", damping=0),
]  # fmt: skip


@pytest.mark.parametrize("part", CONSERVATIVE, ids=lambda part: part.description.replace(" ", "_"))
def test_energy_stays_where_nothing_takes_or_gives(part):
    assert part.energy is not None
    assert evaluate([part.energy.inputs, part.energy.dissipated], dict.fromkeys(_symbols(part), 0.7)) == pytest.approx(
        [0, 0], abs=1e-12
    )
    assert part.description
    assert all(value is None for p in part.parameters for value in p.default.values())


def _symbols(part):
    return free_symbols([*part.energy.parts()])


def test_dampers_take_energy():
    spring = elements.spring_damper("S", force="f")
    known = {one.name: one for one in free_symbols(spring.energy.parts())}
    assert same(spring.energy.dissipated, parse("c_S*l_S_dot**2", known))
    assert same(spring.energy.inputs, parse("f_S*l_S_dot", known))
    assert same(spring.energy.potential, parse("k_S*(l_S - l0_S)**2/2", known))


def test_unknown_electrics_are_told():
    with refused("motor-electrics-invalid", "static"):
        elements.motor_with_gear("M", electrics="static")
