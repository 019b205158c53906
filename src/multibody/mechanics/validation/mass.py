"""Checks of masses and inertias: what no body can have, and what no equation can be solved with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.algebra import Inertia, Symmetric3, Vec3
from multibody.graph import Expr, Symbol, as_expr, evaluate, free_symbols, rank, substitute
from multibody.mechanics.composite_inertia import joint_poses, mass_matrix
from multibody.mechanics.constraints.independence import Constraints
from multibody.mechanics.tolerances import NEGLIGIBLE_INERTIA
from multibody.model.body import Body
from multibody.model.freeze.inertia_checks import HARMLESS, impossible_bodies, problems_of_body
from multibody.model.kinematics import Kinematics
from multibody.model.model import Link, Model
from multibody.model.quantity import Parameter, known_defaults
from multibody.model.report import Finding, Severity, require_no_error


def mass_findings(bodies: Iterable[Body], parameters: Iterable[Parameter], model: Model | None) -> Iterator[Finding]:
    """Bodies whose mass or inertia is impossible, for the default values of the parameters.

    Args:
        bodies: those that are looked at.
        parameters: with their defaults.
        model: the frozen model, in which a body may be a hole in another one; None if there is none.
    """
    values = known_defaults(parameters)
    refused = [] if model is None else list(map(Finding.of, impossible_bodies(model)))
    yield from refused
    for body in bodies:
        for problem in problems_of_body(body, values):
            unusual = problem.code == HARMLESS
            if unusual:
                yield Finding(
                    "warning", problem, f"body '{body.name}'",
                    cause="Units are mixed, or a product of inertia has the wrong sign.",
                    remedy="Check the inertia; in a model that moves in a plane only, it does no harm.",
                    code=problem.code,
                )  # fmt: skip
            elif not any(
                finding.code == problem.code and finding.where == f"body '{body.name}'" for finding in refused
            ):
                yield Finding(
                    "error" if model is None else "warning", problem, f"body '{body.name}'",
                    cause="" if model is None else "It is a hole in the bodies that it is fixed to, or does not move.",
                    remedy="Give a mass >= 0 and an inertia with principal moments >= 0.", code=problem.code,
                )  # fmt: skip


def singular_findings(kinematics: Kinematics, values: Mapping[Symbol, float] | None) -> Iterator[Finding]:
    """Speeds that neither inertia nor constraints resist: for all values of the parameters, then for their defaults."""
    mass = mass_matrix(kinematics.model, joint_poses(kinematics.model))
    yield from _unheld(kinematics, mass, "") or _unheld_by_default(kinematics, mass, values or {})


def _unheld_by_default(kinematics: Kinematics, mass: Any, values: Mapping[Symbol, float]) -> list[Finding]:
    """Speeds that nothing resists with these values of parameters; nothing where there are no values."""
    if not values:
        return []
    numbers: dict[Expr, Expr] = {symbol: as_expr(value) for symbol, value in values.items()}
    return _unheld(kinematics, substitute(mass, numbers), " with the default values of the parameters")


def require_regular_by_default(model: Model) -> None:
    """An error if neither inertia nor constraints resist a speed with the default values of the parameters.

    To save time, the mass matrix is computed only where a default value or an entry of an inertia is zero. A mass
    matrix that is singular for all values is found when the equations are solved.
    """
    values = known_defaults(model.parameters)
    numbers: dict[Any, float] = {**values}
    if model.cuts or len(values) < len(model.parameter_symbols):
        return
    parts = [part for _, inertia in model.inertias for part in inertia if free_symbols(part)]
    with np.errstate(all="ignore"):
        vanishing = 0.0 in values.values() or 0.0 in evaluate(parts, numbers)
    if vanishing and not _all_resist(model, values):
        kinematics, mass = Kinematics(model), mass_matrix(model, joint_poses(model))
        if not _unheld(kinematics, mass, ""):
            require_no_error(_unheld_by_default(kinematics, mass, values))


def _all_resist(model: Model, values: Mapping[Symbol, float]) -> bool:
    """Whether every link has a mass and moments of inertia, so that no mass matrix can be singular."""
    if len(model.inertias) < len(model.links):
        return False
    numbers: dict[Any, float] = {**values}
    for _, parts in model.inertias:
        mass, x, y, z, *tensor = (float(part) for part in evaluate(list(parts), numbers))
        if mass <= 0:
            return False
        xx, yy, zz, xy, xz, yz = Inertia(mass, Vec3(x, y, z), Symmetric3(*tensor)).central_tensor.components()
        moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if moments[0] <= NEGLIGIBLE_INERTIA * moments[-1]:
            return False
    return True


def _unheld(kinematics: Kinematics, mass: Any, note: str) -> list[Finding]:
    """What makes a mass matrix singular; nothing where no motion u has both M·u = 0 and B·u = 0.

    Then constraints hold what has no mass, and accelerations exist: a slider without mass at the end of a rod.
    """
    B = Constraints.of(kinematics).B
    if len(B) and rank(np.vstack([mass, B])) == len(mass):
        return []
    return list(_stuck(kinematics, mass, note)) or list(_dependent(kinematics, mass, note))


def _stuck(kinematics: Kinematics, mass: Any, note: str) -> Iterator[Finding]:
    """Links with all that they carry: their inertia, projected on their own axes, must have full rank."""
    for link in kinematics.model.links:
        columns = [column for column in link.columns if column is not None]
        if columns and rank(mass[np.ix_(columns, columns)]) < len(columns):
            names = ", ".join(kinematics.model.speeds[column].name for column in columns)
            yield Finding(
                _severity(kinematics), f"Nothing resists the speed {names}{note}: the mass matrix is singular.",
                f"joint '{link.joint.name}', which moves {_moved(link)}",
                "What the joint moves has no mass, or no inertia about its axis.",
                "Give a body that it carries a mass off the axis, or an inertia about it.", code="mass-matrix-singular",
            )  # fmt: skip


def _moved(link: Link) -> str:
    ends = [frame.body for frame in (link.joint.parent, link.joint.child) if frame.body.name != "world"]
    return f"body '{ends[-1].name}'"


def _dependent(kinematics: Kinematics, mass: Any, note: str) -> Iterator[Finding]:
    """Speeds that the kinetic energy cannot tell apart: two hinges on one axis without mass between them."""
    full = rank(mass) if len(mass) else 0
    if full == len(mass):
        return
    names = [u.name for k, u in enumerate(kinematics.model.speeds) if _rank_without(mass, k) == full]
    yield Finding(
        _severity(kinematics),
        f"The speeds {', '.join(names)} can change together without resistance{note}: the mass matrix is singular.",
        f"system '{kinematics.model.name}'",
        "Two joints allow the same motion, and there is no mass between them.",
        "Give mass or inertia to what moves between them, or leave one of them away.",
        code="mass-matrix-singular",
    )


def _rank_without(matrix: Any, k: int) -> int:
    keep: Sequence[int] = [j for j in range(len(matrix)) if j != k]
    return rank(matrix[:, keep]) if keep else 0


def _severity(kinematics: Kinematics) -> Severity:
    """In a closed loop, what one part lacks another one may have."""
    return "warning" if kinematics.model.cuts else "error"
