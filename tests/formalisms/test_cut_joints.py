"""Joints that close loops: the same mechanism, whichever joint is cut."""

import numpy as np

import multibody as mb


def test_a_load_on_a_joint_that_closes_a_loop_acts_on_both_of_its_frames():
    """Two four-bars that differ in the joint that is cut accelerate alike, with loads in all joints."""
    accelerations = []
    angles: dict[str, float] = {}
    for cut in "cba":
        system = mb.System("loop", gravity=(0, -9.81, 0))
        one, two = system.body("one", 1, (0.4, 0.1, 0), (1, 1, 1)), system.body("two", 2, (0.5, 0, 0), (1, 1, 1))
        three = system.body("three", 1.5, (0.3, 0, 0), (1, 1, 1))
        joints = [
            system.joint("a", system.world, one, "Rz", cut=cut == "a" or None),
            system.joint("b", one.frame("end", (1, 0, 0)), two, "Rz", cut=cut == "b" or None),
            system.joint(
                "c", two.frame("tip", (2, 0, 0)), three.frame("top", (1.5, 0, 0)), "Rz", cut=cut == "c" or None
            ),
            system.joint("d", system.frame("far", (2, 0, 0)), three, "Rz"),
        ]
        for joint in joints:
            system.load(mb.JointDamper(joint, 0.3))
        system.load(mb.JointSpring(joints[1], 5.0, 0.2))
        system.load(mb.JointLoad(joints[2], 2.0))
        for k, body in enumerate((one, two, three)):
            system.sensor(f"w{k}", mb.AngularAcceleration(body))
        eom = mb.derive(system, mb.Recursive(), constraints=mb.Multipliers())
        state = eom.consistent(q={name: q for name, q in angles.items() if name != cut}, u={"d_dot": 0.7})
        angles = angles or {
            "a": state["a"],
            "b": state["b"],
            "c": state["d"] - state["a"] - state["b"],
            "d": state["d"],
        }
        accelerations.append([eom.sensors(0.0, state.q, state.u, [], [])[k][2] for k in range(3)])
    np.testing.assert_allclose(accelerations[0], accelerations[1], rtol=1e-9)
    np.testing.assert_allclose(accelerations[0], accelerations[2], rtol=1e-9)


def test_speeds_of_a_ball_joint_that_closes_a_loop_can_be_damped_and_driven():
    """A ball on a post: as a joint of the tree, and as one that closes a loop around a body in flight."""
    turned = mb.Rotation.exp((0.3, -0.5, 0.7))
    q, u = (0.8, 0.36, 0.48, 0.0), (0.4, -0.9, 1.3)

    def rates(cut):
        system = mb.System("ball", gravity=(1.0, 2.0, -9.81))
        bob = system.body("bob", 2.0, (0.1, 0.2, -0.5), (0.3, 0.4, 0.5))
        ball = system.joint("ball", system.frame("post", rotation=turned), bob, mb.Spherical(), cut=cut)
        system.load(mb.JointDamper(ball, [0.7, 0.8, 0.9]))
        system.load(mb.JointLoad(ball, [1.0, -2.0, 3.0]))
        if not cut:
            return mb.derive(system).forward_dynamics(0.0, q, u, [], [])
        system.joint("fly", system.frame("same", rotation=turned), bob, mb.Free())
        return mb.derive(system).forward_dynamics(0.0, (0, 0, 0, *q), (*u, 0, 0, 0), [], [])[:3]

    np.testing.assert_allclose(rates(True), rates(None), rtol=1e-12)
