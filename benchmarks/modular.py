"""Robots from legs: deriving one leg and renaming it, against deriving every leg, and against the whole as one system.

Planar n-RRR robots and platforms on n UPS legs, of 3, 6 and 12 legs. Each leg is a system of its own (two bodies,
joints, a drive, parameters), made a subsystem that follows from the velocity of its end. With reuse it is derived once
and used under n names; without, n times. Both count from the first line of the description up to the equations of
motion of the whole robot, whose accelerations must agree with those of ``mb.derive`` on the same robot as one system.

Times are those of the processor, for each step the best of several runs in turn, each in a graph of its own. Run
with ``./dev bench modular``.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from _lines import bar, claim

import multibody as mb
from multibody.equations import EquationsOfMotion
from multibody.graph import isolated
from multibody.subsystems import Subsystem

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "subsystems"))

import machines
import same_motion

COUNTS = (3, 6, 12)
ROUNDS = 15


class Robot(NamedTuple):
    """A robot of any number of legs.

    Attributes:
        leg: one leg.
        built: the robot from its legs.
        system: the same as one system.
        joints: the coordinates of a leg that both ways have.
        held: coordinates and speeds that are chosen at random to compare accelerations.
    """

    leg: machines.Leg
    built: Callable[[list[Subsystem]], Subsystem]
    system: Callable[[int], mb.System]
    joints: tuple[str, ...]
    held: tuple[str, ...]


ROBOTS = {
    "RRR": Robot(
        machines.rr_leg, machines.planar_robot, machines.planar_robot_as_system, ("shoulder", "elbow"),
        ("x_P", "y_P", "theta_P", "x_P_dot", "y_P_dot", "theta_P_dot"),
    ),
    "UPS": Robot(
        machines.ups_leg, machines.platform_on_struts, machines.platform_on_struts_as_system,
        ("alpha", "beta", "slide"), ("p_P_x", "p_P_y", "p_P_z", "v_P_x", "v_P_y", "v_P_z"),
    ),
}  # fmt: skip


class Times(NamedTuple):
    """Seconds: legs, the robot from its legs, and its equations of motion."""

    legs: float
    robot: float
    equations: float

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self)


def derived(robot: Robot, legs: Callable[..., list[Subsystem]], count: int) -> tuple[Times, EquationsOfMotion]:
    """A robot from its description to equations of motion, with what each step took."""
    begun = process_time()
    parts = legs(robot.leg, count)
    there = process_time()
    whole = robot.built(parts)
    coupled = process_time()
    eom = whole.equations()
    return Times(there - begun, coupled - there, process_time() - coupled), eom


def as_system(robot: Robot, count: int) -> float:
    """Seconds for the same robot as one system, as it is derived by default."""
    begun = process_time()
    mb.derive(robot.system(count))
    return process_time() - begun


def alone(run: Callable[[], Any]) -> Any:
    """What a run returns that finds nothing that others have made, and is not disturbed by what they leave."""
    gc.collect()
    with isolated():
        return run()


def measured(robot: Robot, count: int) -> tuple[Times, Times, float]:
    """The best with reuse, without it, and as a system; the first two in turn, for noise hits both."""
    ways = machines.copies, machines.singles
    runs = [[alone(lambda way=way: derived(robot, way, count)[0]) for way in ways] for _ in range(ROUNDS)]
    reused, single = (Times(*map(min, zip(*times, strict=True))) for times in zip(*runs, strict=True))
    return reused, single, min(alone(lambda: as_system(robot, count)) for _ in range(3))


def require_agreement(robot: Robot, count: int) -> None:
    """Both ways to legs, and the system, give the same accelerations."""
    _, eom = derived(robot, machines.copies, count)
    _, other = derived(robot, machines.singles, count)
    description = robot.system(count)
    description.recognise_loops = False  # so that the joints of legs are coordinates
    whole = mb.derive(description)
    state = same_motion.random_state(eom, robot.held, 0)
    known = same_motion.values(state)
    joints = {f"{joint}_{k}{end}" for joint in robot.joints for k in range(1, count + 1) for end in ("", "_dot")}
    q = {one.name: known[one.name] for one in whole.coordinates if one.name in joints}
    u = {one.name: known[one.name] for one in whole.speeds if one.name in joints}
    there = whole.consistent(q, u, fixed=[*q, *u], tolerance=1e-13)
    speeds = [name for name in joints if name.endswith("_dot")]
    expected = same_motion.accelerations(whole, there)
    same_motion.require_same(same_motion.accelerations(eom, state), expected, speeds, 1e-9)
    same_motion.require_same(same_motion.accelerations(other, state), expected, speeds, 1e-9)


def main() -> None:
    """Measure, print the table, then the line of key figures."""
    figures: dict[str, float] = {}
    print(f"{'':5}{'legs':>4}   {'with reuse':>10} = {'leg, names':>10} + {'robot':>6} + {'equations':>9}"
          f"   {'without':>8}   {'gain':>5}   {'as a system':>11}")  # fmt: skip
    for name, robot in ROBOTS.items():
        for count in COUNTS:
            require_agreement(robot, count)
            reused, single, system = measured(robot, count)
            gain = single.total / reused.total
            ms = [1e3 * one for one in (reused.total, *reused, single.total, system)]
            print(f"{name:5}{count:4d}   {ms[0]:8.1f}ms = {ms[1]:8.1f}ms + {ms[2]:4.1f}ms + {ms[3]:7.1f}ms"
                  f"   {ms[4]:6.1f}ms   {gain:5.2f}   {ms[5]:9.1f}ms", flush=True)  # fmt: skip
            ways = {"multibody, a leg reused": ms[0], "each leg derived": ms[4], "as one system": ms[5]}
            claim("legs", f"{count} {name} legs", "ms", ways)
            prefix = "" if name == "UPS" else "planar_"
            figures[f"{prefix}reuse_gain_{count}"] = gain
            figures[f"{prefix}reuse_{count}_ms"] = ms[0]
            figures[f"{prefix}system_{count}_ms"] = ms[5]
    order = sorted(figures, key=lambda key: (not key.startswith("reuse_gain"), "gain" not in key))
    bar({key: figures[key] for key in order})


if __name__ == "__main__":
    main()
