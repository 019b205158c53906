"""Animations as files: films, GLB models, and scripts for Blender."""

from multibody.view.animation.blender import write_blender
from multibody.view.animation.film import animate

__all__ = ["animate", "write_blender"]
