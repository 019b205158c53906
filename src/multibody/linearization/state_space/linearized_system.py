"""Linear systems that are pictures of equations of motion, with the operating point and all that belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ModelError, OperatingPointWarning, warn_user
from multibody.graph import Symbol
from multibody.linearization.derivatives.elimination import Descriptor
from multibody.linearization.derivatives.independent_coordinates import IndependentChoice
from multibody.linearization.operating_points.point import Matrix, OperatingPoint
from multibody.linearization.spectra.modes import Mode
from multibody.linearization.spectra.stability import Stability
from multibody.linearization.state_space.entry_errors import KnownEntries, Sizes, model_entries
from multibody.linearization.state_space.linear_system import LinearSystem
from multibody.linearization.state_space.modal_motion import ModalMotion, modal_motion
from multibody.linearization.tolerances import SMALL_ACCELERATION, STEADY_ACCELERATION


class SecondOrder(NamedTuple):
    """M·δq̈ + C·δq̇ + K·δq = f.

    Attributes:
        M: mass matrix of the chosen coordinates, where all others follow freely, as a crane's crab follows its load.
        C: velocity terms: damping is its symmetric part, gyroscopic terms are the other one.
        K: stiffness.
    """

    M: Matrix
    C: Matrix
    K: Matrix


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
            it grows towards a dead point, and digits are lost: of A about as many as it has. Where states were chosen,
            also towards a point at which the others do not follow from them.
        terms: gives the sizes of what balances in the accelerations.
        goes_on: says whether what is steady at the operating point stays so as time goes by; None if it is undecided.
        lasting: says the same of the linear system, where some coordinates change.
    """

    point: OperatingPoint
    rates: Matrix
    output_values: Matrix
    tangent: Matrix
    tangent_inputs: Matrix
    descriptor: Descriptor
    choice: IndependentChoice
    conditioning: float = 1.0
    terms: Callable[[], Terms] = field(repr=False)
    goes_on: Callable[[], bool | None] = field(repr=False)
    lasting: Callable[[Collection[Symbol]], bool | None] = field(repr=False)

    @property
    def stability(self) -> Stability:
        """What the poles say; undecided where the linear system follows time, or changes along a steady motion."""
        return super().stability if self.lasting(self._moving_coordinates) is True else "undecided"

    @cached_property
    def entries(self) -> KnownEntries:
        """A, B and C without rounding errors in the place of zeros, with the sizes of the terms of their entries."""
        terms, (q, u) = self.terms(), self.choice
        n = len(self.point.q)
        rows = [*q.free, *(n + k for k in u.free)]
        sizes = Sizes(terms.coordinates, terms.lengths, np.concatenate([terms.coordinates, terms.lengths])[rows])
        return model_entries((self.A, self.B, self.C), self.descriptor, rows, sizes)

    @cached_property
    def steady(self) -> bool:
        """Whether all speeds are constant at the operating point, and stay so as time goes by.

        Accelerations are compared with the forces that balance, over the masses; and with what a change of the states
        in their last digits does. Where forces follow time, speeds are constant for an instant at most.
        """
        return self._no_acceleration and self.goes_on() is True

    @property
    def _no_acceleration(self) -> bool:
        return bool((np.abs(self.point.acceleration) <= STEADY_ACCELERATION * self._sizes).all())

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
        return np.asarray(np.maximum(sizes, SMALL_ACCELERATION * fastest * terms.lengths))

    @cached_property
    def at_rest(self) -> bool:
        """Whether it is an equilibrium: nothing moves, and nothing begins to move."""
        return self.steady and float(self._relative_rates.max(initial=0.0)) <= STEADY_ACCELERATION * self._fastest

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

        Along such a motion x₀ + steady_rates·t represents x₀.
        """
        model, moving = self.point.model, self.steady and not self.at_rest
        names = [symbol.name for symbol in (*model.coordinates, *model.speeds)]
        chosen = [names.index(name) for name in self.states]
        turning = np.concatenate([self._turning, np.zeros(len(self.point.u), dtype=bool)])
        return np.asarray(np.where(moving & turning[chosen], self.rates[chosen], 0.0))

    @property
    def _turning(self) -> NDArray[np.bool_]:
        """Which coordinates change, compared with the fastest of them and with how fast forces would move them."""
        relative = self._relative_rates
        return np.asarray(relative > STEADY_ACCELERATION * max(self._fastest, float(relative.max(initial=0.0))))

    @property
    def _moving_coordinates(self) -> list[Symbol]:
        return [
            coordinate for coordinate, turns in zip(self.point.model.coordinates, self._turning, strict=True) if turns
        ]

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
        return self.tangent, [symbol.name for symbol in (*model.coordinates, *model.speeds)]

    def second_order(self, *coordinates: str) -> SecondOrder:
        """M·δq̈ + C·δq̇ + K·δq = f, as mechanics writes it, for some or all of the independent coordinates.

        Args:
            coordinates: names of states whose rates are states, too; others must not act on them.

        Raises:
            ModelError: if the rate of one of them is not a state, or if other states act on them.

        Example:
            >>> import multibody as mb
            >>> from multibody.linearization import linearize
            >>> pendulum = mb.System("pendulum", gravity=(0, 0, -10))
            >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -3)), "Ry")
            >>> M, C, K = linearize(mb.derive(pendulum)).second_order("angle")
            >>> M.tolist(), K.round(12).tolist()
            ([[18.0]], [[60.0]])
        """
        return _second_order(self, coordinates or None)

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
            >>> from multibody.linearization import linearize
            >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
            >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry")
            >>> lin = linearize(mb.derive(pendulum))
            >>> swing = lin.motion(lin.modes[0], amplitude=0.1)
            >>> float(abs(swing["angle"]).max().round(6)), float(swing.t[-1].round(6))
            (0.1, 6.0182)
        """
        return modal_motion(self.point, self.rates, mode, amplitude, duration, samples)


