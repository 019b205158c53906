"""Systems to test with, and the two ways to say that expressions agree: by proof and by number."""

import math
import random

import numpy as np

from multibody.algebra import Rotation
from multibody.graph import array, evaluate, is_zero, symbol
from multibody.model import (
    Cylindrical,
    Free,
    Kinematics,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    System,
    Universal,
)

KINDS = {
    "Tx": "Tx",
    "Ry": "Ry",
    "stack": ["Tz", "Rx", "Ty", "Rz", "Rx"],
    "revolute_named": Revolute("-y"),
    "revolute_numeric": Revolute((1.0, -2.0, 0.5)),
    "revolute_down": Revolute((0.3, 0.1, -2.0)),
    "revolute_rational": Revolute((3, 4, 12)),
    "prismatic_named": Prismatic("-z"),
    "prismatic_numeric": Prismatic((0.2, 0.7, -0.4)),
    "cylindrical": Cylindrical((1, 1, 0)),
    "screw": Screw((0.1, -0.5, 2.0), pitch=0.25),
    "universal": Universal((1, 2, 0), (0, 1, 1)),
    "planar": Planar("y"),
    "spherical": Spherical(),
    "spherical_cardan": Spherical("xyz"),
    "spherical_euler": Spherical("zxz"),
    "free": Free(),
    "free_cardan": Free("zyx"),
}
ELEMENTARY = ["Tx", "Ty", "Tz", "Rx", "Ry", "Rz"]


def symbolic_kinds(scope):
    """Joints whose axes and pitch are parameters."""
    axis = [symbol(name, "parameter", scope) for name in ("e_1", "e_2", "e_3")]
    pitch = symbol("pitch", "parameter", scope)
    return {
        "revolute": Revolute(axis),
        "prismatic": Prismatic(axis),
        "cylindrical": Cylindrical(axis),
        "screw": Screw(axis, pitch),
        "universal": Universal("x", axis),
    }


def some_rotation(rng):
    """A fixed rotation, exact in the field."""
    return rng.choice([None, Rotation.about_x(math.pi / 2), rotation_matrix(rng)])


def rotation_matrix(rng):
    w, x, y, z = (rng.uniform(-1, 1) for _ in range(4))
    n = w * w + x * x + y * y + z * z
    return np.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]) / n  # fmt: skip


def point(rng):
    return tuple(rng.choice([0, round(rng.uniform(-1, 1), 3)]) for _ in range(3))


def random_tree(seed, bodies=5, kinds=None, gravity=(0.5, -1.0, -9.81)):
    """A tree with random branching, joints, frames and reversed joints."""
    rng = random.Random(seed)
    system = System(f"tree{seed}", gravity=gravity)
    made = [system.world]
    for k in range(bodies):
        inertia = [[3 + k, 0.1, 0.2], [0.1, 4, -0.3], [0.2, -0.3, 5]]
        body = system.body(f"b{k}", system.parameter(f"m{k}", 1.0 + k), point(rng), inertia)
        near = rng.choice(made).frame(f"n{k}", point(rng), some_rotation(rng))
        far = body.frame(f"f{k}", point(rng), some_rotation(rng))
        kind = (kinds or KINDS)[rng.choice(list(kinds or KINDS))]
        ends = (far, near) if rng.random() < 0.3 else (near, far)
        system.joint(f"j{k}", *ends, kind)
        made.append(body)
    return system


def rates(model):
    """The rate of everything that moves: q̇, u̇; inputs have rates of their own."""
    return {
        **dict(zip(model.coordinates, model.rates, strict=True)),
        **dict(zip(model.speeds, model.accelerations, strict=True)),
        **{s: symbol(f"{s.name}_dot", "input", s.scope) for s in model.input_symbols},
    }


def frozen(system):
    return Kinematics(system.freeze())


def proved(a, b=0):
    """Whether all components of two things are the same functions."""
    left, right = _flat(a), _flat(b)
    right = right * len(left) if len(right) == 1 else right
    return len(left) == len(right) and all(is_zero(x - y) for x, y in zip(left, right, strict=True))


def _flat(thing):
    components = thing.components() if hasattr(thing, "components") else thing
    return list(array(components).flat)


def random_values(model, seed=0):
    """A number for every symbol of a model; quaternions have length one."""
    rng = np.random.default_rng(seed)
    values = {s: float(rng.uniform(-1, 1)) for s in (*model.coordinates, *model.speeds, *model.accelerations)}
    values |= {s: float(rng.uniform(-1, 1)) for s in model.input_symbols}
    values |= model.parameter_values()
    values[model.time] = 0.7
    for joint in model.joints:
        parts = [q for q in joint.coordinates if q.name[-3:] in ("_qw", "_qx", "_qy", "_qz") and q in values]
        length = math.hypot(*(values[q] for q in parts)) if parts else 1.0
        values |= {q: values[q] / length for q in parts}
    return values


def numbers(thing, values):
    return np.array(evaluate(_flat(thing), values), dtype=float)
