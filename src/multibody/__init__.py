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

from multibody import errors, graph
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
    "EquationsOfMotion", "Event", "Flange", "Fmi", "Formalism", "Function", "Ida", "Impact",
    "IndependentCoordinates", "IndependentSpeeds", "JavaScript", "Jax", "Julia", "Kane", "Lagrange", "Latex",
    "LinearSystem", "Markdown", "Matlab", "ModelFile", "Modelica", "Modular", "Multipliers", "NewtonEuler",
    "Normal", "OperatingPoint", "Python", "Quaternion", "Recursive", "Rotation", "RungeKutta4", "Rust", "SFunction",
    "Sampled", "Scene", "ScipySolver", "SemiImplicitEuler", "Status", "Sweep", "SymbolicLinearSystem", "Symplectic",
    "Trajectory", "Transform", "Uniform", "Vec3", "Viewer", "Wittenburg", "along", "animate", "baumgarte",
    "casadi_function", "compare", "contact_sheet", "critical_values", "derive", "diag", "equilibria", "equilibrium",
    "errors", "export", "from_sympy", "graph", "jacobians", "jax_function", "kalman", "library", "linearize",
    "linearize_symbolic", "lqr", "model_text", "modular", "output_feedback", "page_html", "pi", "picture", "plots",
    "pole_sensitivities", "read_linear_system", "read_model", "read_sweep", "read_trajectory", "read_urdf",
    "root_locus", "show", "simulate", "sweep", "to_sympy", "write_blender", "write_fmu", "write_model",
    "write_page",
]  # fmt: skip
__all__.extend(_vocabulary)
__version__ = "0.1.0"

_ROOMS = {
    "multibody.io": "ModelFile model_text read_model read_urdf write_model",
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
    "multibody.view": "Scene Viewer animate contact_sheet page_html picture show write_blender write_page",
    "multibody.compat.sympy": "from_sympy to_sympy",
}
_LATE = {name: room for room, names in _ROOMS.items() for name in names.split()}
"""Rooms that only some scripts enter are imported when they are first used."""

_WHOLE = {
    "export": "multibody.export",  # which can be called, as the next one can
    "simulate": "multibody.simulate",
    "library": "multibody.library",
    "modular": "multibody.modular",
    "plots": "multibody.view.plots",
}
"""Rooms that are public as a whole."""

if TYPE_CHECKING:
    from multibody import library, modular
    from multibody.compat.sympy import from_sympy, to_sympy
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
    from multibody.io import ModelFile, model_text, read_model, read_urdf, write_model
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
    from multibody.view import (
        Scene,
        Viewer,
        animate,
        contact_sheet,
        page_html,
        picture,
        plots,
        show,
        write_blender,
        write_page,
    )


def __getattr__(name: str) -> Any:
    """Names from the rooms that are imported late."""
    if name in _WHOLE:
        return import_module(_WHOLE[name])
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module 'multibody' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is public, also what is imported late."""
    return sorted([*__all__, "__version__"])
