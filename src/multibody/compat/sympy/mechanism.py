"""Bodies and loads that were written in SymPy, and Kane's equations for them, formed in the graph.

SymPy needs seconds to minutes for F_r + F_r* = 0, because it multiplies expressions out; what its frames and points say
of velocities is short. So velocities are read, and all that follows is done here (Kane and Levinson 1985):

    Σ Jᵀ·(G·(J·u̇ + b) + (0, Ω × I·ω)) = Σ Jᵀ·F,   (v, ω) = J·u + …,   b = d(v, ω)/dt while u̇ = 0,   G = diag(m, I)

v is in the world's axes; ω in axes in which I is constant, which turn with Ω. These are the axes of the body, or, for a
wheel whose angle is not needed, those of the fork that carries it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from multibody.compat.sympy.bodies_and_loads import ActingLoad, BodyReader, MovingBody
from multibody.compat.sympy.geometry import Geometry
from multibody.compat.sympy.kinematics import SympyKinematics
from multibody.compat.sympy.read_equations import EnergyTerms
from multibody.equations.without_bodies import BodyPlace
from multibody.graph import ZERO, Expr, adjoint, array, free_symbols, jacobian, product, same, substitute
from multibody.graph.linear_algebra import Matrix


class Mechanism:
    """Bodies and loads in the speeds of a model.

    Args:
        kinematics: the coordinates and speeds.
        world: the SymPy frame that stands still.
        bodies: RigidBody and Particle objects.
        loads: pairs of a point and a force, or of a frame and a torque; or actuators, which have some.
        origin: a SymPy point that stands still, from which places are measured; it is looked for if there is none.
    """

    def __init__(
        self,
        kinematics: SympyKinematics,
        world: Any,
        bodies: Iterable[Any],
        loads: Iterable[Any] = (),
        origin: Any = None,
    ) -> None:
        self.world, self.written = world, list(bodies)
        self._geometry, self.speeds = Geometry(world, kinematics), kinematics.u
        self._change = kinematics.change
        self._reader = BodyReader(self._geometry, kinematics.read)
        self.bodies = [self._reader.body(body) for body in self.written]
        self.said = list(_pairs(loads))
        self.loads = [self._reader.load(*load) for load in self.said]
        self._origin = origin

    def seen_with(self, kinematics: SympyKinematics) -> Mechanism:
        """The same bodies and loads in other speeds."""
        return Mechanism(kinematics, self.world, self.written, self.said, self._origin)

    # Kane's equations --------------------------------------------------------------------------------------------

    def balance(self) -> tuple[Matrix, Matrix, Matrix]:
        """M, h and f; constant forces at known places count with h, as gravity does everywhere.

        Each Jᵀ·force is one sweep back through the velocities, which share what bodies on a chain have in common.
        """
        f = self.forces([load for load in self.loads if load not in self.weights])
        drifts = self._split(self._change(self._motions))
        pairs = zip(self.bodies, drifts, strict=True)
        h = self._projected([body.times(drift) + body.gyroscopic for body, drift in pairs])
        return self._mass_matrix(), h - self.forces(self.weights), f

    def _mass_matrix(self) -> Matrix:
        """Column s is Σ Jᵀ·(G·J_s): what it takes to change the speed s alone."""
        count = len(self.speeds)
        M = np.full((count, count), ZERO, dtype=object)
        partials = self._split(jacobian(self._motions, self.speeds))
        for s in range(count):
            column = self._projected([body.times(J[:, s]) for body, J in zip(self.bodies, partials, strict=True)])
            M[s, : s + 1] = M[: s + 1, s] = column[: s + 1]
        return M

    def _projected(self, forces: Sequence[Matrix]) -> Matrix:
        """Σ Jᵀ·force of all bodies."""
        return self._swept([body.motion for body in self.bodies], forces)

    def forces(self, loads: Iterable[ActingLoad]) -> Matrix:
        """Σ Jᵀ·F of loads."""
        acting = list(loads)
        return self._swept([load.motion for load in acting], [load.force for load in acting])

    def _swept(self, motions: Sequence[Matrix], forces: Sequence[Matrix]) -> Matrix:
        if not motions:
            return array([ZERO] * len(self.speeds))
        return array(adjoint(list(np.concatenate(motions)), list(np.concatenate(forces)), self.speeds))

    @property
    def _motions(self) -> list[Expr]:
        """(v, ω) of all bodies, one after the other: what they share is then looked at once."""
        return [entry for body in self.bodies for entry in body.motion]

    def _split(self, rows: Any) -> list[Matrix]:
        """What belongs to each body."""
        return [array(rows[k : k + 6]) for k in range(0, 6 * len(self.bodies), 6)]

    # places ------------------------------------------------------------------------------------------------------

    @cached_property
    def origin(self) -> Any:
        """The point that was given, or one from which the places of all bodies change as their velocities say."""
        if self._origin is not None:
            return self._origin
        known = _still(self.bodies, self._geometry.world)
        return next((symbol for symbol in known if all(self._follows(body, symbol) for body in self.bodies)), None)

    def _follows(self, body: MovingBody, origin: Any) -> bool:
        place = self._geometry.position(body.centre, origin)
        if place is None:
            return False
        return all(map(same, self._change(list(place)), body.motion[:3]))

    def places(self, bodies: Sequence[Any] | None = None) -> tuple[BodyPlace, ...]:
        """Where bodies are, measured from the origin that was given, or from the one that was found."""
        origin = self.origin
        if origin is None:
            return ()
        found = []
        for body in self.bodies if bodies is None else map(self._reader.body, bodies):
            position = self._geometry.position(body.centre, origin)
            if position is not None:
                found.append(BodyPlace(body.name, tuple(position), tuple(body.rotation.flat), body.mass))
        return tuple(found)

    def inertias(self) -> tuple[tuple[tuple[str, ...], Sequence[Expr]], ...]:
        """The name of each body, with mass, first moment and tensor about its center of mass."""
        return tuple(
            ((body.name,), [body.mass, ZERO, ZERO, ZERO, *(body.inertia[i, j] for i, j in _ENTRIES)])
            for body in self.bodies
        )

    # energy ------------------------------------------------------------------------------------------------------

    @cached_property
    def weights(self) -> dict[ActingLoad, Expr]:
        """Constant forces at points whose places are known, each with its potential -F·r."""
        constant = [load for load in self.loads if hasattr(load.what, "vel") and _constant([*load.force])]
        if self.origin is None:
            return {}
        places = {load: self._geometry.position(load.what, self.origin) for load in constant}
        found = {load: -product(load.force, place) for load, place in places.items() if place is not None}
        changes = self._change(list(found.values())) if found else []
        return {load: V for (load, V), change in zip(found.items(), changes, strict=True) if same(change, -load.power)}

    def energy(self, accelerations: Sequence[Expr]) -> EnergyTerms:
        """T, V and the powers; ``accelerations`` are the symbols for the rates of the speeds.

        Where velocities have a part v_t that does not depend on the speeds, because something is moved from outside,
        that does the work v_t·(m·a - F).
        """
        kinetic = sum((product(body.momentum, body.motion) for body in self.bodies), ZERO) / 2
        inputs: Expr = ZERO
        dissipated: Expr = ZERO
        for load in self.loads:
            if load not in self.weights:
                driven = any(symbol.kind == "input" for symbol in free_symbols(load.power))
                inputs, dissipated = (inputs + load.power, dissipated) if driven else (inputs, dissipated - load.power)
        return EnergyTerms(kinetic, sum(self.weights.values(), ZERO), inputs, dissipated, self._driven(accelerations))

    def _driven(self, accelerations: Sequence[Expr]) -> Expr:
        still: dict[Expr, Expr] = dict.fromkeys(self.speeds, ZERO)
        total: Expr = ZERO
        for body, velocities in zip(self.bodies, self._split(substitute(self._motions, still)), strict=True):
            if any(component is not ZERO for component in velocities):
                change = array(self._change(list(body.motion), accelerations))
                total = total + product(velocities, body.times(change) + body.gyroscopic)
        moved = substitute([entry for load in self.loads for entry in load.motion], still)
        acting = [entry for load in self.loads for entry in load.force]
        return total - product(moved, acting) if acting else total


_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""xx, yy, zz, xy, xz, yz."""


def _pairs(loads: Iterable[Any]) -> Iterator[Any]:
    """Loads, and those of actuators."""
    for load in loads:
        yield from load.to_loads() if hasattr(load, "to_loads") else [load]


def _still(bodies: Iterable[MovingBody], world: Any) -> list[Any]:
    """SymPy's points that have a velocity of zero, among those that the places of bodies are measured from."""
    seen: dict[Any, None] = dict.fromkeys(body.centre for body in bodies)
    pending = list(seen)
    while pending:
        for other in pending.pop()._pos_dict:  # the neighbours, which SymPy keeps to itself
            if other not in seen:
                seen[other] = None
                pending.append(other)
    return [point for point in seen if world in point._vel_dict and point.vel(world) == 0]


def _constant(entries: list[Expr]) -> bool:
    return all(symbol.kind == "parameter" for symbol in free_symbols(entries))
