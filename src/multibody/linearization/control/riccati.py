"""Riccati's equation Aᵀ·P + P·A - P·B·R⁻¹·Bᵀ·P + Q = 0 in balanced units, refined, and verified before it is used.

States are scaled so that rows and columns of A have equal norms, and the costs so that B·R⁻¹·Bᵀ and Q have. SciPy
solves this equation by an ordered Schur form of the extended Hamiltonian pencil (Van Dooren 1981, Benner 2001). Newton
steps with residuals in extended precision follow (Kleinman 1968; Higham 2002, chapter 12).
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from multibody.errors import MultibodyError
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.spectra.controllability import state_scale
from multibody.linearization.tolerances import (
    CLOSED_LOOP_ROUNDING,
    GAIN_DIFFERENCE,
    RICCATI_CONVERGENCE,
    RICCATI_RESIDUAL,
)

NEWTON_STEPS = 60
"""Most Newton steps; two or three are usual, and a dozen after a start with larger weights."""


LARGER_WEIGHTS = tuple(10.0**power for power in range(-8, 1))
"""Weights that are added to Q for a start, relative to A in balanced units."""


class UnverifiedError(MultibodyError, ArithmeticError):
    """A solution of Riccati's equation that does not pass its verification."""

    code = "design-not-verified"


class Riccati(NamedTuple):
    """The data of Riccati's equation."""

    A: Matrix
    B: Matrix
    Q: Matrix
    R: Matrix

    def scaled(self, sizes: Matrix, cost: float) -> Riccati:
        """For states over their sizes, inputs with R = 1, and costs over a typical one."""
        factor = np.linalg.cholesky(self.R)
        B = np.linalg.solve(factor, self.B.T).T / sizes[:, None] * np.sqrt(cost)
        Q = self.Q * sizes[:, None] * sizes / cost
        return Riccati(self.A * sizes / sizes[:, None], B, Q, np.eye(len(self.R)))

    def residual(self, P: Any) -> tuple[Any, Matrix]:
        """The left side of the equation in extended precision, and the sum of the sizes of its terms; for R = 1."""
        A, B, Q, P = (np.asarray(matrix, dtype=np.longdouble) for matrix in (self.A, self.B, self.Q, P))
        left, effort = A.T @ P, B.T @ P
        sizes = np.abs(A).T @ np.abs(P)
        terms = sizes + sizes.T + np.abs(effort).T @ np.abs(effort) + np.abs(Q)
        return left + left.T - effort.T @ effort + Q, terms.astype(float)


def solve_riccati(A: Matrix, B: Matrix, Q: Matrix, R: Matrix) -> Matrix:
    """The gains K = R⁻¹·Bᵀ·P of the stabilizing solution P.

    Args:
        A: state matrix.
        B: input matrix.
        Q: weights of states, symmetric and not negative.
        R: weights of inputs, symmetric and positive.

    Raises:
        UnverifiedError: if no solution is found.

    Example:
        >>> solve_riccati(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]]), np.diag([4.0, 0.0]), np.eye(1))
        array([[2., 2.]])
    """
    balanced, sizes, cost = balanced_problem(A, B, Q, R)
    try:
        P = refined(balanced, first_solution(balanced))
    except (ValueError, np.linalg.LinAlgError) as error:
        raise UnverifiedError(f"The Riccati solver failed: {str(error).rstrip('.')}.") from error
    return np.asarray(np.linalg.solve(R, B.T @ (P * cost / sizes[:, None] / sizes)))


def balanced_problem(A: Matrix, B: Matrix, Q: Matrix, R: Matrix) -> tuple[Riccati, Matrix, float]:
    """Riccati's equation in balanced units with R = 1, the sizes of the states and the typical cost."""
    problem, sizes = Riccati(A, B, (Q + Q.T) / 2, (R + R.T) / 2), state_scale(A)
    cost = _typical_cost(problem.scaled(sizes, 1.0))
    return problem.scaled(sizes, cost), sizes, cost


def _typical_cost(problem: Riccati) -> float:
    """The cost for which B·Bᵀ and Q have the same norm."""
    effort, weights = float(np.linalg.norm(problem.B @ problem.B.T)), float(np.linalg.norm(problem.Q))
    return float(np.sqrt(weights / effort)) if effort > 0 and weights > 0 else 1.0


def first_solution(problem: Riccati) -> Matrix:
    """A stabilizing P by SciPy: of this equation or, if poles are too near to the imaginary axis, of one with larger Q.

    Newton's method leads from either to the solution (Kleinman 1968).
    """
    from scipy.linalg import solve_continuous_are  # late, because importing it takes long

    rate, reason = float(np.linalg.norm(problem.A)), ""
    for share in (0.0, *LARGER_WEIGHTS):
        larger = problem._replace(Q=problem.Q + share * rate * np.eye(len(problem.A)))
        try:
            P = np.asarray(solve_continuous_are(*larger))
        except (ValueError, np.linalg.LinAlgError) as error:
            reason = reason or str(error).rstrip(".")
            continue
        if (np.linalg.eigvals(problem.A - problem.B @ problem.B.T @ P).real < 0).all():
            return P
    raise UnverifiedError(f"No stabilizing solution of Riccati's equation was found. {reason}".strip())


