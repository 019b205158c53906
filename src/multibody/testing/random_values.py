"""Random states of a model, and the arguments of its compiled functions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.model import Model
from multibody.model.joints.spherical import OrientationCoordinates

Numbers = NDArray[np.float64]

_QUATERNION = OrientationCoordinates("quaternion").labels


class Arguments(NamedTuple):
    """What compiled functions take, in their order: ``eom.forward_dynamics(*arguments)``."""

    t: float
    q: Numbers
    u: Numbers
    r: Numbers
    p: Numbers


def random_state(model: Model, seed: int) -> tuple[Numbers, Numbers]:
    """Coordinates and speeds; quaternions have length one."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=len(model.coordinates))
    for block in quaternions(model):
        q[block] /= np.linalg.norm(q[block])
    return q, rng.normal(size=len(model.speeds))


def random_arguments(model: Model, seed: int) -> Arguments:
    """Time, state and inputs by chance, parameters by their defaults.

    Example:
        >>> from multibody.formalisms import derive
        >>> from multibody.testing import random_system
        >>> eom = derive(random_system(3, 2))
        >>> bool(np.isfinite(eom.forward_dynamics(*random_arguments(eom.model, 3))).all())
        True
    """
    rng = np.random.default_rng([seed, 1])
    values = model.parameter_values()
    p = np.array([values[symbol] for symbol in model.parameter_symbols])
    q, u = random_state(model, seed)
    return Arguments(float(rng.uniform(0, 2)), q, u, rng.normal(size=len(model.input_symbols)), p)


def quaternions(model: Model) -> list[list[int]]:
    """For each quaternion among the coordinates, the numbers of its four components."""
    places = {symbol: k for k, symbol in enumerate(model.coordinates)}
    found = []
    for link in model.links:
        labelled = dict(zip(link.motion.coordinates, link.q, strict=True))
        if labelled.keys() >= set(_QUATERNION):
            found.append([places[labelled[label]] for label in _QUATERNION])  # type: ignore[index]
    return found
