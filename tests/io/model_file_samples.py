"""Model files for tests, and what must stay the same when a system is written and read."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph import array, as_expr
from multibody.model import Kinematics, Model, System

CRANE = """\
multibody: 1
name: crane
gravity: [0, 0, -9.81]
parameters:
  m1: 10.0  # with driver
  m2: {value: 1.0, unit: kg, description: "hook, and what hangs on it"}
  l: 1
  I: m2*l**2/12
inputs:
  F: {unit: N, limits: [-10, 10]}
bodies:
  crab: {mass: m1}
  load: {mass: m2, inertia: [0, I, 0], frames: {hook: {position: [0, 0, l]}}}
joints:
  slide: {parent: world, child: crab, kind: Tx, q: 1.0}
  swing: {parent: crab, child: hook, kind: Ry, q: -1.0, limits: [-pi/2, pi/2]}
sensors:
  v: {Velocity: {frame: load}}
loads:
  push: {PointToPointForce: {a: world, b: crab, force: F - 3*measured.v_1}}
"""

EVERYTHING = """\
multibody: 1
name: kitchen
description: A bit of everything.
gravity: [0, 0, -g]
recognise_loops: false
parameters: {g: 9.81, k: [10, 20.5], K: [[1, 0, 0], [0, 2, 0], [0, 0, "3*g"]], r: 0.5, free: null}
inputs: {F: null, M: {shape: 3, unit: N}, s: {limits: [-inf, 2]}}
tables:
  bump: {x: [-1, 0, 2], y: [-3, 0, 5], interpolation: cubic}
bodies:
  a:
    mass: 1
    com: [0, 0, r]
    inertia: [[1, 0.1, 0], [0.1, 2, 0], [0, 0, 3]]
    about: origin
    frames: {tip: null, end: {}}
  b:
    mass: 2
    inertia: [1, 2, 3]
    frames: {eye: {position: [1, 0, 0], rotation: {euler: zxz, angles: [0.1, 0.2, r]}}}
  c: {mass: 3, inertia: [1, 0, 2, 0, 0, 3]}
frames:
  above: {on: wall, position: [0, 0, 1], rotation: [{about: x, angle: pi/2}, {about: [1, 2, 3], angle: 0.3}]}
  wall: {position: [0, 1, r], rotation: {quaternion: [1, 0, 2, 0]}}
  turned: {on: tip, rotation: {matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}
joints:
  j: {parent: above, child: a, kind: {Revolute: {axis: [1, 1, 0]}}, q: pi/10, u: -1, cut: false}
  f: {parent: world, child: b, kind: {Free: {form: xyz}}, limits: [null, [0, 1], null, [-1, inf], null, null]}
  p: {parent: tip, child: c, kind: [Tx, Ry], prescribed: [sin(t), s*r]}
constraints:
  line: {PointOnSurface: {base: world, frame: eye, function: {of: [x, y, z], is: x**2 + y*sin(t) - z}}}
  half: {ExpressionConstraint: {value: f_x - 2*f_y}}
sensors:
  e: {Energy: {bodies: [a, b]}}
  L: {AngularMomentum: {about: com}}
  sum: {Expression: {value: [measured.e + j, f_wx*r], unit: J}}
loads:
  spring: {Spring: {a: tip, b: eye, stiffness: {table: bump}, length: r}}
  law: {SpringDamper: {a: tip, b: eye, damping: {Friction: {coulomb: 2, static: 3}}, law: {of: [d, v], is: k_1*d*v}}}
  field: {GravityField: {potential: {of: [x, y, z], is: g*z - x**2}, bodies: [a]}}
  force: {Force: {on: b, vector: M, at: tip, expressed_in: world}}
  drive: {JointLoad: {joint: j, value: "F + where(j > 0, bump(j), 0)"}}
drawings:
  box: {frame: a, shape: {Box: {x: 1, y: r, colour: orange}}, position: [0, 0, 1]}
  rope: {frame: a, shape: {Coil: {radius: 0.1, turns: 5}}, to: b}
start: {j_dot: 0.25, f_z: 1}
""".replace("vector: M", "vector: [M_1, M_2, M_3]")
"""Small, but with every section and nearly every notation."""


def parts(system: System) -> dict[Any, list[Any]]:
    """All expressions of a frozen system, by what they belong to."""
    model = system.freeze()
    kinematics = Kinematics(model)
    found: dict[Any, list[Any]] = {"links": model.expressions()}
    for name, load in model.loads.items():
        forces = [part for one in load.forces(kinematics) for part in one.force.components()]
        found["load", name] = [*forces, *load.generalized(kinematics).values(), load.potential(kinematics)]
    for name, sensor in model.sensors.items():
        with suppress(ModelError):  # constraint forces are known later
            found["sensor", name] = list(array(sensor.measure(kinematics)).flat)
    for name, constraint in model.constraints.items():
        equations = constraint.equations(kinematics)
        found["constraint", name] = [
            part for one in equations for part in (one.velocity, one.position) if part is not None
        ]
    for name, drawing in model.drawings.items():
        found["drawing", name] = [*drawing.pose.position, *drawing.pose.rotation.to_matrix().components()]
    return found


def fingerprints(system: System) -> dict[Any, list[Any]]:
    """The exact values of all expressions."""
    return {key: [as_expr(one).fp for one in values] for key, values in parts(system).items()}


def numbers(model: Model) -> dict[str, Any]:
    """All that is not an expression."""
    return {
        "start": dict(model.start), "written": model.written,
        "joints": {
            one.name: (one.q, one.u, one.limits, one.cut, one.parent.name, one.child.name) for one in model.joints
        },
        "cuts": [one.name for one in model.cuts],
        "parameters": [(p.name, p.unit, p.description, np.shape(p.symbols)) for p in model.parameters],
        "defaults": [d if d is None else d.fp for p in model.parameters for d in p.default.values()],
        "inputs": [(one.name, one.unit, one.description, one.limits, np.shape(one.symbols)) for one in model.inputs],
        "sensors": {name: (one.unit, one.shape, repr(one)) for name, one in model.sensors.items()},
        "loads": {name: repr(one) for name, one in model.loads.items()},
        "drawings": {
            name: (one.frame.name, one.to and one.to.name, one.shape) for name, one in model.drawings.items()
        },
        "frames": sorted(one.name for one in model.frames),
    }  # fmt: skip
