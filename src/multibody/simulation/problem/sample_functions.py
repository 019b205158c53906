"""Compiled functions for all samples of a run at once; made once for each set of equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.equations import EquationsOfMotion
from multibody.equations.power import explicit, powers, powers_of_dampers
from multibody.graph import isolated, topological
from multibody.mechanics.constraints.equations import quaternion_gaps


def probe(eom: EquationsOfMotion, name: str) -> Function:
    """The function (t, q, u, r, p) → what ``name`` represents.

    Args:
        eom: equations of motion.
        name: "rates", "multipliers", "energies", "residuals", "powers", "damper_powers", "sensors" or "joints".
    """

    def compiled() -> Function:
        with isolated(*topological([*eom.acceleration, *eom.model.expressions()])):
            return eom.function(name, _OUTPUTS[name](eom))

    return eom.once(("sample function", name), compiled)


def _rates(eom: EquationsOfMotion) -> dict[str, Any]:
    return {"q_dot": list(eom.rates), "u_dot": list(eom.model.accelerations)}


def _multipliers(eom: EquationsOfMotion) -> dict[str, Any]:
    return {"multipliers": list(eom.multipliers)}


def _energies(eom: EquationsOfMotion) -> dict[str, Any]:
    return {"kinetic": eom.kinetic_energy, "potential": eom.potential_energy}


def _powers(eom: EquationsOfMotion) -> dict[str, Any]:
    """The rates of the works; inputs that change what a load stores are taken as constant."""
    return {"powers": explicit(eom, powers(eom))}


def _damper_powers(eom: EquationsOfMotion) -> dict[str, Any]:
    """What loads give that should only take."""
    return {"powers": list(powers_of_dampers(eom).values())}


def _residuals(eom: EquationsOfMotion) -> dict[str, Any]:
    """φ with the deviation of quaternions from unit length, and B·u + β."""
    return {"position": [*eom.phi, *quaternion_gaps(eom.model)], "velocity": list(eom.constraints.velocity)}


def _sensors(eom: EquationsOfMotion) -> dict[str, Any]:
    """By number, because a sensor may be called as a port is."""
    return {f"sensor_{k}": np.asarray(value) for k, value in enumerate(eom.outputs.values())}


def _joints(eom: EquationsOfMotion) -> dict[str, Any]:
    return {"joints": list(eom.model.values.values())}


_OUTPUTS: dict[str, Callable[[EquationsOfMotion], dict[str, Any]]] = {
    "rates": _rates, "multipliers": _multipliers, "energies": _energies, "residuals": _residuals, "sensors": _sensors,
    "joints": _joints, "powers": _powers, "damper_powers": _damper_powers,
}  # fmt: skip
