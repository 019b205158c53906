"""Runs to look at: systems integrated by SciPy, independently of our own integrators."""

import math

import numpy as np
from scipy.integrate import solve_ivp

import multibody as mb
from multibody.graph import sin
from multibody.simulation.events.active_branches import Modes
from multibody.simulation.problem.problem import Problem
from multibody.simulation.results.statistics import Counts
from multibody.simulation.results.trajectory import Trajectory


def moved(system, duration=2.0, follow=None, samples=101, formalism=None):
    """A system after SciPy's DOP853 has moved it.

    Args:
        system: what moves.
        duration: in seconds.
        follow: a function of time that gives the expressions of all inputs by name.
        samples: how many to keep.
        formalism: how to derive the equations of a system.
    """
    eom = mb.derive(system, *([formalism] if formalism else []))
    values = eom.model.parameter_values()
    p = [values[one] for one in eom.parameters]
    laws = follow(eom.model.time) if follow else {}
    inputs = {one: laws[one.name] for one in eom.inputs}
    problem = Problem(eom, p, inputs=inputs)
    start = eom.consistent()
    y0 = np.concatenate([start.q, start.u, np.zeros(3)])
    Modes(problem, 0.0, duration).begin(0.0, y0, anew=True)  # no branch changes in these runs
    t = np.linspace(0, duration, samples)
    found = solve_ivp(problem.evaluate, (0, duration), y0, "DOP853", t, rtol=1e-11, atol=1e-12)
    assert found.success, found.message
    y = found.y.T
    q, u = y[:, : problem.n], y[:, problem.n : -3]
    laws_at = eom.function("laws", {"values": list(inputs.values())})
    r = laws_at.batch(t, q, u, np.zeros(len(inputs)), p)
    counts = Counts(found.nfev // 12, 0, found.nfev, 0, 0.0123, "DOP853(rtol=1e-11)")
    return Trajectory(eom, t, y, r, p, counts=counts)


def rod(system, name, mass=1.0):
    """A uniform rod of one metre along its x axis, from its origin."""
    return system.body(name, mass, (0.5, 0, 0), mb.diag(0, mass / 12, mass / 12))


def crane():
    """A crab on a rail with a swinging load and a force on it; the crane crab of the PyMbs manual with a damper."""
    system = mb.System("crane_crab", gravity=(0, 0, -9.81))
    m1, m2, l = system.parameters(m1=10.0, m2=1.0, l=1.0)
    force = system.input("F", unit="N")
    crab = system.body("crab", mass=m1)
    load = system.body("load", mass=m2, inertia=mb.diag(m2 * l**2 / 12, m2 * l**2 / 12, 0))
    system.joint("slide", system.world, crab, "Tx", q=1.0)
    swing = system.joint("swing", crab, load.frame("hook", (0, 0, l)), "Ry", q=-1.0)
    system.load(mb.PointToPointForce(system.world, crab, force))
    system.load(mb.JointDamper(swing, 0.1))
    system.sensor("tip", mb.Position(load))
    system.sensor("R", mb.Orientation(load))
    system.sensor("energy", mb.Energy())
    return system


def push(t):
    """A force on the crab."""
    return {"F": 5 * sin(3 * t)}


def pendulum(q=1.0, damping=0.0):
    """A point mass of 2 kg on a rod of 1.5 m, without mass."""
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    torque = system.input("M", unit="N·m")
    hinge = system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, -1.5)), "Ry", q=q)
    system.load(mb.JointLoad(hinge, torque))
    system.load(mb.JointDamper(hinge, damping))
    return system


def linkage(**crank):
    """Crank and rocker; arguments are those of the joint of the crank."""
    system = mb.System("linkage", gravity=(0, -9.81, 0))
    end = system.world
    for k, (length, angle) in enumerate([(0.5, math.pi / 2), (2.0, -1.2), (1.5, -0.9)]):
        bar = system.body(f"bar{k}", 1, (length / 2, 0, 0), (0, length**2 / 12, length**2 / 12))
        system.joint(f"q{k}", end, bar, "Rz", **(crank if k == 0 and crank else {"q": angle}))
        end = bar.frame(f"end{k}", (length, 0, 0))
    system.joint("closing", end, system.frame("right", (2, 0, 0)), "Rz", cut=True)
    return system


def parallelogram():
    """The N-four-bar (La Coruña benchmark A02) with N = 1: all bars 1 m and 1 kg, verticals upright at the start."""
    system = mb.System("parallelogram", gravity=(0, -9.81, 0))
    bars = [system.body(name, 1, (0.5, 0, 0), (0, 1 / 12, 1 / 12)) for name in ("left", "right", "top")]
    system.joint("a", system.world, bars[0], "Rz", q=math.pi / 2, u=-1)
    system.joint("b", bars[0].frame("tip", (1, 0, 0)), bars[2], "Rz", q=-math.pi / 2, u=1)
    system.joint("c", system.frame("pivot", (1, 0, 0)), bars[1], "Rz", q=math.pi / 2, u=-1)
    system.joint("d", bars[2].frame("end", (1, 0, 0)), bars[1].frame("tip2", (1, 0, 0)), "Rz", cut=True)
    return system
