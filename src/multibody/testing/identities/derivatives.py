"""Rules of differentiation against complex steps."""

from __future__ import annotations

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.graph import adjoint, directional, evaluate, jacobian
from multibody.testing.instant import At, StateValues


def derivatives_agree(eom: EquationsOfMotion, at: At = 0) -> None:
    """∂u̇/∂(t, q, u, r, p) by forward and by reverse rules, and ∂q̇/∂(q, u), against complex steps."""
    now = StateValues.of(eom, at)
    model = eom.model
    symbols = [model.time, *eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters]
    rng = np.random.default_rng(len(symbols))
    to, across = rng.normal(size=len(symbols)), rng.normal(size=len(eom.speeds))
    slope = now.jacobian(list(eom.acceleration), symbols)
    size = np.abs(slope)
    forward = directional(list(eom.acceleration), dict(zip(symbols, to, strict=True)))
    now.agree("∂u̇ forward and by complex step", evaluate(forward, now.values), slope @ to, size)
    reverse = adjoint(list(eom.acceleration), list(across), symbols)
    now.agree("∂u̇ in reverse and by complex step", evaluate(reverse, now.values), across @ slope, size)
    state = [*eom.coordinates, *eom.speeds]
    rates = list(eom.rates)
    now.agree("∂q̇ and complex step", now(jacobian(rates, state)), now.jacobian(rates, state))
