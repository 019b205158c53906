"""Pinocchio as a reference: the same robot, the same state, in each library's own order of coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

from multibody.formalisms import Recursive, derive
from multibody.io import UrdfRobot, read_urdf
from multibody.model import Model

ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"


@dataclass
class Dynamics:
    """Mass matrix, inverse dynamics and forward dynamics at one state."""

    mass: np.ndarray
    force: np.ndarray
    acceleration: np.ndarray

    def away_from(self, other: Dynamics) -> dict[str, float]:
        """The largest difference of each, relative to the largest entry."""
        return {
            name: float(np.max(np.abs(value - getattr(other, name))) / np.max(np.abs(getattr(other, name))))
            for name, value in vars(self).items()
        }


class Pair:
    """One robot in both libraries."""

    def __init__(self, file: str, *, floating: bool, **options: object) -> None:
        path = ROBOTS / file
        self.robot: UrdfRobot = read_urdf(path, floating=floating, dynamics="ignore", **options)
        self.model: Model = self.robot.system.freeze()
        base = (pin.JointModelFreeFlyer(),) if floating else ()
        self.pin = pin.buildModelFromUrdf(str(path), *base)
        self.data = self.pin.createData()
        self.q_ours, self.u_ours, self.u_theirs = self._order()

    def _order(self) -> tuple[list[int], list[int], list[int]]:
        """Numbers of our coordinates and speeds, and of Pinocchio's speeds, joint by joint in its order."""
        q = {symbol: k for k, symbol in enumerate(self.model.coordinates)}
        u = {symbol: k for k, symbol in enumerate(self.model.speeds)}
        q_ours, u_ours, u_theirs = [], [], []
        for name, joint in zip(list(self.pin.names)[1:], list(self.pin.joints)[1:], strict=True):
            own = self.robot.joint(name)
            q_ours += [q[symbol] for symbol in own.coordinates]
            u_ours += [u[symbol] for symbol in own.speeds]
            free = joint.nv == 6
            u_theirs += [joint.idx_v + k for k in ((3, 4, 5, 0, 1, 2) if free else range(joint.nv))]
        assert sorted(q_ours) == list(range(len(q)))
        return q_ours, u_ours, u_theirs

    def state(self, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Random coordinates, speeds and accelerations in our order."""
        random = np.random.default_rng(seed)
        q = random.uniform(-1.5, 1.5, len(self.model.coordinates))
        turned = [k for k, symbol in enumerate(self.model.coordinates) if symbol.name.startswith("root_joint_q")]
        if turned:
            q[turned] /= np.linalg.norm(q[turned])
        u, a = random.uniform(-1.0, 1.0, (2, len(self.model.speeds)))
        return q, u, a

    def theirs(self, q: np.ndarray, u: np.ndarray, a: np.ndarray) -> Dynamics:
        """By Pinocchio, brought into our order of speeds."""
        q_pin = self._configuration(q)
        v_pin, a_pin = np.zeros((2, self.pin.nv))
        v_pin[self.u_theirs], a_pin[self.u_theirs] = u[self.u_ours], a[self.u_ours]
        mass = pin.crba(self.pin, self.data, q_pin)
        mass = np.triu(mass) + np.triu(mass, 1).T
        force = pin.rnea(self.pin, self.data, q_pin, v_pin, a_pin)
        free = pin.aba(self.pin, self.data, q_pin, v_pin, np.zeros(self.pin.nv))
        back = np.empty(len(u), dtype=int)
        back[self.u_ours] = self.u_theirs
        return Dynamics(mass[np.ix_(back, back)], force[back], free[back])

    def _configuration(self, q: np.ndarray) -> np.ndarray:
        result, taken = np.zeros(self.pin.nq), iter(q[self.q_ours])
        for joint in list(self.pin.joints)[1:]:
            if joint.nv == 6:
                x, y, z, w, i, j, k = (next(taken) for _ in range(7))
                values = [x, y, z, i, j, k, w]
            else:
                angle = next(taken)
                values = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
            result[joint.idx_q : joint.idx_q + joint.nq] = values
        return result

    def ours(self, states: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> list[Dynamics]:
        """By this library, compiled once for all three quantities."""
        eom = derive(self.model, Recursive())
        outputs = {"mass": eom.M, "force": eom.kinetics.residual(), "acceleration": list(eom.acceleration)}
        compute = eom.function("dynamics", outputs, with_acceleration=True)
        p = list(self.model.parameter_values().values())
        results = [compute(t=0.0, q=q, u=u, r=[], p=p, a=a) for q, u, a in states]
        return [Dynamics(result.mass, result.force, result.acceleration) for result in results]

    def differences(self, states: int = 3) -> dict[str, float]:
        """The largest relative differences over some random states."""
        chosen = [self.state(seed) for seed in range(states)]
        found = [our.away_from(self.theirs(*state)) for our, state in zip(self.ours(chosen), chosen, strict=True)]
        return {name: max(one[name] for one in found) for name in found[0]}