def warn_unless_steady(system: LinearizedSystem, what: str) -> bool:
    """A warning at the line of the user's program if the mechanism does not stay at the operating point.

    Args:
        system: the linear system.
        what: what is computed from it, with a verb, such as "The controller of system 'crane' is designed".

    Returns:
        Whether there is a warning.
    """
    if system.steady:
        return False
    if system._no_acceleration:
        reason = "at a point at which the mechanism stays for an instant, but perhaps not for long: forces follow time."
    else:
        fastest = int(np.argmax(np.abs(system.point.acceleration)))
        reason = (
            f"at a point that is not an equilibrium: there, '{system.point.model.speeds[fastest].name}' changes at the "
            f"rate {system.point.acceleration[fastest]:.6g}."
        )
    warn_user(
        f"{what} {reason} The linear system describes deviations from a motion, not from this point. "
        "equilibrium(eom, …) finds a point at which the mechanism stays.",
        OperatingPointWarning,
    )
    return True


def _second_order(system: LinearizedSystem, coordinates: Sequence[str] | None) -> SecondOrder:
    """The mass matrix is Tᵤᵀ·M·Tᵤ with the motions δu = Tᵤ·δu_i that constraints allow; the rest follows from A.

    Speeds that are not chosen are free of forces: of the inverse, the rows and columns of the chosen ones are kept.
    """
    names = coordinates or [name for name in system.states if _speed(system, name)]
    speeds = [_required_speed(system, name) for name in names]
    n, m, inner = len(system.point.q), len(system.point.u), len(system.choice.coordinates.free)
    allowed = system.tangent[n:, inner:]
    mass = allowed.T @ system.descriptor.E[n : n + m, n : n + m] @ allowed
    kept = [system.states.index(name) - inner for name in speeds]
    M = mass[np.ix_(kept, kept)] if len(kept) == len(mass) else np.linalg.inv(np.linalg.inv(mass)[np.ix_(kept, kept)])
    A, size = system.part(*names, *speeds).A, len(names)
    return SecondOrder(M, -M @ A[size:, size:], -M @ A[size:, :size])


def _speed(system: LinearizedSystem, name: str) -> str | None:
    """The state that is the rate of a state; None if there is none."""
    if name not in system.states:
        return None
    row = system.A[system.states.index(name)]
    places = np.flatnonzero(row).tolist()
    return system.states[places[0]] if len(places) == 1 and row[places[0]] == 1 else None


def _required_speed(system: LinearizedSystem, name: str) -> str:
    found = _speed(system, name)
    if found is None:
        raise ModelError(
            f"The rate of '{name}' is not a state of its own.",
            code="rate-not-a-state",
            where=f"linear system '{system.name}'",
            cause="It depends on other states, as the rate of a quaternion does, or there is no such state.",
            remedy=f"Choose among the states {', '.join(system.states)}; name independent ones when you linearize.",
            name=name,
        )
    return found
