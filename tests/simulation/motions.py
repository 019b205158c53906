"""Problems whose motion is known, for integrators to move."""

import math

import numpy as np
from scipy.special import ellipj, ellipk

import multibody as mb
from multibody.simulation.contract import Watch
from multibody.simulation.problem.problem import Problem


def start(eom, signals=()):
    """A problem, and the state where its model starts."""
    begin = eom.consistent()
    problem = Problem(eom, list(eom.model.parameter_values().values()), signals)
    return problem, np.concatenate([begin.q, begin.u, np.zeros(3)])


def move(integrator, problem, y0, times, watch=None, t0=0.0, step=0.0):
    """A segment."""
    return integrator.run(problem, t0, y0, np.atleast_1d(np.asarray(times, dtype=float)), step, watch or Watch())


def on_a_rail(force, x=0.0, v=0.0, mass=1.0):
    """A mass on a rail with a force of (t, x, v), so that ẍ is anything one likes."""
    system = mb.System("rail")
    joint = system.joint("x", system.world, system.body("mass", mass=mass), "Tx", q=x, u=v)
    system.load(mb.JointLoad(joint, force(system.time, joint.coordinate, joint.speed)))
    return mb.derive(system)


def oscillator():
    """ẍ = -x from x = 1: x = cos t."""
    return on_a_rail(lambda t, x, v: -x, x=1.0)


def pendulum():
    """A01 of the IFToMM library: a point mass on a massless rod of 1 m, from the horizontal."""
    system = mb.System("pendulum", gravity=(0, -9.81, 0))
    bob = system.body("bob", mass=1.0, com=(0, -1, 0))
    system.joint("angle", system.world, bob, "Rz", q=-math.pi / 2)
    return mb.derive(system)


def pendulum_at(t):
    """Exact (x, y) of A01: sin(θ/2) = k·sn(K - √(g/L)·t), k = sin(π/4)."""
    sn = ellipj(ellipk(0.5) - math.sqrt(9.81) * np.asarray(t), 0.5)[0]
    angle = 2 * np.arcsin(math.sin(math.pi / 4) * sn)
    return -np.sin(angle), -np.cos(angle)


def double_pendulum():
    """Two uniform rods of 1 m, from the horizontal: chaos."""
    system = mb.System("double_pendulum", gravity=(0, -9.81, 0))
    parent = system.world
    for k, angle in enumerate((0.0, 1.0)):
        rod = system.body(f"rod{k}", 1.0, (0.5, 0, 0), mb.diag(0, 1 / 12, 1 / 12))
        system.joint(f"joint{k}", parent, rod, "Rz", q=angle)
        parent = rod.frame(f"end{k}", (1, 0, 0))
    return mb.derive(system)


def four_bars(count):
    """A02 of the IFToMM library: verticals on the ground, joined by horizontals; one degree of freedom."""
    system = mb.System("four_bars", gravity=(0, -9.81, 0))

    def bar(name):
        return system.body(name, 1.0, (0.5, 0, 0), (0, 0, 1 / 12))

    verticals = [bar(f"vertical{k}") for k in range(count + 1)]
    for k, one in enumerate(verticals):
        ground = system.frame(f"ground{k}", (k, 0, 0)) if k else system.world
        system.joint(f"foot{k}", ground, one, "Rz", q=math.pi / 2, u=-1.0)
    for k in range(count):
        across, left, right = bar(f"across{k}"), verticals[k], verticals[k + 1]
        system.joint(f"left{k}", left.frame(f"top{k}", (1, 0, 0)), across, "Rz", q=-math.pi / 2, u=1.0)
        system.joint(f"right{k}", across.frame(f"end{k}", (1, 0, 0)), right.frame(f"tip{k}", (1, 0, 0)), "Rz")
    return mb.derive(system)


def swing(length=lambda t: 1.0):
    """A point on a rope of 1 m in rectangular coordinates, from the horizontal."""
    system = mb.System("swing", gravity=(0, -9.81, 0))
    seat = system.body("seat", mass=1.0)
    system.joint("place", system.world, seat, ["Tx", "Ty"], q=[-1.0, 0.0])
    system.constraint(mb.DistanceConstraint(system.world, seat, length=length(system.time)), name="rope")
    return mb.derive(system)


def ball(height=1.0, gravity=9.81):
    """A ball above the ground."""
    system = mb.System("ball", gravity=(0, 0, -gravity))
    system.joint("z", system.world, system.body("ball", mass=1.0), "Tz", q=height)
    return mb.derive(system)
