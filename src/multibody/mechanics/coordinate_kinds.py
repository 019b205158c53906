"""Kinds of coordinates and speeds: angles, lengths, parts of quaternions, and their rates."""

from __future__ import annotations

from multibody.graph import Expr
from multibody.model.model import Model


def angles_of(model: Model) -> set[Expr]:
    """Coordinates that are angles: those of motions that turn about one axis, and do not advance along it."""
    return {link.q[0] for link in model.links if link.motion.is_turn(link.q)}


def length_coordinates(model: Model) -> list[Expr]:
    """The coordinates that are neither angles nor parts of quaternions."""
    bounded = angles_of(model) | {model.coordinates[k] for places in model.quaternions for k in places}
    return [coordinate for coordinate in model.coordinates if coordinate not in bounded]


def length_speeds(model: Model) -> list[Expr]:
    """The speeds that are not angular velocities: all that turn nothing."""
    sliding = {
        speed
        for link in model.links
        for axis, speed in zip(link.motion.axes(link.q), link.u, strict=True)
        if all(part.fp == 0 for part in axis.resultant)
    }
    return [speed for speed in model.speeds if speed in sliding]
