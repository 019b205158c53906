"""Loads whose potential does not belong to their force: derive and check must name them, and accept the right ones."""

from __future__ import annotations

from typing import Any

import numpy as np

import multibody as mb
from multibody.graph import ZERO, as_expr, sin
from multibody.model import Kinematics, Load
from multibody.testing import random_system

from .case import RIGHT, WRONG, Outcome, Refused, generator, result_of

BATTERY = "potentials"

ERRORS = {
    "seven times": lambda V, q: 7 * V,
    "half": lambda V, q: V / 2,
    "the other sign": lambda V, q: -V,
    "a millionth more": lambda V, q: V * 1.000001,
    "a slope": lambda V, q: V + 0.3 * q,
    "a wave": lambda V, q: V + 0.01 * sin(q),
    "a square": lambda V, q: V + V**2 / 100,
}


class Own(Load):
    """A load as a user writes one: a force on a joint, and what it stores."""

    def __init__(self, joint: Any, stiffness: float, drive: Any = 0) -> None:
        self.joint, self.stiffness, self.drive = joint, stiffness, drive

    def generalized(self, kinematics: Any) -> Any:
        """A hard spring, a damper and a drive."""
        q, u = self.joint.coordinate, self.joint.speed
        return {u: -self.stiffness * (q + q**3) - 0.2 * u + self.scalar(self.drive, kinematics)}

    def potential(self, kinematics: Any) -> Any:
        """Of the spring."""
        q = self.joint.coordinate
        return self.stiffness * (q**2 / 2 + q**4 / 4)

    @property
    def touches(self) -> tuple[object, ...]:
        """The joint."""
        return (self.joint,)


def spoiled(load: Load, error: Any, q: Any) -> Load:
    """The same load with another potential."""
    kind = type(load)

    def potential(self: Any, kinematics: Any) -> Any:
        return as_expr(error(kind.potential(self, kinematics), self.scalar(q, kinematics)))

    args, named = load._arguments
    return type(f"Wrong{kind.__name__}", (kind,), {"potential": potential})(*args, **named)


def storing(seed: int, rng: np.random.Generator) -> tuple[mb.System, str, Any]:
    """A random tree with one load that stores energy, its name, and a coordinate that the load moves with."""
    for trial in range(seed, seed + 10_000, 100):
        system = random_system(trial, int(rng.integers(1, 4)), loads=5)
        hinge = system.body("own_body", 1.0, (0.1, 0, 0), (1, 1, 1))
        joint = system.joint("own", system.world, hinge, str(rng.choice(["Rx", "Ty"])))
        system.load(Own(joint, float(rng.uniform(1, 5)), system.input("own_drive")), "own_load")
        kinematics = Kinematics(system.freeze())
        names = [name for name, load in system.loads.items()
                 if load.conservative and load.potential(kinematics) is not ZERO]  # fmt: skip
        name = str(rng.choice(names))
        q = joint.coordinate if name == "own_load" else _moving(kinematics, system.loads[name])
        if q is not None:
            return system, name, q
    raise AssertionError("no load stores energy")


def _moving(kinematics: Any, load: Load) -> Any:
    """A coordinate that the potential depends on."""
    used = set(mb.graph.free_symbols(load.potential(kinematics)))
    return next((q for q in kinematics.model.coordinates if q in used), None)


def refusal(system: mb.System) -> str:
    """What derive says against a system; empty if nothing."""
    try:
        result_of(mb.derive, system)
    except Refused as error:
        return str(error)
    return ""


def case(seed: int) -> Outcome:
    """One load: right, it is accepted; wrong, it is named by derive and by check."""
    rng = generator(BATTERY, seed)
    system, name, q = storing(seed, rng)
    kind = str(rng.choice(list(ERRORS)))
    what = f"{kind} of {type(system.loads[name]).__name__}"
    said = refusal(system)
    if said:
        return Outcome(BATTERY, seed, WRONG, what, f"the right potential is refused: {said}")
    system.loads[name] = spoiled(system.loads[name], ERRORS[kind], q)
    said, found = refusal(system), [str(one) for one in system.check().errors]
    if f"'{name}'" not in said:
        return Outcome(BATTERY, seed, WRONG, what, f"derive: {said or 'accepted'}")
    if not any(f"The potential of load '{name}'" in one for one in found):
        return Outcome(BATTERY, seed, WRONG, what, f"check: {found}")
    return Outcome(BATTERY, seed, RIGHT, what)
