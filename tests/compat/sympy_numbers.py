"""SymPy's own numbers for its objects: mass_matrix_full and forcing_full by lambdify, solved by NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me


def sympy_rates(
    formed: Any, q: Sequence[Any], u: Sequence[Any], values: Mapping[Any, float], inputs: Sequence[Any] = ()
) -> Callable[..., Any]:
    """(q̇, u̇), and multipliers where there are, as a function of (q, u, inputs), from an object that is formed."""
    states, given = ([sm.Dummy() for _ in part] for part in ((*q, *u), inputs))
    swap = dict(zip((*u, *q, *inputs), [*states[len(q) :], *states[: len(q)], *given], strict=True))
    M, F = (me.msubs(part, swap) for part in (formed.mass_matrix_full, formed.forcing_full))
    compiled = sm.lambdify([states, list(values), given], [M, F], cse=True)

    def rates(q: Any, u: Any, r: Any = ()) -> Any:
        M, F = compiled([*q, *u], list(values.values()), list(r))
        return np.linalg.solve(np.array(M, dtype=float), np.array(F, dtype=float).ravel())

    return rates


def our_rates(eom: Any, q: Any, u: Any, r: Any = (), t: float = 0.0) -> Any:
    """(q̇, u̇) of equations of motion, with the default values of their parameters."""
    found = eom.state_rate(t, q, u, r, list(eom.model.parameter_values().values()))
    parts = found.values() if isinstance(found, dict) else found
    return np.concatenate([np.ravel(part) for part in parts])