def refined(problem: Riccati, P: Matrix) -> Matrix:
    """P after Newton steps until they do not become smaller; for R = 1."""
    last, best = np.inf, np.asarray(P, dtype=np.longdouble)
    for _ in range(NEWTON_STEPS):
        closed = problem.A - problem.B @ (problem.B.T @ best.astype(float))
        change = lyapunov(closed, problem.residual(best)[0].astype(float))
        size = relative_size(change, best.astype(float))
        if last < RICCATI_CONVERGENCE and not size < last / 2:
            break
        last, best = size, best + change
    return np.asarray(best.astype(float))


def lyapunov(closed: Matrix, right: Matrix) -> Matrix:
    """X with closedᵀ·X + X·closed + right = 0."""
    from scipy.linalg import solve_continuous_lyapunov  # late, because importing it takes long

    sizes = state_scale(closed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of solutions that are inaccurate: they are verified
        scaled = solve_continuous_lyapunov((closed * sizes / sizes[:, None]).T, -right * sizes[:, None] * sizes)
    return np.asarray((scaled + scaled.T) / 2 / sizes[:, None] / sizes)


def relative_size(change: Matrix, P: Matrix) -> float:
    """The largest entry of a change of P, relative to √(Pᵢᵢ·Pⱼⱼ)."""
    roots = np.sqrt(np.abs(np.diag(P)))
    return _largest_share(change, np.outer(roots, roots))


def _largest_share(values: Matrix, sizes: Matrix) -> float:
    """The largest of values over sizes, where 0/0 is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(values == 0, 0.0, np.abs(values) / sizes)
    return float(shares.max(initial=0.0))


def verify_gains(A: Matrix, B: Matrix, Q: Matrix, R: Matrix, K: Matrix) -> None:
    """An error unless gains stabilize and solve Riccati's equation.

    The cost of the closed loop follows from K by Lyapunov's equation, (A - B·K)ᵀ·P + P·(A - B·K) + Q + Kᵀ·R·K = 0.
    With it, the residual of Riccati's equation must be small, and R⁻¹·Bᵀ·P must be K (Kleinman 1968).

    Raises:
        UnverifiedError: with what is wrong.
    """
    problem, sizes, cost = balanced_problem(A, B, Q, R)
    gains = np.linalg.cholesky((R + R.T) / 2).T @ K * sizes / np.sqrt(cost)
    if not np.isfinite(gains).all():
        raise UnverifiedError("The gains are not finite.")
    require_stable(problem.A, problem.B, gains)
    P = _closed_loop_cost(problem, gains)
    residual, terms = problem.residual(P)
    share = _largest_share(residual.astype(float), _residual_sizes(terms, P))
    if not share <= RICCATI_RESIDUAL:
        raise UnverifiedError(
            f"The solution of Riccati's equation has a residual of {share:.2g} of its terms, "
            f"more than {RICCATI_RESIDUAL:.0g}."
        )
    bounds = np.outer(np.sqrt(np.abs(np.diag(problem.B.T @ P @ problem.B))), np.sqrt(np.abs(np.diag(P))))
    off = _largest_share(problem.B.T @ P - gains, bounds)
    if not off <= GAIN_DIFFERENCE:
        raise UnverifiedError(
            f"The gains differ by {off:.2g} from those of Riccati's equation, more than {GAIN_DIFFERENCE:.0g}."
        )


def _residual_sizes(terms: Matrix, P: Matrix) -> Matrix:
    """What entries of the residual are compared with: their terms, or √(Pᵢᵢ·Pⱼⱼ) times the rates of both states.

    An entry in which all terms are rounding errors, such as a covariance that is zero, has the size of its row.
    """
    roots = np.sqrt(np.abs(np.diag(P)))
    scaled = np.divide(terms, np.outer(roots, roots), where=np.outer(roots, roots) > 0, out=np.zeros_like(terms))
    rates = np.sqrt(scaled.max(axis=1, initial=0.0)) * roots
    return np.maximum(terms, np.outer(rates, rates))


def _closed_loop_cost(problem: Riccati, K: Matrix) -> Matrix:
    """P of Lyapunov's equation for given gains, with two refinements in extended precision; for R = 1."""
    extended = [np.asarray(matrix, dtype=np.longdouble) for matrix in (problem.A - problem.B @ K, problem.Q, K)]
    closed, Q, gains = extended
    P, right = np.zeros_like(closed), Q + gains.T @ gains
    for _ in range(3):
        left = closed.T @ P
        P = P + lyapunov(closed.astype(float), (left + left.T + right).astype(float))
    return np.asarray(P.astype(float))


def require_stable(A: Matrix, B: Matrix, K: Matrix) -> None:
    """An error unless all poles of A - B·K decay, by more than rounding errors of its entries change them."""
    from scipy.linalg import eig  # late, because importing it takes long

    closed, terms = A - B @ K, np.abs(A) + np.abs(B) @ np.abs(K)
    sizes = state_scale(closed)
    poles, left, right = eig(closed * sizes / sizes[:, None], left=True)
    along = np.abs(np.sum(left.conj() * right, axis=0))
    errors = np.einsum("ik,ij,jk->k", np.abs(left), terms * sizes / sizes[:, None], np.abs(right))
    limits = CLOSED_LOOP_ROUNDING * errors / np.maximum(along, np.finfo(float).tiny)
    slowest = int(np.argmax(poles.real + limits)) if len(poles) else 0
    if len(poles) and not poles[slowest].real < -limits[slowest]:
        raise UnverifiedError(
            f"The closed loop has the pole {poles[slowest]:.6g} with a rounding error of {limits[slowest]:.2g}: "
            "it is not known to decay."
        )
