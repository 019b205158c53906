"""The energies of a run and their balance, the built-in check of every run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from multibody.simulation.contract import Vector
from multibody.simulation.tolerances import ENERGY_ROUNDING


class Energies(NamedTuple):
    """Energies at all samples.

    Attributes:
        kinetic: T.
        potential: V, of gravity and of all loads that store energy.
        total: T + V.
        work_of_inputs: what loads that follow inputs have brought in since the start.
        dissipated: what all other loads without a potential have taken out.
        work_of_drives: what prescribed motions, and constraints that move with time, have brought in.
        balance: T + V - work of inputs - work of drives + dissipated, less its value at the start; zero for an exact
            solution.
        exchanged: the largest energy that moved from one form to another at the end of any step, where it is known;
            samples may miss it.
    """

    kinetic: Vector
    potential: Vector
    total: Vector
    work_of_inputs: Vector
    dissipated: Vector
    work_of_drives: Vector
    balance: Vector
    exchanged: float = 0.0

    @staticmethod
    def of(kinetic: Vector, potential: Vector, works: Vector, exchanged: float = 0.0) -> Energies:
        """From T and V at all samples, and a row (inputs, dissipated, drives) of works for each."""
        total = kinetic + potential
        inputs, dissipated, drives = works.T
        sum_of_all = total - inputs - drives + dissipated
        return Energies(kinetic, potential, total, inputs, dissipated, drives, sum_of_all - sum_of_all[0], exchanged)

    @property
    def arrays(self) -> tuple[Vector, ...]:
        """Those that have a value at each sample."""
        return self[:-1]

    @property
    def scale(self) -> float:
        """What the balance is to be compared with: the largest energy that moves from one form to another.

        That is the largest of max T, max V - min V and of all works, over all steps of the run as far as they are
        known. The zero of V is arbitrary, so only its changes count; but not less than 1.5e-8·|V|, because V itself is
        rounded.
        """
        V = self.potential
        works = np.abs([self.work_of_inputs, self.dissipated, self.work_of_drives])
        return float(max(self.kinetic.max(), np.ptp(V), works.max(), ENERGY_ROUNDING * np.abs(V).max(), self.exchanged))

    @property
    def drift(self) -> float:
        """The largest |balance|, relative to ``scale``."""
        return float(np.abs(self.balance).max()) / (self.scale or 1.0)
