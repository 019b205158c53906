"""Linear systems that are pictures of equations of motion, with the operating point and all that belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from multibody.linear.elimination import Descriptor
from multibody.linear.independent import Choice
from multibody.linear.modal_motion import ModalMotion, modal_motion
from multibody.linear.modes import Mode
from multibody.linear.point import Matrix, OperatingPoint
from multibody.linear.second_order import SecondOrder, second_order
from multibody.linear.state_space import LinearSystem

__all__ = ["LinearSystem", "LinearizedSystem", "Terms"]

SLOW = 1e-6
"""An acceleration in which little balances is compared with so much of the largest one, in sizes of the mechanism."""

STEADY = 1e-9
"""An acceleration so small, relative to what balances in it, is none; and so is a rate, relative to the fastest one."""


class Terms(NamedTuple):
    """Sizes at an operating point, in the units of the model.

    Attributes:
        accelerations: for each speed, of the forces that balance, over the masses.
        coordinates: of the coordinates.
        lengths: of what each speed is the rate of.
    """

    accelerations: Matrix
    coordinates: Matrix
    lengths: Matrix


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
        conditioning: the largest over the smallest singular value of the constraints there, in sizes of the mechanism;
            it grows towards a dead point, and digits are lost: of A about as many as it has.
        terms: gives the sizes of what balances in the accelerations.
    """

    point: OperatingPoint
    rates: Matrix
    output_values: Matrix
    tangent: Matrix
    tangent_inputs: Matrix
    descriptor: Descriptor
    choice: Choice
    conditioning: float = 1.0
    terms: Callable[[], Terms] = field(repr=False)

    @cached_property
    def steady(self) -> bool:
        """Whether all speeds are constant at the operating point, as far as rounding of forces and of the point allows.

        Accelerations are compared with the forces that balance, over the masses; and with what a change of the states
        in their last digits does.
        """
        return bool((np.abs(self.point.acceleration) <= STEADY * self._sizes).all())

    @cached_property
    def _sizes(self) -> Matrix:
        """Sizes of what balances in the accelerations, and of what the states contribute to them."""
        terms, m = self.terms(), len(self.point.u)
        E, F, _ = self.descriptor
        n = len(self.point.q)
        by_states = np.linalg.lstsq(E, F, rcond=None)[0][n : n + m]
        q, u = self.choice
        speeds = np.abs(self.point.u)
        states = np.concatenate([terms.coordinates[q.free], speeds[u.free]])
        sizes = terms.accelerations + np.abs(by_states) @ states
        fastest = float((sizes / terms.lengths).max(initial=0.0))
        return np.asarray(np.maximum(sizes, SLOW * fastest * terms.lengths))

    @cached_property
    def at_rest(self) -> bool:
        """Whether it is an equilibrium: nothing moves, and nothing begins to move."""
        return self.steady and float(self._relative_rates.max(initial=0.0)) <= STEADY * self._fastest

    @cached_property
    def _relative_rates(self) -> Matrix:
        """|q̇| over the sizes of the coordinates, in 1/s."""
        return np.asarray(np.abs(self.rates[: len(self.point.q)]) / self.terms().coordinates)

    @cached_property
    def _fastest(self) -> float:
        """How fast what balances would move the mechanism, in 1/s."""
        return float(np.sqrt((self._sizes / self.terms().lengths).max(initial=0.0)))

    @property
    def steady_rates(self) -> Matrix:
        """How fast the states of a steady motion go on, such as the angle of a shaft that turns; zero at other points.

        Along such a motion x₀ + steady_rates·t stands for x₀.
        """
        model, moving = self.point.model, self.steady and not self.at_rest
        names = [one.name for one in (*model.coordinates, *model.speeds)]
        chosen = [names.index(name) for name in self.states]
        relative = np.concatenate([self._relative_rates, np.zeros(len(self.point.u))])
        turning = relative > STEADY * max(self._fastest, float(relative.max(initial=0.0)))
        return np.asarray(np.where(moving & turning[chosen], self.rates[chosen], 0.0))

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
