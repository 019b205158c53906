"""Random values of the algebra, symbolic ones, and two ways to say that values agree: by number and by proof."""

import numpy as np
from hypothesis import strategies as st

from multibody.algebra import (
    AccelerationMotor,
    ForceMotor,
    Inertia,
    Mat3,
    MomentumMotor,
    Motor,
    MotorDyad,
    Quaternion,
    Rotation,
    Symmetric3,
    Transform,
    Vec3,
    VelocityMotor,
)
from multibody.algebra.value import Value
from multibody.graph import is_zero, symbols

SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
KINDS = (Motor, VelocityMotor, AccelerationMotor, ForceMotor, MomentumMotor)

numbers = st.floats(-10, 10).map(lambda x: 0.0 if abs(x) < 1e-100 else x)
angles = st.floats(-7, 7)
vectors = st.builds(Vec3, numbers, numbers, numbers)
long_vectors = vectors.filter(lambda v: v.norm() > 1e-2)
quaternions = st.builds(Quaternion, numbers, numbers, numbers, numbers).filter(lambda q: q.norm() > 1e-2)
unit_quaternions = quaternions.map(Quaternion.unit)
turns = st.builds(
    lambda make, angle: make(angle), st.sampled_from([Rotation.about_x, Rotation.about_y, Rotation.about_z]), angles
)
rotations = st.one_of(st.just(Rotation.identity()), turns, unit_quaternions.map(Rotation.quaternion))
transforms = st.builds(Transform, rotations, vectors)
symmetric_matrices = st.builds(Symmetric3, numbers, numbers, numbers, numbers, numbers, numbers)
seeds = st.integers(0, 2**32 - 1)  # for values with many components, which would take long to draw one by one
matrices = seeds.map(lambda seed: Mat3.from_any(np.random.default_rng(seed).uniform(-10, 10, (3, 3))))
dyads = seeds.map(lambda seed: MotorDyad.from_array(np.random.default_rng(seed).uniform(-10, 10, (6, 6))))
inertias = st.builds(Inertia.rigid_body, st.floats(0.1, 10), vectors, symmetric_matrices)


def motors(kind=Motor):
    return st.builds(kind, vectors, vectors)


def vector(name, **kind):
    return Vec3(*symbols(f"{name}_x {name}_y {name}_z", **kind))


def motor(name, kind=Motor):
    return kind(vector(f"{name}_g"), vector(f"{name}_h"))


def matrix(name):
    return Mat3(*(vector(f"{name}_{row}") for row in "xyz"))


def dyad(name):
    return MotorDyad(*(matrix(f"{name}_{block}") for block in ("11", "12", "21", "22")))


def quaternion(name):
    return Quaternion(*symbols(" ".join(f"{name}_{part}" for part in "wxyz")))


def transform(name):
    """Three turns and a translation, by symbols."""
    return Transform(Rotation.euler("zxy", symbols(f"{name}_1 {name}_2 {name}_3")), vector(f"{name}_p"))


def inertia(name):
    mass, *tensor = symbols(" ".join(f"{name}_{part}" for part in "m xx yy zz xy xz yz".split()))
    return Inertia.rigid_body(mass, vector(f"{name}_s"), Symmetric3(*tensor))


def scalars(thing):
    """All numbers in it, as a flat list; a rotation by its matrix."""
    if isinstance(thing, Rotation):
        return thing.to_matrix().components()
    if isinstance(thing, Transform):
        return [*thing.rotation.to_matrix().components(), *thing.position]
    if isinstance(thing, Value):
        return thing.components()
    return [scalar for part in thing for scalar in scalars(part)] if isinstance(thing, list | tuple) else [thing]


def close(a, b, tolerance=1e-11):
    """Whether two values are equal up to rounding, measured by their largest components, or by 1 if these are small."""
    left, right = (np.array(np.broadcast_arrays(*scalars(thing)), dtype=float) for thing in (a, b))
    assert left.shape == right.shape
    scale = max(1.0, float(np.max(np.abs(left))), float(np.max(np.abs(right))))
    return float(np.max(np.abs(left - right))) <= tolerance * scale


def proved(a, b):
    """Whether two symbolic values are equal for all values of their symbols."""
    return type(a) is type(b) and all(is_zero(x - y, points=2) for x, y in zip(scalars(a), scalars(b), strict=True))
