"""The algebra of mechanics: vectors, rotations, transforms, motors, dyads and inertias.

One text for floats, for NumPy batches (every component an array) and for graph expressions. The heart of it is the
motor calculus of von Mises (Zaiczek and Enge-Rosenblatt, sections 2.1 and 2.2), in which the equations
of a rigid body are one line, ``f = M∘v° + v × (M∘v)``. ``X_AB`` maps B-coordinates to A, quaternions are scalar
first, motors are (resultant, moment).

Example:
    >>> from multibody.algebra import Inertia, Rotation, Transform, Vec3, VelocityMotor
    >>> from multibody.graph import symbols
    >>> q, u, l, m = symbols("q u l m")
    >>> X_AB = Transform(Rotation.about_z(q), Vec3(0, 0, 0))
    >>> spin = VelocityMotor((0, 0, u), (0, 0, 0))
    >>> Inertia.rigid_body(m, (l, 0, 0)).apply(spin).resultant
    Vec3(0, l*m*u, 0)
    >>> X_AB.to_parent(spin).moment_at(X_AB.point_to_parent((l, 0, 0)))
    Vec3(-l*u*sin(q), l*u*cos(q), 0)
"""

from multibody.algebra.direction import direction
from multibody.algebra.dyad import Dyadic, MotorDyad
from multibody.algebra.euler import angle_rate_matrix, angular_velocity_matrix
from multibody.algebra.exact_rotation import exact_rotation
from multibody.algebra.inertia import Inertia
from multibody.algebra.lines import StraightLine, motor_of_lines
from multibody.algebra.motor import AccelerationMotor, ForceMotor, MomentumMotor, Motor, MotorAxis, VelocityMotor
from multibody.algebra.rotation import Quaternion, Rotation
from multibody.algebra.rotation_forms import Frame
from multibody.algebra.scalar import Scalar
from multibody.algebra.symmetric3 import Symmetric3, SymmetricLike
from multibody.algebra.transform import Spatial, Transform
from multibody.algebra.vectors import Mat3, MatrixLike, Vec3, VectorLike

__all__ = [
    "AccelerationMotor", "Dyadic", "ForceMotor", "Frame", "Inertia", "Mat3", "MatrixLike", "MomentumMotor",
    "Motor", "MotorAxis", "MotorDyad", "Quaternion", "Rotation", "Scalar", "Spatial", "StraightLine", "Symmetric3",
    "SymmetricLike", "Transform", "Vec3", "VectorLike", "VelocityMotor", "angle_rate_matrix",
    "angular_velocity_matrix", "direction", "exact_rotation", "motor_of_lines",
]  # fmt: skip
