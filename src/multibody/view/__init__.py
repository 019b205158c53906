"""To look at: scenes, the viewer in the browser, pages, figures, pictures, animations."""

from multibody.view.animation import animate, write_blender
from multibody.view.build import scene
from multibody.view.page import page_html, write_page
from multibody.view.raster import contact_sheet, picture
from multibody.view.scenes import Place, Scene, Solid, Tie
from multibody.view.viewer import Viewer, show

__all__ = [
    "Place", "Scene", "Solid", "Tie", "Viewer", "animate", "contact_sheet", "page_html", "picture", "scene", "show",
    "write_blender", "write_page",
]  # fmt: skip
