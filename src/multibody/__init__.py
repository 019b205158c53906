"""From the description of a mechanical system to its equations of motion, and to all that follows from them.

Example:
    >>> import multibody as mb
    >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
    >>> bob = pendulum.body("bob", mass=2, com=(0, 0, -1))
    >>> hinge = pendulum.joint("angle", pendulum.world, bob, "Ry", q=0.3)
    >>> eom = mb.derive(pendulum)
    >>> eom.acceleration
    (-9.81*sin(angle),)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from multibody import errors, graph, modular
from multibody.algebra import Quaternion, Rotation, Transform, Vec3
from multibody.compile import Function
from multibody.equations import EquationsOfMotion, IndependentSpeeds, Multipliers
from multibody.formalisms import (
    ArticulatedBody,
    Comparison,
    Formalism,
    Kane,
    Lagrange,
    Modular,
    NewtonEuler,
    Recursive,
    Wittenburg,
    compare,
    derive,
)  # fmt: skip
from multibody.graph import pi
from multibody.model import *  # noqa: F403 - the vocabulary of models is public as a whole
from multibody.model import __all__ as _vocabulary
from multibody.model.body import diag

__all__ = [
    "ArticulatedBody", "C", "Casadi", "Choice", "Comparison", "Cpp", "Cvode", "DormandPrince5", "DormandPrince8",
    "EquationsOfMotion", "Event", "Flange", "Fmi", "Formalism", "Function", "Ida", "Impact", "IndependentCoordinates",
    "IndependentSpeeds", "JavaScript", "Jax", "Julia", "Kane", "Lagrange", "Latex", "LinearSystem", "Markdown",
    "Matlab", "Modelica", "Modular", "Multipliers", "NewtonEuler", "Normal", "OperatingPoint", "Python", "Quaternion",
    "Recursive", "Rotation", "RungeKutta4", "Rust", "SFunction", "Sampled", "ScipySolver", "SemiImplicitEuler",
    "Status", "Sweep", "SymbolicLinearSystem", "Symplectic", "Trajectory", "Transform", "Uniform", "Vec3",
    "Wittenburg", "along", "baumgarte", "casadi_function", "compare", "critical_values", "derive", "diag",
    "equilibria", "equilibrium", "errors", "export", "graph", "jacobians", "jax_function", "kalman", "linearize",
    "linearize_symbolic", "lqr", "modular", "output_feedback", "pi", "pole_sensitivities", "read_linear_system",
    "read_sweep", "read_trajectory", "read_urdf", "root_locus", "simulate", "sweep", "write_fmu",
]  # fmt: skip
__all__.extend(_vocabulary)
__version__ = "0.1.0"

_ROOMS = {
    "multibody.io": "read_urdf",
    "multibody.simulate": """
        Choice Cvode DormandPrince5 DormandPrince8 Event Ida Impact IndependentCoordinates Normal RungeKutta4 Sampled
        ScipySolver SemiImplicitEuler Status Sweep Symplectic Trajectory Uniform baumgarte read_sweep read_trajectory
        simulate sweep""",
    "multibody.linear": """
        LinearSystem OperatingPoint SymbolicLinearSystem along casadi_function critical_values equilibria equilibrium
        jacobians jax_function kalman linearize linearize_symbolic lqr output_feedback pole_sensitivities
        read_linear_system root_locus""",
    "multibody.export": """
        C Casadi Cpp Flange Fmi JavaScript Jax Julia Latex Markdown Matlab Modelica Python Rust SFunction export
        write_fmu""",
}
_LATE = {name: room for room, names in _ROOMS.items() for name in names.split()}
"""Rooms that only some scripts enter are imported when they are first used."""

if TYPE_CHECKING:
    from multibody.export import (
        C,
        Casadi,
        Cpp,
        Flange,
        Fmi,
        JavaScript,
        Jax,
        Julia,
        Latex,
        Markdown,
        Matlab,
        Modelica,
        Python,
        Rust,
        SFunction,
        export,
        write_fmu,
    )  # fmt: skip
    from multibody.io import read_urdf
    from multibody.linear import (
        LinearSystem,
        OperatingPoint,
        SymbolicLinearSystem,
        along,
        casadi_function,
        critical_values,
        equilibria,
        equilibrium,
        jacobians,
        jax_function,
        kalman,
        linearize,
        linearize_symbolic,
        lqr,
        output_feedback,
        pole_sensitivities,
        read_linear_system,
        root_locus,
    )  # fmt: skip
    from multibody.simulate import (
        Choice,
        Cvode,
        DormandPrince5,
        DormandPrince8,
        Event,
        Ida,
        Impact,
        IndependentCoordinates,
        Normal,
        RungeKutta4,
        Sampled,
        ScipySolver,
        SemiImplicitEuler,
        Status,
        Sweep,
        Symplectic,
        Trajectory,
        Uniform,
        baumgarte,
        read_sweep,
        read_trajectory,
        simulate,
        sweep,
    )  # fmt: skip


def __getattr__(name: str) -> Any:
    """Names from the rooms that are imported late."""
    if name in {"simulate", "export"}:
        return import_module(f"multibody.{name}")  # the room itself, which can be called
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module 'multibody' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is public, also what is imported late."""
    return sorted([*__all__, "__version__"])
