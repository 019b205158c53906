"""Animations as files: films, GLB models, and scripts for Blender."""

from multibody.view.animation.animate import animate
from multibody.view.animation.blender import write_blender

__all__ = ["animate", "write_blender"]
