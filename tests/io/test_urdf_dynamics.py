"""Damping, friction and efforts of a URDF file act: against closed forms, MuJoCo and Pinocchio."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.io import read_urdf

from .against_pinocchio import ROBOTS, Pair
from .samples import arm, joint, link, robot

ARM = robot(
    link("base"), link("column"), link("upper"), link("fore"),
    joint("turn", "base", "column", "continuous", '<axis xyz="0 0 1"/><dynamics damping="0.7" friction="0.4"/>'),
    joint("lift", "column", "upper", "prismatic",
          '<origin xyz="0 0 0.4"/><axis xyz="0 1 0.2"/><limit lower="-9" upper="9" effort="40" velocity="3"/>'
          '<dynamics damping="3" friction="2"/>'),
    joint("elbow", "upper", "fore", "revolute",
          '<origin xyz="0.4 0 0"/><axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="20" velocity="3"/>'
          '<dynamics damping="0.5"/>'),
)  # fmt: skip
START = {"turn_dot": 4.0, "lift_dot": 2.0, "elbow_dot": 1.0}
MUJOCO = [1.720011961, 1.273770117, 0.735461156]
"""Coordinates after 0.5 s from ``START`` by MuJoCo 4.0.0: Runge-Kutta, steps of 0.1 ms, no limits, no contacts."""


def test_damping_lets_a_speed_decay_as_the_exponential() -> None:
    """2 kg on a level slide with 3 N·s/m: v = exp(-3 t/2)."""
    system = read_urdf(arm('<axis xyz="1 0 0"/><dynamics damping="3"/>', "prismatic")).system
    run = mb.simulate(mb.derive(system), 2.0, u={"q_dot": 1.0}, integrator=mb.DormandPrince8(rtol=1e-11))
    np.testing.assert_allclose(run["q_dot"], np.exp(-1.5 * run.t), rtol=1e-9)


def test_friction_stops_a_slide_and_holds_it() -> None:
    """2 kg at 1 m/s against 4 N: it stops after 0.5 s and 0.25 m, and 3 N do not move it but by creeping."""
    text = arm('<axis xyz="1 0 0"/><dynamics friction="4"/>', "prismatic")
    found = read_urdf(text, drive=True)
    eom = mb.derive(found.system)
    np.testing.assert_allclose(eom.forward_dynamics(0.0, [0.0], [0.5], [0.0], []), [-2.0], rtol=1e-14)
    np.testing.assert_allclose(eom.forward_dynamics(0.0, [0.0], [-0.5], [0.0], []), [2.0], rtol=1e-14)
    run = mb.simulate(eom, 1.0, u={"q_dot": 1.0})
    assert run["q"][-1] == pytest.approx(0.25, abs=2e-3)
    pushed = mb.simulate(eom, 5.0, inputs={"q_effort": 3.0})
    assert pushed["q_dot"][-1] == pytest.approx(1e-3 * math.atanh(0.75), rel=1e-6)  # creeping by the smoothing speed
    finer = mb.simulate(mb.derive(read_urdf(text, drive=True, smoothing=1e-5).system), 5.0, inputs={"q_effort": 3.0})
    assert finer["q_dot"][-1] == pytest.approx(1e-5 * math.atanh(0.75), rel=1e-4)


def mujoco_model(text: str) -> tuple[Any, Any]:
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(text.replace('<?xml version="1.0"?>', ""))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.opt.tolerance, model.opt.iterations = 0.0, 200
    return mujoco, model


def test_accelerations_are_those_of_mujoco() -> None:
    mujoco, theirs = mujoco_model(ARM)
    np.testing.assert_allclose(theirs.dof_damping, [0.7, 3.0, 0.5])
    np.testing.assert_allclose(theirs.dof_frictionloss, [0.4, 2.0, 0.0])
    eom = mb.derive(read_urdf(ARM).system)
    assert [q.name for q in eom.coordinates] == ["turn", "lift", "elbow"]
    data, random = mujoco.MjData(theirs), np.random.default_rng(1)
    for _ in range(20):
        data.qpos[:] = random.uniform(-1, 1, 3)
        data.qvel[:] = random.uniform(1.0, 2.0, 3) * random.choice([-1, 1], 3)
        mujoco.mj_forward(theirs, data)
        ours = eom.forward_dynamics(0.0, data.qpos, data.qvel, [], [])
        np.testing.assert_allclose(ours, data.qacc, rtol=1e-7, atol=1e-7)


def test_the_numbers_of_mujoco() -> None:
    mujoco, theirs = mujoco_model(ARM)
    theirs.opt.timestep, theirs.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(theirs)
    data.qvel[:] = list(START.values())
    while data.time < 0.5 - 1e-9:
        mujoco.mj_step(theirs, data)
    np.testing.assert_allclose(data.qpos, MUJOCO, atol=1e-8)


def test_a_run_ends_at_the_numbers_of_mujoco() -> None:
    run = mb.simulate(mb.derive(read_urdf(ARM).system), 0.5, u=START)
    np.testing.assert_allclose(run.q[-1], MUJOCO, atol=2e-5)
    without = mb.simulate(mb.derive(read_urdf(ARM, dynamics="ignore").system), 0.5, u=START)
    assert np.abs(without.q[-1] - MUJOCO).max() > 0.1  # the comparison would notice


@pytest.mark.parametrize("file", ["panda_description/urdf/panda.urdf", "z1_description/urdf/z1.urdf"])
def test_a_real_robot_with_damping_and_friction_as_torques_of_pinocchio(file: str) -> None:
    pair = Pair(file, floating=False)
    whole = read_urdf(ROBOTS / file)
    eom = mb.derive(whole.system, mb.Recursive())
    q, u, _ = pair.state(3)
    u = np.copysign(0.2 + np.abs(u), u)
    torque, v = np.zeros((2, pair.pin.nv))
    v[pair.u_theirs] = u[pair.u_ours]
    for name in whole.joints:
        k = pair.pin.joints[pair.pin.getJointId(whole.originals[name])].idx_v
        torque[k] = -whole.damping.get(name, 0.0) * v[k] - whole.friction.get(name, 0.0) * np.sign(v[k])
    assert np.abs(torque).max() > 0
    theirs = pin.aba(pair.pin, pair.data, pair._configuration(q), v, torque)
    ours = eom.forward_dynamics(0.0, q, u, [], [])
    np.testing.assert_allclose(ours[pair.u_ours], theirs[pair.u_theirs], rtol=1e-9, atol=1e-9)


def test_numbers_as_parameters_include_damping_and_friction() -> None:
    found = read_urdf(ARM, numbers="parameters")
    eom = mb.derive(found.system)
    values = {one.name: value for one, value in eom.model.parameter_values().items()}
    assert (values["turn_damping"], values["lift_friction"], values["elbow_damping"]) == (0.7, 2.0, 0.5)
    assert "elbow_friction" not in values
    state = [0.1, 0.2, 0.3], [1.0, -1.0, 1.0]
    same = mb.derive(read_urdf(ARM).system).forward_dynamics(0.0, *state, [], [])
    np.testing.assert_allclose(eom.forward_dynamics(0.0, *state, [], list(values.values())), same, rtol=1e-12)


def test_damping_of_joints_that_follow_acts_on_the_leader() -> None:
    """Two fingers of 2 kg each, the second at twice the speed: (2 + 4·2) a = -(1 + 4·3) v."""
    text = robot(
        link("palm", ""), link("a"), link("b"),
        joint("lead", "palm", "a", "prismatic", '<dynamics damping="1"/>'),
        joint("follow", "palm", "b", "prismatic", '<dynamics damping="3"/><mimic joint="lead" multiplier="2"/>'),
    )  # fmt: skip
    eom = mb.derive(read_urdf(text, mimic="couple").system)
    np.testing.assert_allclose(eom.forward_dynamics(0.0, [0.0], [1.0], [], []), [-13 / 10], rtol=1e-12)


@pytest.mark.parametrize("what", ["damping", "friction"])
def test_negative_values_are_refused_where_they_would_act(what: str) -> None:
    text = arm(f'<dynamics {what}="-0.5"/>')
    with refused("joint-dynamics-negative", what) as error:
        read_urdf(text)
    assert error.value.fields == {"name": "q", "value": -0.5}
    assert 'dynamics="ignore"' in error.value.remedy
    assert getattr(read_urdf(text, dynamics="ignore"), what) == {"q": -0.5}
    assert read_urdf(text, locked=["q"]).joints == ()


# efforts ---------------------------------------------------------------------------------------------------------


def test_efforts_drive_joints_within_their_limits() -> None:
    found = read_urdf(ARM, drive=True)
    assert {name: one.name for name, one in found.efforts.items()} == {
        "turn": "turn_effort", "lift": "lift_effort", "elbow": "elbow_effort"
    }  # fmt: skip
    eom = mb.derive(found.system)
    assert {one.name: limits for one, limits in eom.model.input_limits.items()} == {
        "lift_effort": (-40.0, 40.0), "elbow_effort": (-20.0, 20.0)
    }  # fmt: skip
    state = [0.1, 0.2, 0.3], [1.0, -1.0, 1.0]
    difference = eom.forward_dynamics(0.0, *state, [1.0, 2.0, 3.0], []) - eom.forward_dynamics(
        0.0, *state, [0.0] * 3, []
    )
    np.testing.assert_allclose(eom.mass_matrix(0.0, *state, [0.0] * 3, []) @ difference, [1, 2, 3], rtol=1e-10)
    run = mb.simulate(eom, 0.1, inputs={"elbow_effort": 100.0, "turn_effort": 100.0})
    assert (run["elbow_effort"].max(), run["turn_effort"].max()) == (20.0, 100.0)
    assert [one.input for one in run.saturations] == ["elbow_effort"]


def test_some_joints_are_driven() -> None:
    assert list(read_urdf(ARM, drive="elbow").efforts) == ["elbow"]
    assert list(read_urdf(ARM, drive=["elbow", "turn"]).efforts) == ["turn", "elbow"]
    assert read_urdf(ARM).efforts == {}
    with refused("joint-not-drivable", "elbw") as error:
        read_urdf(ARM, drive=["elbw"])
    assert "Did you mean 'elbow'?" in str(error.value)
    with refused("joint-not-drivable", "q"):
        read_urdf(arm(kind="planar"), drive="q")
    with refused("option-unknown", "yes"):
        read_urdf(ARM, dynamics="yes")


def test_followers_are_driven_only_where_they_are_independent() -> None:
    text = robot(link("palm", ""), link("a"), link("b"), joint("lead", "palm", "a"),
                 joint("follow", "palm", "b", "continuous", '<mimic joint="lead"/>'))  # fmt: skip
    assert list(read_urdf(text, drive=True, mimic="couple").efforts) == ["lead"]
    assert list(read_urdf(text, drive=True).efforts) == ["lead", "follow"]


# the log ---------------------------------------------------------------------------------------------------------


def test_one_message_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "multibody"):
        read_urdf(ARM)
    (record,) = caplog.records
    assert record.getMessage() == (
        "robot 'sample': kept, but without effect on the motion: joint/limit@lower (2), joint/limit@upper (2), "
        "joint/limit@velocity (2), joint/limit@effort (2). For all places, print(robot.report), or run: "
        "multibody check FILE."
    )
    caplog.clear()
    with caplog.at_level(logging.WARNING, "multibody"):
        read_urdf(robot(link("base"), link("tip"), joint("q", "base", "tip")))
    assert not caplog.records


def test_the_log_says_what_was_odd_and_guessed(caplog: pytest.LogCaptureFixture) -> None:
    """An axis that is zero, and a coupling with a joint that is not there: the motion depends on the guess."""
    for inside, said in (
        ('<axis xyz="0 0 0"/>', "odd: The axis of joint 'q' is zero; the x axis is taken."),
        ('<axis xyz="0 0 0"/><mimic joint="p"/>', "(and 1 more in robot.messages)"),
    ):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "multibody"):
            found = read_urdf(arm(inside, "continuous"))
        (record,) = caplog.records
        assert said in record.getMessage(), found.messages
    caplog.clear()
    with caplog.at_level(logging.WARNING, "multibody"):
        assert read_urdf(arm('<axis xyz="0 0 2"/>', "continuous")).messages
    assert not caplog.records
