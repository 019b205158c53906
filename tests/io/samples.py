"""Small robots, written for one feature each."""

from __future__ import annotations

import numpy as np

from multibody.graph import evaluate
from multibody.io import UrdfRobot
from multibody.model import Kinematics

INERTIAL = (
    '<inertial><mass value="2"/><origin xyz="0.1 0.2 0.3"/>'
    '<inertia ixx="3" iyy="4" izz="5" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>'
)


def link(name: str, inside: str = INERTIAL) -> str:
    """A link, by default with mass."""
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, kind: str = "continuous", inside: str = "") -> str:
    """A joint."""
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*parts: str, name: str = "sample") -> str:
    """A whole file."""
    lines = "\n".join(parts)
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n{lines}\n</robot>'


def arm(inside: str = "", kind: str = "revolute", links: tuple[str, str] = ("base", "tip")) -> str:
    """A base and one link that moves, with something inside the joint."""
    base, tip = links
    return robot(link(base, ""), link(tip), joint("q", base, tip, kind, inside))


def pose(found: UrdfRobot, name: str, q: object = ()) -> np.ndarray:
    """The 4×4 matrix of a link's frame in the world, for given coordinates."""
    model = found.system.freeze()
    values = dict(zip(model.coordinates, np.ravel(q), strict=True))
    transform = Kinematics(model).pose(found.frame(name))
    return np.array(evaluate(transform.to_array().tolist(), values), dtype=float)


def about(axis: object, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    n = np.asarray(axis, dtype=float)
    n = n / np.linalg.norm(n)
    cross = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """URDF's rotation: roll, pitch, yaw about fixed axes."""
    return about((0, 0, 1), yaw) @ about((0, 1, 0), pitch) @ about((1, 0, 0), roll)
