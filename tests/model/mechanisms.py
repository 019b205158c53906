"""Closed mechanisms with random geometry, and states in which their loops are closed."""

import random
from dataclasses import dataclass
from math import pi

import numpy as np

import multibody as mb
from multibody.graph import evaluate

SHAPES = {
    "four_bar": (mb.FourBar, "RR", "R"),
    "four_bar_chain": (mb.FourBar, "RRR", ""),
    "crank_slider": (mb.CrankSlider, "R", "TR"),
    "crank_slider_at_piston": (mb.CrankSlider, "RR", "T"),
    "cylinder": (mb.ThreeBarTrans, "R", "RT"),
    "cylinder_at_foot": (mb.ThreeBarTrans, "RRT", ""),
    "cylinder_bar": (mb.FourBarTrans, "RR", "RT"),
    "cylinder_bar_chain": (mb.FourBarTrans, "RTRR", ""),
    "steering": (mb.Steering, "TRR", ""),
    "steering_at_arm": (mb.Steering, "TR", "R"),
}
"""Loops, and the movements of their two sides, from the base outwards."""

ALONG_Z = {
    "x": mb.Rotation.about_y(-pi / 2), "-x": mb.Rotation.about_y(pi / 2), "y": mb.Rotation.about_x(pi / 2),
    "-y": mb.Rotation.about_x(-pi / 2), "z": mb.Rotation.identity(), "-z": mb.Rotation.about_x(pi),
}  # fmt: skip
"""The rotation of a frame on a body, one of whose axes points along the body's z."""


@dataclass
class Mechanism:
    """A system with a loop, and the frames that meet."""

    system: mb.System
    first: mb.Frame
    second: mb.Frame


def placed(body, name, rng, length, axis="z"):
    """A frame on a body, away from its origin and turned about z, with a given axis along z."""
    angle, turn = rng.uniform(-pi, pi), rng.uniform(-pi, pi)
    position = (round(length * np.cos(angle), 3), round(length * np.sin(angle), 3), 0)
    return body.frame(name, position, mb.Rotation.about_z(turn) @ ALONG_Z[axis])


def side(system, base, movements, prefix, rng):
    """Bodies in a row, connected by movements about z and across it, through frames that are turned in all ways."""
    body = base
    for k, movement in enumerate(movements):
        axis, flip = rng.choice(list(ALONG_Z)), rng.choice(["", "-"])
        letter = axis[-1]
        across = rng.choice([other for other in "xyz" if other != letter])
        inertia = [rng.uniform(1, 2) for _ in range(3)]
        carried = system.body(
            f"{prefix}{k}_body", rng.uniform(0.5, 2), (rng.uniform(-1, 1), rng.uniform(-1, 1), 0), inertia
        )
        near = placed(body, f"{prefix}{k}_near", rng, rng.uniform(0.3, 1), axis)
        far = placed(carried, f"{prefix}{k}_far", rng, rng.uniform(0.3, 1), flip + letter)
        ends = (far, near) if rng.random() < 0.25 else (near, far)
        system.joint(f"{prefix}{k}", *ends, f"R{letter}" if movement == "R" else f"T{across}")
        body = carried
    return body


def mechanism(shape, seed, *, posture=1, swapped=False, on_carrier=False, **options):
    """A loop of a given shape with random geometry, on the world or on a body that moves."""
    kind, *sides = SHAPES[shape]
    rng = random.Random(f"{shape} {seed}")
    system = mb.System(f"{shape}_{seed}", gravity=(1.0, -9.81, 2.0))
    base = system.world
    if on_carrier:
        base = system.body("carrier", 3, (0.1, 0.2, 0.3), (1, 2, 3))
        system.joint("ride", system.world, base, ["Tx", "Ry"])
    frames = []
    for prefix, movements in zip("ab", sides, strict=True):
        body = side(system, base, movements, prefix, rng)
        frames.append(placed(body, f"{prefix}_end", rng, rng.uniform(0.3, 1), rng.choice(list(ALONG_Z))))
    first, second = reversed(frames) if swapped else frames
    system.loop(kind(first, second, posture, **options), name="loop")
    return Mechanism(system, first, second)


def assembled(shape, seed, count=2, **options):
    """A mechanism with random geometry that can be closed, its model, and states of it."""
    for attempt in range(seed, seed + 1000, 100):
        one = mechanism(shape, attempt, **options)
        model = one.system.freeze()
        states = closed_states(model, count)
        if len(states) == count:
            return one, model, states
    raise AssertionError(f"no {shape} with seed {seed} can be closed")


def closed_states(model, count, seed=0, spread=2.0):
    """Values of all symbols, also of the dependent ones, at random states in which the loops can be closed."""
    rng = np.random.default_rng(seed)
    free = [*model.coordinates, *model.speeds, *model.accelerations, *model.input_symbols, model.time]
    values = model.parameter_values() | {one: rng.uniform(-spread, spread, 100) for one in free}
    values |= _quaternions(model, values)
    wanted = [*free, *model.values]
    numbers = np.broadcast_arrays(*evaluate([model.values.get(one, one) for one in wanted], values))
    possible = np.flatnonzero(np.isfinite(numbers).all(axis=0))[:count]  # elsewhere the loop cannot be closed
    known = model.parameter_values()
    return [known | {one: float(x[k]) for one, x in zip(wanted, numbers, strict=True)} for k in possible]


def _quaternions(model, values):
    """Quaternions of length one."""
    parts = [q for q in model.coordinates if q.name[-3:] in ("_qw", "_qx", "_qy", "_qz")]
    groups = [parts[k : k + 4] for k in range(0, len(parts), 4)]
    lengths = [np.sqrt(sum(values[q] ** 2 for q in group)) for group in groups]
    return {q: values[q] / length for group, length in zip(groups, lengths, strict=True) for q in group}


def gaps(model, first, second, values):
    """How far apart two frames' origins are in the world: their positions, velocities and accelerations.

    They are found in the model where nothing is known about the loop.
    """
    kinematics = mb.Kinematics(model)
    results = []
    for frame in (first, second):
        pose = kinematics.pose(frame)
        moved = kinematics.velocity(frame).moment, kinematics.acceleration(frame)[1]
        vectors = [pose.position, *map(pose.vector_to_parent, moved)]
        results.append([evaluate(list(vector), values) for vector in vectors])
    return np.abs(np.array(results[0], dtype=float) - np.array(results[1], dtype=float)).max(axis=1)


def accelerations(equations, values):
    """The accelerations of a model at a state, by name."""
    model = equations.model
    arguments = [[values[one] for one in group] for group in (model.coordinates, model.speeds, model.input_symbols)]
    result = equations.forward_dynamics(values[model.time], *arguments, [values[p] for p in model.parameter_symbols])
    return dict(zip(model.speeds, result, strict=True))
