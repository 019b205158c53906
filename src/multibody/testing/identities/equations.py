"""The forms of the equations against each other, M and h against the energy, derivatives against complex steps."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.graph import adjoint, directional, evaluate, jacobian
from multibody.model import Model
from multibody.testing.instant import At, StateValues


def inverse_undoes_forward(eom: EquationsOfMotion, at: At = 0) -> None:
    """M·u̇ + h - f, by a recursion of forces over the tree, is zero (or Bᵀ·λ) for the u̇ of the explicit form."""
    now = StateValues.of(eom, at)
    a, force = now(list(eom.acceleration)), now(eom.kinetics.residual())
    now.agree("inverse dynamics of forward dynamics and Bᵀ·λ", force, _held(now), _size(now, a))


def constraints_stay(eom: EquationsOfMotion, at: At = 0) -> None:
    """B·u̇ + γ = 0 where there are constraints; if some of them are redundant, only in a state that keeps them."""
    if not eom.multipliers:
        return
    now = StateValues.of(eom, at)
    B, a = now(eom.B), now(list(eom.acceleration))
    free = np.linalg.lstsq(now(eom.M), now(eom.f - eom.h))[0]  # the constraints take away from it what is not u̇
    now.agree("B·u̇ and -γ", B @ a, -now(eom.gamma), np.abs(B) @ (np.abs(a) + np.abs(free)))


def forms_agree(eom: EquationsOfMotion, at: At = 0) -> None:
    """Explicit, combined and separate form have one solution (q̇, u̇)."""
    now = StateValues.of(eom, at)
    rates, a, forces = now(list(eom.rates)), now(list(eom.acceleration)), now(list(eom.multipliers))
    size = _size(now, a)
    now.agree("explicit form, q̇ and u̇", now(eom.explicit_form()), [*rates, *a])
    for name, (matrix, right), x in (
        ("combined", eom.combined_form(), [*rates, *a, *forces]),
        ("separate", eom.separate_form(), [*a, *forces]),
    ):
        now.agree(f"{name} form, matrix · rates and right side", now(matrix) @ x, now(right), size)


def _held(now: StateValues) -> Any:
    """Bᵀ·λ."""
    eom = now.eom
    return now(eom.B).T @ now(list(eom.multipliers)) if eom.multipliers else np.zeros(len(eom.speeds))


def _size(now: StateValues, a: Any) -> Any:
    """The size of the terms of M·u̇ + h - f, which cancel."""
    eom = now.eom
    return np.abs(now(eom.M)) @ np.abs(a) + np.abs(now(eom.h)) + np.abs(now(eom.f)) + np.abs(_held(now))


def mass_matrix_is_symmetric_and_positive(eom: EquationsOfMotion, at: At = 0) -> None:
    """M = Mᵀ, and uᵀ·M·u > 0 for every u."""
    now = StateValues.of(eom, at)
    mass = now(eom.M)
    now.agree("mass matrix and its transpose", mass, mass.T)
    eigenvalues = np.linalg.eigvalsh(mass) if mass.size else np.ones(1)
    if not eigenvalues.min() > 0:
        now.refuse(f"the mass matrix has the eigenvalues {eigenvalues}")


def mass_matrix_gives_the_kinetic_energy(eom: EquationsOfMotion, at: At = 0) -> None:
    """½·uᵀ·M·u = T; where motions are prescribed, it is that part of T which is quadratic in u."""
    now = StateValues.of(eom, at)
    energy, u = eom.kinetic_energy, now(list(eom.speeds))
    back, still = now.with_speeds(-1), now.with_speeds(0)
    quadratic = (now(energy) + back(energy)) / 2 - still(energy)
    now.agree("½·uᵀ·M·u and T", u @ now(eom.M) @ u / 2, quadratic, now(energy))


def inertia_forces_follow_from_the_mass_matrix(eom: EquationsOfMotion, at: At = 0) -> None:
    """That part of h which is quadratic in u follows from M, and Ṁ - 2·C is skew.

    Its power is that of the changing inertia: uᵀ·h = ½·uᵀ·Ṁ·u, with Ṁ along q̇ = N·u. Where the speeds are the rates of
    the coordinates it is C·u, with C_ij = ½·Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i)·u_k (Christoffel's symbols).
    """
    now = StateValues.of(eom, at)
    u, change = now(list(eom.speeds)), now.along(eom.M, now.virtual())
    back, still = now.with_speeds(-1), now.with_speeds(0)
    h = (now(eom.h) + back(eom.h)) / 2 - still(eom.h)
    size = [*np.abs(now(eom.h)), np.abs(u) @ np.abs(now(eom.M)) @ np.abs(u)]
    now.agree("power uᵀ·h and ½·uᵀ·Ṁ·u", u @ h, u @ change @ u / 2, size)
    if speeds_are_rates(eom.model):
        c = _christoffel(now, u)
        now.agree("h and C·u", h, c @ u, size)
        now.agree("Ṁ - 2·C and minus its transpose", change - 2 * c, 2 * c.T - change.T, now(eom.M))


def _christoffel(now: StateValues, u: Any) -> Any:
    """C, with the slopes ∂M_ij/∂q_k by complex step."""
    slope = now.jacobian(now.eom.M, now.eom.coordinates)
    return (slope @ u + np.einsum("ikj,k->ij", slope, u) - np.einsum("jki,k->ij", slope, u)) / 2


def speeds_are_rates(model: Model) -> bool:
    """Whether q̇ = u."""
    return len(model.rates) == len(model.speeds) and all(map(operator.is_, model.rates, model.speeds))


# rules of differentiation --------------------------------------------------------------------------------------------


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
