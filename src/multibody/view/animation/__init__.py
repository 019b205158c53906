"""Runs as files that move: films, models for other programs, and Blender's way."""

from multibody.view.animation.animate import animate
from multibody.view.animation.blender import write_blender

__all__ = ["animate", "write_blender"]
