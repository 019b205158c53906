"""Scenes, the viewer in the browser, pages, figures, pictures, animations."""

from multibody.view import plots
from multibody.view.animation import animate, write_blender
from multibody.view.page import page_html, write_page
from multibody.view.render.image_file import contact_sheet
from multibody.view.render.picture import picture
from multibody.view.scenes.build import scene
from multibody.view.scenes.scene import Place, Scene, Solid, Tie
from multibody.view.viewer import Viewer, show

__all__ = [
    "Place", "Scene", "Solid", "Tie", "Viewer", "animate", "contact_sheet", "page_html", "picture", "plots", "scene",
    "show", "write_blender", "write_page",
]  # fmt: skip
