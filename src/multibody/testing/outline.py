"""A system in a few lines, to be read where a test has failed."""

from __future__ import annotations

from typing import Any

from multibody.graph import ZERO
from multibody.model import Body, Frame, Joint, System


def outline(system: System) -> str:
    """Bodies, joints, loads and sensors, one line each; what is zero or usual is left out.

    Example:
        >>> crane = System("crane", gravity=(0, 0, -10))
        >>> crab = crane.body("crab", mass=3, inertia=(1, 1, 2))
        >>> slide = crane.joint("slide", crane.frame("rail", (0, 0, 5)), crab, "Tx")
        >>> print(outline(crane))
        system crane, gravity (0, 0, -10)
          body crab: mass 3, inertia (1, 1, 2)
          joint slide: world at (0, 0, 5) -> crab, Elementary(movements=('Tx',))
    """
    lines = [f"system {system.name}{_unless_zero(', gravity', system.gravity)}"]
    lines += [_body(body) for body in system.all(Body) if body is not system.world]
    lines += [_joint(joint) for joint in system.all(Joint)]
    lines += [f"load {name}: {load!r}" for name, load in system.loads.items()]
    lines += [f"sensor {name}: {sensor!r}" for name, sensor in system.sensors.items()]
    return "\n  ".join(lines)


def _body(body: Body) -> str:
    tensor = body.inertia
    products = (tensor.xy, tensor.xz, tensor.yz)
    inertia = f"inertia {_shown((tensor.xx, tensor.yy, tensor.zz))}"
    return f"body {body.name}: mass {body.mass}{_unless_zero(', com', body.com)}, {inertia}" + _unless_zero(
        ", products xy, xz, yz", products
    )


def _joint(joint: Joint) -> str:
    given = "" if joint.prescribed is None else f", prescribed {_shown(joint.prescribed)}"
    return f"joint {joint.name}: {_frame(joint.parent)} -> {_frame(joint.child)}, {joint.kind!r}{given}"


def _frame(frame: Frame) -> str:
    matrix = frame.pose.rotation.to_matrix()
    straight = all(matrix[i, j] == (i == j) for i in range(3) for j in range(3))
    place = _unless_zero(" at", frame.pose.position)
    turned = "" if straight else f" turned to {'; '.join(_shown(row) for row in matrix.rows)}"
    return f"{frame.body.name}{place}{turned}"


def _unless_zero(label: str, values: Any) -> str:
    return "" if all(value is ZERO for value in values) else f"{label} {_shown(values)}"


def _shown(values: Any) -> str:
    return f"({', '.join(map(str, values))})"
