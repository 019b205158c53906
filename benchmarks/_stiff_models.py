"""Stiff and non-stiff models with known parameters, for the choice of the integrator.

Stiff are those in which a motion dies out much faster than the run lasts: strong dampers, hard bushings, fast
controllers, tires, belts. Others swing, tumble, roll or hit their limits of accuracy. The flyball governor is problem
A05 of the IFToMM library of benchmarks, with a spring of 1e5 N/m and a damper of 4e3 N·s/m in each rod.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import mechanisms
import numpy as np

import multibody as mb
from multibody import library
from multibody.graph import sin, sqrt


class StiffModel(NamedTuple):
    """A model and the length of its run.

    Attributes:
        make: the system.
        duration: in seconds.
    """

    make: Callable[[], mb.System]
    duration: float


def chain(
    links: int, stiffness: float = 0.0, damping: float = 0.0, gravity: float = 9.81, start: float = 0.0
) -> mb.System:  # fmt: skip
    """Equal rods of 1 m and 1 kg, horizontal at the start, with a spring and a damper in each hinge."""
    system = mb.System(f"chain_{links}", gravity=(0, -gravity, 0))
    end: mb.Frame = system.world
    for k in range(links):
        rod = system.body(f"rod{k}", 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12))
        hinge = system.joint(f"q{k}", end, rod, "Rz", q=start)
        if stiffness:
            system.load(mb.JointSpring(hinge, stiffness))
        if damping:
            system.load(mb.JointDamper(hinge, damping))
        end = rod.frame(f"end{k}", (1, 0, 0))
    return system


def slide(mass: float, stiffness: float, damping: float) -> mb.System:
    """A mass on a spring with a damper, 1 m away from its place of rest."""
    system = mb.System("slide")
    joint = system.joint("x", system.world, system.body("mass", mass=mass), "Tx", q=1.0)
    system.load(mb.JointSpring(joint, stiffness))
    system.load(mb.JointDamper(joint, damping))
    return system


def van_der_pol(epsilon: float) -> mb.System:
    """ε·ẍ = (1 - x²)·ẋ - x from (2, 0)."""
    system = mb.System("van_der_pol")
    joint = system.joint("x", system.world, system.body("mass", mass=epsilon), "Tx", q=2.0)
    x, v = joint.coordinate, joint.speed
    system.load(mb.JointLoad(joint, (1 - x * x) * v - x))
    return system


def flyball(stiffness: float, damping: float) -> mb.System:
    """The flyball governor A05: two rods of 1 m with balls of 5 kg, and a slider of 3 kg on springs with dampers."""
    system = mb.System("flyball", gravity=(0, 0, -9.81))
    axis = system.body("axis", 3.0, inertia=(0.25, 0.25, 0.005))
    slider = system.body("slider", 3.0, inertia=(0.01, 0.01, 0.01))
    system.joint("turn", system.world, axis, "Rz", u=2 * math.pi)
    start = math.pi / 6
    system.joint("lift", axis, slider, "Tz", q=-2 * 0.5 * math.cos(start))
    for side, direction in ("left", 1.0), ("right", -1.0):
        rod = system.body(side, 5.3, (0, 0, -0.95), (0.05, 0.05, 1e-4))
        system.joint(f"{side}_angle", axis, rod, mb.Revolute((0, -direction, 0)), q=start)
        ends = rod.frame(f"{side}_middle", (0, 0, -0.5)), slider
        system.load(mb.SpringDamper(*ends, stiffness=stiffness, damping=damping, length=0.5))
    return system


def quarter_car() -> mb.System:
    """A body of 300 kg and a wheel of 30 kg on a tire of 2e5 N/m, on a wavy road at 20 m/s."""
    system = mb.System("quarter_car", gravity=(0, 0, -9.81))
    body, wheel = system.body("chassis", mass=300.0), system.body("wheel", mass=30.0)
    low = system.joint("wheel_height", system.world, wheel, "Tz", q=0.0)
    gap = system.joint("travel", wheel, body, "Tz", q=0.0)
    system.load(mb.JointSpring(gap, 2e4))
    system.load(mb.JointDamper(gap, 1.5e3))
    road = 0.02 * sin(4 * system.time)
    system.load(mb.JointLoad(low, 2e5 * (road - low.coordinate) - 100.0 * low.speed))
    return system


def servo(gain: float, rate: float, brake: float = 0.0) -> mb.System:
    """Two links whose first hinge is held by a controller with a high gain."""
    system = chain(2)
    first = system["q0"]
    wanted = sin(system.time)
    system.load(mb.JointLoad(first, gain * (wanted - first.coordinate) - rate * first.speed))
    if brake:
        system.load(mb.JointDamper(system["q1"], brake))
    return system


def masses(count: int, stiffness: float, damping: float) -> mb.System:
    """Masses in a row, each tied to the next by a spring and a damper; the first one is pulled."""
    system = mb.System(f"masses_{count}")
    end: mb.Body = system.world
    for k in range(count):
        body = system.body(f"mass{k}", mass=1.0)
        joint = system.joint(f"x{k}", end, body, "Tx", q=0.1 if k == 0 else 0.0)
        system.load(mb.JointSpring(joint, stiffness))
        system.load(mb.JointDamper(joint, damping))
        end = body
    return system


def stiff_four_bar(stiffness: float, damping: float) -> mb.System:
    """A four-bar whose coupler is a spring with a damper."""
    system = mb.System("stiff_four_bar", gravity=(0, -9.81, 0))
    crank = system.body("crank", 1.0, (0.5, 0, 0), (0, 0.1, 1 / 12))
    rocker = system.body("rocker", 2.0, (1.0, 0, 0), (0, 0.1, 2 / 3))
    system.joint("crank_angle", system.world, crank, "Rz", q=math.pi / 2, u=4.0)
    system.joint("rocker_angle", system.frame("right", (2.0, 0, 0)), rocker, "Rz", q=math.pi / 2)
    ends = crank.frame("a", (1.0, 0, 0)), rocker.frame("b", (2.0, 0, 0))
    system.load(mb.SpringDamper(*ends, stiffness=stiffness, damping=damping, length=math.sqrt(5.0)))
    return system


def bushing(stiffness: float, damping: float) -> mb.System:
    """A body on six springs and dampers, such as a motor on its mounts."""
    system = mb.System("bushing", gravity=(0, 0, -9.81))
    motor = system.body("motor", 50.0, inertia=(1.0, 2.0, 3.0))
    joint = system.joint("mount", system.world, motor, ["Tx", "Ty", "Tz", "Rx", "Ry", "Rz"], q=(0.01, 0, 0, 0.02, 0, 0))
    states = zip(joint.coordinates, joint.speeds, strict=True)
    system.load(mb.JointLoad(joint, [-(stiffness * q + damping * u) for q, u in states]))
    return system


def belt() -> mb.System:
    """A motor that drives a heavy wheel by a stiff belt with losses, and the wheel a fan."""
    system = mb.System("belt")
    motor = system.joint("motor", system.world, system.body("rotor", inertia=(0, 0, 1e-3)), "Rz")
    wheel = system.joint("wheel", system.world, system.body("disc", inertia=(0, 0, 1.0)), "Rz")
    pull = 1e4 * (0.05 * motor.coordinate - 0.2 * wheel.coordinate) + 5e2 * (0.05 * motor.speed - 0.2 * wheel.speed)
    system.load(mb.JointLoad(motor, 10.0 - 0.05 * pull))
    system.load(mb.JointLoad(wheel, 0.2 * pull - 0.1 * wheel.speed * sqrt(1 + wheel.speed**2)))
    return system


def spinning_top() -> mb.System:
    """A fast top on a ball joint."""
    system = mb.System("top", gravity=(0, 0, -9.81))
    body = system.body("top", 1.0, (0, 0, 0.3), (0.1, 0.1, 0.02))
    half = 0.2
    start = (math.cos(half), math.sin(half), 0, 0)
    system.joint("ball", system.world, body, mb.Spherical(), q=start, u=(0, 0, 60.0))
    return system


STIFF_MODELS: dict[str, StiffModel] = {
    "slide, 1e6": StiffModel(partial(slide, 1.0, 1e6, 1e6), 10.0),
    "slide, 1e4": StiffModel(partial(slide, 1.0, 1e4, 1e4), 10.0),
    "slide, 1e3": StiffModel(partial(slide, 1.0, 1e3, 1e3), 10.0),
    "van der Pol, 1e-6": StiffModel(partial(van_der_pol, 1e-6), 2.0),
    "van der Pol, 1e-3": StiffModel(partial(van_der_pol, 1e-3), 2.0),
    "flyball, 1e5": StiffModel(partial(flyball, 1e5, 4e3), 10.0),
    "flyball, 1e7": StiffModel(partial(flyball, 1e7, 4e5), 10.0),
    "chain of 6, 1e4": StiffModel(partial(chain, 6, 1e4, 1e3), 5.0),
    "chain of 20, 1e5": StiffModel(partial(chain, 20, 1e5, 1e4), 2.0),
    "chain of 6, brakes": StiffModel(partial(chain, 6, 0.0, 300.0), 10.0),
    "quarter car": StiffModel(quarter_car, 10.0),
    "servo, 1e6": StiffModel(partial(servo, 1e6, 1e5), 10.0),
    "servo with brake": StiffModel(partial(servo, 1e4, 1e3, 1e3), 10.0),
    "10 masses, 1e6": StiffModel(partial(masses, 10, 1e6, 1e5), 10.0),
    "four-bar, 1e6": StiffModel(partial(stiff_four_bar, 1e6, 1e4), 5.0),
    "bushing, 1e7": StiffModel(partial(bushing, 1e7, 1e6), 10.0),
    "belt": StiffModel(belt, 10.0),
    "pendulum": StiffModel(partial(chain, 1), 10.0),
    "double pendulum": StiffModel(partial(chain, 2), 5.0),
    "chain of 10": StiffModel(partial(chain, 10), 2.0),
    "10 masses, undamped": StiffModel(partial(masses, 10, 1e4, 0.0), 10.0),
    "spinning top": StiffModel(spinning_top, 10.0),
    "Andrews": StiffModel(mechanisms.andrews, 0.05),
    "2 four-bars": StiffModel(partial(mechanisms.n_four_bar, 2), 1.0),
    "double pendulum of Modelica": StiffModel(library.double_pendulum, 3.0),
}
"""Models by name: stiff ones first."""


def start_of(eom: mb.EquationsOfMotion) -> np.ndarray:
    """y = (q, u, works) at the start."""
    found = eom.consistent()
    return np.concatenate([found.q, found.u, np.zeros(3)])
