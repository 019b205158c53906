"""Linear systems that are pictures of equations of motion, with the operating point and all that belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from multibody.linear.elimination import Descriptor
from multibody.linear.independent import Choice
from multibody.linear.modal_motion import ModalMotion, modal_motion
from multibody.linear.modes import Mode
from multibody.linear.point import Matrix, OperatingPoint
from multibody.linear.second_order import SecondOrder, second_order
from multibody.linear.state_space import LinearSystem

__all__ = ["LinearSystem", "LinearizedSystem"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LinearizedSystem(LinearSystem):
    """A linear system that is a picture of equations of motion near an operating point; made by ``linearize``.

    Attributes:
        point: the operating point, with accelerations and constraint forces.
        rates: q̇ and u̇ there; u̇ = 0 where the motion is steady.
        output_values: the outputs there.
        tangent: T in (δq, δu) = T·δx + S·δr, which gives all coordinates and speeds, also the dependent ones.
        tangent_inputs: S; zero unless inputs move something by themselves.
        descriptor: E·(δq̇, δu̇, δλ) = F·δx + G·δr, the implicit form of SymPy's mechanics manual (there M, A, B).
        choice: which coordinates and speeds are independent, and which constraint equations count.
    """

    point: OperatingPoint
    rates: Matrix
    output_values: Matrix
    tangent: Matrix
    tangent_inputs: Matrix
    descriptor: Descriptor
    choice: Choice

    @property
    def steady(self) -> bool:
        """Whether all speeds are constant at the operating point (to rounding)."""
        scale = max(1.0, float(np.abs(self.rates).max(initial=0.0)))
        return bool(np.abs(self.point.acceleration).max(initial=0.0) <= 1e-9 * scale)

    @property
    def at_rest(self) -> bool:
        """Whether it is an equilibrium: nothing moves, and nothing begins to move."""
        return self.steady and bool(np.abs(self.rates).max(initial=0.0) <= 1e-9)

    @property
    def steady_rates(self) -> Matrix:
        """How fast the states of a steady motion go on, such as the angle of a shaft that turns; zero at other points.

        Along such a motion x₀ + steady_rates·t stands for x₀.
        """
        model, moving = self.point.model, self.steady and not self.at_rest
        names = [one.name for one in (*model.coordinates, *model.speeds)]
        found = self.rates[[names.index(name) for name in self.states]]
        coordinates = np.array([name in names[: len(self.point.q)] for name in self.states], dtype=bool)
        return np.where(moving & coordinates & (np.abs(found) > 1e-9), found, 0.0)

    @property
    def permutation(self) -> Matrix:
        """P with (q, u) = P·(independent coordinates, independent speeds, dependent coordinates, dependent speeds)."""
        q, u = self.choice
        n = len(q.free) + len(q.bound)
        order = [*q.free, *(n + k for k in u.free), *q.bound, *(n + k for k in u.bound)]
        return np.eye(len(order))[:, order]

    def _shapes(self) -> tuple[Matrix, Sequence[str]]:
        """All coordinates and speeds."""
        model = self.point.model
        return self.tangent, [one.name for one in (*model.coordinates, *model.speeds)]

    def second_order(self, *coordinates: str) -> SecondOrder:
        """M·δq̈ + C·δq̇ + K·δq = f, as mechanics writes it, for some or all of the independent coordinates.

        Args:
            coordinates: names of states whose rates are states, too; others must not act on them.

        Raises:
            ModelError: if the rate of one of them is no state, or if other states act on them.

        Example:
            >>> import multibody as mb
            >>> from multibody.linear import linearize
            >>> pendulum = mb.System("pendulum", gravity=(0, 0, -10))
            >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -3)), "Ry")
            >>> M, C, K = linearize(mb.derive(pendulum)).second_order("angle")
            >>> M.tolist(), K.round(12).tolist()
            ([[18.0]], [[60.0]])
        """
        return second_order(self, coordinates or None)

    def motion(
        self, mode: Mode, *, amplitude: float = 0.2, duration: float | None = None, samples: int = 121
    ) -> ModalMotion:
        """A mode as a motion to look at.

        Args:
            mode: one of ``modes``.
            amplitude: the largest deviation of a coordinate, in m or rad.
            duration: in s; by default three periods, or three time constants.
            samples: how many states.

        Example:
            >>> import multibody as mb
            >>> from multibody.linear import linearize
            >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
            >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry")
            >>> lin = linearize(mb.derive(pendulum))
            >>> swing = lin.motion(lin.modes[0], amplitude=0.1)
            >>> float(abs(swing["angle"]).max().round(6)), float(swing.t[-1].round(6))
            (0.1, 6.0182)
        """
        return modal_motion(self.point, self.rates, mode, amplitude, duration, samples)
