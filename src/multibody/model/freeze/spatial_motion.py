"""Bodies that turn about one direction only, and those that turn in space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.errors import ExpressionError
from multibody.graph import evaluate, free_symbols
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model

STATES = 8
"""The number of random states that are examined."""

NEAR = 0.1
"""Their largest distance from the start."""

PARALLEL = 1e-9
"""The part of an angular velocity across the others that is rounding, relative to the largest one."""


def turns_in_space(model: Model, link: int, values: Mapping[Any, Any]) -> bool:
    """Whether the angular velocity of a link has different directions in the link: at states near the start.

    Without a value there, as of a loop in closed form that does not close, the answer is no.

    Args:
        model: of which the link is a part.
        link: its number; -1 for the world.
        values: of the parameters.
    """
    if link < 0:
        return False
    turn = list(Kinematics(model).velocity_of_link(link).resultant)
    random = np.random.default_rng(1)
    states: dict[Any, Any] = {
        symbol: model.start.get(symbol, 0.0) + NEAR * random.uniform(-1, 1, STATES)
        for symbol in free_symbols(turn)
        if symbol not in values
    }
    try:
        components = np.broadcast_arrays(*evaluate(turn, {**values, **states}), np.zeros(STATES))[:3]
    except ExpressionError:
        return False
    sizes = np.linalg.svd(np.array(components), compute_uv=False)
    return bool(sizes[1] > PARALLEL * sizes[0])
