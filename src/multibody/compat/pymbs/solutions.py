"""Choice among the solutions of a loop, by values at the start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.graph import Expr, Symbol, evaluate
from multibody.model import Model
from multibody.model.assembly import angles_of


def distance(solution: Mapping[Symbol, Expr], model: Model, wanted: Mapping[Symbol, float]) -> float:
    """How far a solution is from wanted values at the start; angles count modulo one turn."""
    zero = dict.fromkeys([model.time, *model.input_symbols], 0.0)
    known: dict[Any, float] = {**zero, **model.start, **model.parameter_values()}
    given = [one for one in solution if one in wanted]
    found = np.array([evaluate(solution[one], known) for one in given], dtype=float)
    apart = found - np.array([wanted[one] for one in given])
    turns = np.array([one in angles_of(model) for one in given], dtype=bool)
    apart[turns] = np.angle(np.exp(1j * apart[turns]))
    return float(np.nan_to_num(abs(apart), nan=np.inf).sum())
