"""Small systems with known motions, and a way to move them with an integrator alone."""

import math

import numpy as np

import multibody as mb
from multibody.graph import sqrt
from multibody.simulation.contract import Watch
from multibody.simulation.problem.problem import Problem


def problem_of(system, q=None, u=None, signals=(), formalism=None):
    """A problem and a consistent start."""
    eom = mb.derive(system, formalism or mb.Recursive())
    problem = Problem(eom, list(eom.model.parameter_values().values()), [law(eom) for law in signals])
    start = eom.consistent(q, u)
    return problem, np.concatenate([start.q, start.u, np.zeros(3)])


def moved(integrator, system, times, q=None, u=None, watch=None, signals=()):
    """The segment from 0 to the last of the times."""
    problem, y0 = problem_of(system, q, u, signals)
    return integrator.run(problem, 0.0, y0, np.atleast_1d(np.array(times, dtype=float)), 0.0, watch or Watch())


def value(segment, system, name):
    """A coordinate or speed at the end."""
    model = system.freeze()
    names = [one.name for one in (*model.coordinates, *model.speeds)]
    return segment.last_y[names.index(name)]


def slide(mass=1.0, stiffness=1.0, damping=0.0):
    """A mass on a spring with a damper."""
    system = mb.System("slide")
    joint = system.joint("x", system.world, system.body("mass", mass=mass), "Tx", q=1.0)
    system.load(mb.JointSpring(joint, stiffness))
    if damping:
        system.load(mb.JointDamper(joint, damping))
    return system


def slide_at(t, mass, stiffness, damping):
    """Its exact position and speed after a start from 1 at rest, where it does not swing."""
    root = math.sqrt(damping**2 / 4 - mass * stiffness)
    fast, slow = (-damping / 2 - root) / mass, -stiffness / (damping / 2 + root)
    a, b = -slow / (fast - slow), fast / (fast - slow)
    return (
        a * math.exp(fast * t) + b * math.exp(slow * t),
        a * fast * math.exp(fast * t) + b * slow * math.exp(slow * t),
    )


def van_der_pol(epsilon=1e-6):
    """ε·ẍ = (1 - x²)·ẋ - x as a mass with a load."""
    system = mb.System("van_der_pol")
    joint = system.joint("x", system.world, system.body("mass", mass=epsilon), "Tx", q=2.0)
    x, v = joint.coordinate, joint.speed
    system.load(mb.JointLoad(joint, (1 - x * x) * v - x))
    return system


def governor(stiffness=1e7, damping=2e4):
    """A shaft with a hinged arm whose weight lifts a sleeve by a rod that is very stiff and strongly damped."""
    system = mb.System("governor", gravity=(0, 0, -9.81))
    shaft = system.body("shaft", 5.0, inertia=(0.1, 0.1, 0.1))
    arm = system.body("arm", 1.0, (0, 0, -0.3), (0.001, 0.001, 0.001))
    sleeve = system.body("sleeve", 2.0, inertia=(0.01, 0.01, 0.01))
    system.joint("turn", system.world, shaft, "Rz", u=12.0)
    system.joint("swing", shaft.frame("hinge", (0.05, 0, 0)), arm, "Ry", q=-0.6)
    reach = (0.05 + 0.3 * math.sin(0.6) - 0.06, 0.3 * math.cos(0.6))
    length, drop = 0.3, reach[1] + math.sqrt(0.3**2 - reach[0] ** 2)
    system.joint("lift", shaft, sleeve, "Tz", q=-drop)
    ends = arm.frame("weight", (0, 0, -0.3)), sleeve.frame("ring", (0.06, 0, 0))
    system.load(mb.Spring(*ends, stiffness=stiffness, length=length))
    system.load(mb.Damper(*ends, damping))
    return system


def mass_on_rod():
    """The simple pendulum of the La Coruña library, A01, as a point in the plane with a rod to the origin."""
    system = mb.System("mass_on_rod", gravity=(0, -9.81, 0))
    bob = system.body("bob", mass=1.0)
    system.joint("place", system.world, bob, ["Tx", "Ty"], q=(-1.0, 0.0))
    system.constraint(mb.DistanceConstraint(system.world, bob, 1.0), name="rod")
    return system


def skate(slope=0.3, turn=2.0):
    """A skate on an inclined plane that turns with a constant rate; it starts along the slope, at rest."""
    system = mb.System("skate", gravity=(9.81 * math.sin(slope), 0, -9.81 * math.cos(slope)))
    body = system.body("skate", 5.0, inertia=(0.1, 0.1, 0.1))
    system.joint("p", system.world, body, ["Tx", "Ty", "Rz"], u=(0, 0, turn))
    system.constraint(mb.KnifeEdge(system.world, body), name="blade")
    return system


def skate_at(t, slope=0.3, turn=2.0):
    """x and y of the skate: Neimark and Fufaev, Dynamics of Nonholonomic Systems, 1972."""
    size = 9.81 * math.sin(slope) / (2 * turn**2)
    return size * math.sin(turn * t) ** 2, size * (turn * t - math.sin(2 * turn * t) / 2)


def spherical_pendulum():
    """A body on a ball joint, with a quaternion."""
    system = mb.System("spherical_pendulum", gravity=(0, 0, -9.81))
    body = system.body("body", 2.0, (0, 0, -1), (0.1, 0.2, 0.3))
    half = 0.4
    start = (math.cos(half), math.sin(half), 0, 0)
    system.joint("ball", system.world, body, mb.Spherical(), q=start, u=(0.3, 1.0, 4.0))
    return system


def ball():
    """A ball that falls from one metre."""
    system = mb.System("ball", gravity=(0, 0, -9.81))
    system.joint("z", system.world, system.body("ball", mass=1.0), "Tz", q=1.0)
    return system


def falling_out_of_domain():
    """A ball with a load that exists above the ground only."""
    system = ball()
    system.load(mb.JointLoad(system["z"], 0.1 * sqrt(system["z"].coordinate)))
    return system
