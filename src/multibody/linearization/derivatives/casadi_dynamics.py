"""The dynamics as a CasADi function, for optimal control."""

from __future__ import annotations

from typing import Any

from multibody.codegen.live.casadi import live_values
from multibody.equations import EquationsOfMotion
from multibody.equations.dependent_angles import require_no_acting_angles
from multibody.equations.validation.argument_checks import require_equations
from multibody.support.optional_libraries import require_library


def casadi_function(eom: EquationsOfMotion) -> Any:
    """The dynamics (t, x, r, p) → ẋ as a ``casadi.Function`` of scalar expressions, with x = (q, u).

    CasADi differentiates it, compiles it, and hands it to its solvers. Constraints are met through their forces, as in
    ``eom.forward_dynamics``.

    Args:
        eom: equations of motion.

    Raises:
        MissingLibraryError: if CasADi is not installed; it comes with the extra ``casadi``.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> (l,) = pendulum.parameters(l=0.5)
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2.0, (0, 0, -l)), "Ry")
        >>> drive = pendulum.load(mb.JointLoad(hinge, pendulum.input("M")))
        >>> dynamics = casadi_function(mb.derive(pendulum))
        >>> print(dynamics)
        pendulum_dynamics:(t,x[2],r,p)->(xdot[2]) SXFunction
        >>> print(dynamics(0, [0.0, 3.0], 1.0, 0.5))
        [3, 2]
    """
    require_equations(eom, "casadi_function")
    require_no_acting_angles(eom, "casadi_function")
    casadi = require_library("casadi", "casadi")
    groups = {
        "t": (eom.model.time,), "x": (*eom.coordinates, *eom.speeds), "r": eom.inputs, "p": eom.parameters,
    }  # fmt: skip
    ports = {name: casadi.SX.sym(name, len(symbols)) for name, symbols in groups.items()}
    known = {symbol: ports[name][k] for name, symbols in groups.items() for k, symbol in enumerate(symbols)}
    rates = live_values(list(eom.explicit_form()), known, casadi)
    name = f"{eom.model.name}_dynamics"
    return casadi.Function(name, list(ports.values()), [casadi.vertcat(*rates)], list(ports), ["xdot"])
