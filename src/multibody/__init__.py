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

__all__ = [
    "ArticulatedBody", "C", "Casadi", "Choice", "Comparison", "Cpp", "Cvode", "DormandPrince5", "DormandPrince8",
    "EquationsOfMotion", "Event", "Flange", "Fmi", "Formalism", "Function", "Ida", "Impact",
    "IndependentCoordinates", "IndependentSpeeds", "JavaScript", "Jax", "Julia", "Kane", "Lagrange", "Latex",
    "LinearSystem", "Markdown", "Matlab", "ModelFile", "Modelica", "Modular", "MultibodyError", "Multipliers",
    "NewtonEuler", "Normal", "OperatingPoint", "Python", "Quaternion", "Recursive", "Rotation", "RungeKutta4", "Rust",
    "SFunction", "Sampled", "Scene", "ScipySolver", "SemiImplicitEuler", "SimulationError", "SimulationInterrupted",
    "StartWarning", "Status", "Sweep", "SymbolicLinearSystem", "Symplectic", "Trajectory", "Transform", "Uniform",
    "Vec3", "Viewer", "Wittenburg",
    "along", "animate", "baumgarte",
    "casadi_function", "compare", "contact_sheet", "critical_values", "derive", "diag", "equilibria", "equilibrium",
    "errors", "export", "from_sympy", "graph", "jacobians", "jax_function", "kalman", "library", "linearize",
    "linearize_symbolic", "lqr", "model_text", "modular", "output_feedback", "page_html", "pi", "picture", "plots",
    "pole_sensitivities", "read_linear_system", "read_model", "read_sweep", "read_trajectory", "read_urdf",
    "root_locus", "show", "simulate", "smooth", "sweep", "to_sympy", "write_blender", "write_fmu",
    "write_library", "write_model", "write_page",
]  # fmt: skip
__version__ = "0.1.0"

_VOCABULARY = """
        Acceleration AngularAcceleration AngularMomentum AngularVelocity Applied Arrow Axes Body Box Bushing
        Capsule CenterOfMass CentralGravity Coil Cone Constraint ConstraintForce ConstraintTorque CrankSlider
        Cylinder Cylindrical Damper Distance DistanceAndRate DistanceConstraint DistanceRate Drawing Elementary
        Ellipsoid Energy Equation ExpJoint ExplicitLoop Expression ExpressionConstraint Finding Force FourBar
        FourBarTrans Frame FrameConstraint Free Friction Gear GravityField Hexapod HexapodWithOffset Input
        Joint JointDamper JointFriction JointKind JointLoad JointSensor JointSpring Kinematics KineticEnergy
        KnifeEdge Line LinearMomentum Link Load Mesh Model Motion Orientation Parameter Planar PlanarLoop Plane
        PointOnCurve PointOnLine PointOnPlane PointOnSurface PointToPointForce Position PotentialEnergy
        Prismatic RackAndPinion Report Revolute RollingDisc RollingSphere Screw Sensor Shape Sphere Spherical
        Spring SpringDamper Steering Step System ThreeBarTrans Torque TotalMass Transmission UniformGravity
        Universal Velocity Weld Wrench contact hydraulic_cylinder motion_platform tyre with_speeds
""".split()
"""The vocabulary of models is public as a whole."""
__all__.extend(_VOCABULARY)

_ROOMS = {
    "multibody.errors": "MultibodyError SimulationError SimulationInterrupted StartWarning",
    "multibody.graph": "pi smooth",
    "multibody.algebra": "Quaternion Rotation Transform Vec3",
    "multibody.compile": "Function",
    "multibody.model.body": "diag",
    "multibody.equations": "EquationsOfMotion IndependentSpeeds Multipliers",
    "multibody.formalisms": """
        ArticulatedBody Comparison Formalism Kane Lagrange Modular NewtonEuler Recursive Wittenburg compare derive""",
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
        write_fmu write_library""",
    "multibody.view": "Scene Viewer animate contact_sheet page_html picture show write_blender write_page",
    "multibody.compat.sympy": "from_sympy to_sympy",
}
_LATE = dict.fromkeys(_VOCABULARY, "multibody.model")
_LATE |= {name: room for room, names in _ROOMS.items() for name in names.split()}
"""Where each name is at home: a room is entered when the first of its names is used, and none for ``import`` alone."""

_WHOLE = {
    room: f"multibody.{room}"
    for room in """
        algebra compat compile equations errors export formalisms graph io library linear model modular simulate
        testing view""".split()
} | {"plots": "multibody.view.plots"}
"""The rooms themselves; ``export`` and ``simulate`` can be called."""

if TYPE_CHECKING:
    from multibody import errors, graph, library, modular
    from multibody.algebra import Quaternion, Rotation, Transform, Vec3
    from multibody.compat.sympy import from_sympy, to_sympy
    from multibody.compile import Function
    from multibody.equations import EquationsOfMotion, IndependentSpeeds, Multipliers
    from multibody.errors import MultibodyError, SimulationError, SimulationInterrupted, StartWarning
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
        write_library,
    )  # fmt: skip
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
    from multibody.graph import pi, smooth
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
    from multibody.model import *  # noqa: F403 - they are listed above
    from multibody.model.body import diag
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
else:

    def __getattr__(name: str) -> Any:
        """A name is looked up where it is at home, once."""
        if name in _WHOLE:
            found = import_module(_WHOLE[name])
        elif name in _LATE:
            found = getattr(import_module(_LATE[name]), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """What is public, also what is imported late."""
    return sorted([*__all__, "__version__"])
